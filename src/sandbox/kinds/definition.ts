import type { FieldError, KubeObject, Resource } from "../types.ts";
import { decode } from "./decode.ts";
import { nameIsDnsSubdomain, nameIsPathSegment, type NameRule } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate, validateQualifiedFinalizers } from "./objectMeta.ts";
import type { KindRules, RulesEnvironment } from "./rules.ts";
import { isEqual, withFieldOf } from "./values.ts";

/** The rules in which one kind differs; absent members follow the common rule. */
export interface KindDefinition extends Partial<
  Pick<
    KindRules,
    | "convert"
    | "warnings"
    | "gracePeriodSeconds"
    | "prepareForDelete"
    | "isHeld"
    | "defaultPropagation"
    | "onDelete"
    | "onRestore"
    | "selectableFields"
    | "storedAs"
    | "allowsCreateOnUpdate"
    | "allowsUnconditionalUpdate"
  >
> {
  /** Default: a DNS subdomain. */
  name?: NameRule;
  /** Allows finalizers without a domain. */
  allowsAnyFinalizer?: boolean;
  /** Decides which changes raise the generation: those of the spec, or, for a Deployment, also of the annotations. */
  generation?: { raisedBy(object: KubeObject, old: KubeObject): boolean };
  /** A new object keeps the submitted status. Other kinds start with an empty status. */
  keepsStatusOnCreate?: boolean;
  /** Metadata fields that, like the spec, a status update leaves unchanged. */
  statusLeavesMetadata?: readonly ("labels" | "ownerReferences")[];
  /** Adds to every submission the fields of the server's own form, after the defaults. */
  afterDecode?(object: KubeObject): KubeObject;
  /** Runs last, after the steps common to every kind. */
  prepareForCreate?(object: KubeObject, env: RulesEnvironment): KubeObject;
  prepareForUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  /** Validates everything but the metadata. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldError[];
  validateStatus?(object: KubeObject, old: KubeObject): FieldError[];
}

export const raisedBySpec = {
  raisedBy: (object: KubeObject, old: KubeObject) => !isEqual(object["spec"], old["spec"]),
};

/** The complete rules of a kind from its definition. */
export function rulesFrom(resource: Resource, definition: KindDefinition): KindRules {
  const hasStatus = resource.versions.some((version) => version.hasStatus);
  const metadataRules = { namespaced: resource.namespaced, name: definition.name ?? nameIsDnsSubdomain };
  const anyName = { namespaced: resource.namespaced, name: nameIsPathSegment };
  const { generation, statusLeavesMetadata = [], ...special } = definition;

  const finalizers = (object: KubeObject) =>
    definition.allowsAnyFinalizer === true ? [] : validateQualifiedFinalizers(object);
  const validateMetadataUpdate = (object: KubeObject, old: KubeObject): FieldError[] => [
    ...validateObjectMeta(object, anyName),
    ...validateObjectMetaUpdate(object, old),
    ...finalizers(object),
  ];

  const rules: KindRules = {
    ...special,
    allowsCreateOnUpdate: definition.allowsCreateOnUpdate ?? false,
    allowsUnconditionalUpdate: definition.allowsUnconditionalUpdate ?? true,
    defaults(object, apiVersion) {
      const value = decode(resource, object, apiVersion);
      return definition.afterDecode?.(value) ?? value;
    },
    prepareForCreate(object, env) {
      let next = object;
      if (hasStatus && definition.keepsStatusOnCreate !== true) {
        next = withFieldOf(next, emptyObject(resource, object.apiVersion), "status");
      }
      if (generation !== undefined) next = withGeneration(next, 1);
      return definition.prepareForCreate?.(next, env) ?? next;
    },
    prepareForUpdate(object, old, env) {
      let next = hasStatus ? withFieldOf(object, old, "status") : object;
      next = withGeneration(next, old.metadata.generation);
      next = definition.prepareForUpdate?.(next, old, env) ?? next;
      if (generation === undefined || !generation.raisedBy(next, old)) return next;
      return withGeneration(next, (old.metadata.generation ?? 0) + 1);
    },
    validate(object, old) {
      if (old !== undefined)
        return [...validateMetadataUpdate(object, old), ...(definition.validate?.(object, old) ?? [])];
      const errors = [
        ...validateObjectMeta(object, metadataRules),
        ...finalizers(object),
        ...(definition.validate?.(object, undefined) ?? []),
      ];
      // The server runs the checks common to all kinds only if the kind's own checks find nothing.
      return errors.length > 0 ? errors : validateObjectMeta(object, anyName);
    },
  };
  if (!hasStatus) return rules;
  return {
    ...rules,
    prepareForStatusUpdate(object, old, env) {
      let next = object;
      for (const field of Object.keys({ ...object, ...old })) {
        if (!OWN_FIELDS.has(field)) next = withFieldOf(next, old, field);
      }
      let metadata = next.metadata;
      for (const field of statusLeavesMetadata) metadata = withFieldOf(metadata, old.metadata, field);
      next = withGeneration(metadata === next.metadata ? next : { ...next, metadata }, old.metadata.generation);
      return definition.prepareForStatusUpdate?.(next, old, env) ?? next;
    },
    validateStatus: (object, old) => [
      ...validateMetadataUpdate(object, old),
      ...(definition.validateStatus?.(object, old) ?? []),
    ],
  };
}

/** Top-level fields that a status update takes from the submission. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

function withGeneration(object: KubeObject, generation: number | undefined): KubeObject {
  if (object.metadata.generation === generation) return object;
  const { generation: _, ...metadata } = object.metadata;
  return { ...object, metadata: generation === undefined ? metadata : { ...metadata, generation } };
}

const empty = new WeakMap<Resource, Map<string, KubeObject>>();

/** The decoded form of an empty object. */
function emptyObject(resource: Resource, apiVersion: string): KubeObject {
  let versions = empty.get(resource);
  if (versions === undefined) empty.set(resource, (versions = new Map()));
  let object = versions.get(apiVersion);
  if (object === undefined) {
    const bare = { apiVersion, kind: resource.kind, metadata: {} } as unknown as KubeObject;
    versions.set(apiVersion, (object = decode(resource, bare, apiVersion)));
  }
  return object;
}
