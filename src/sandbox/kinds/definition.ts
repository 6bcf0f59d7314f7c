import type { FieldError, KubeObject, Resource } from "../types.ts";
import { decode } from "./decode.ts";
import { nameIsDnsSubdomain, nameIsPathSegment, type NameRule } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate, validateQualifiedFinalizers } from "./objectMeta.ts";
import type { KindRules, RulesEnvironment } from "./rules.ts";
import { isEqual, withFieldOf } from "./values.ts";

/** What one kind does differently from all others; what is left out is as most kinds have it. */
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
  /** A DNS subdomain unless said otherwise. */
  name?: NameRule;
  /** Finalizers may be short words. */
  allowsAnyFinalizer?: boolean;
  /** The fields that raise the generation when they change: `["spec"]`, or of a Deployment the annotations too. */
  generation?: { raisedBy(object: KubeObject, old: KubeObject): boolean };
  /** The status of a new object is what its creator says; others begin empty. */
  keepsStatusOnCreate?: boolean;
  /** Beside the spec, the fields of the metadata that an update of the status leaves alone. */
  statusLeavesMetadata?: readonly ("labels" | "ownerReferences")[];
  /** What the server's own form of the object adds to every submission, after the defaults. */
  afterDecode?(object: KubeObject): KubeObject;
  /** Last, after what is done for every kind. */
  prepareForCreate?(object: KubeObject, env: RulesEnvironment): KubeObject;
  prepareForUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  /** What is wrong beside the metadata. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldError[];
  validateStatus?(object: KubeObject, old: KubeObject): FieldError[];
}

export const raisedBySpec = {
  raisedBy: (object: KubeObject, old: KubeObject) => !isEqual(object["spec"], old["spec"]),
};

/** The rules of a kind from what is special about it. */
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
      // Only when the kind finds nothing does the server check what it checks for all kinds.
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

/** What an update of the status takes from the submission. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

function withGeneration(object: KubeObject, generation: number | undefined): KubeObject {
  if (object.metadata.generation === generation) return object;
  const { generation: _, ...metadata } = object.metadata;
  return { ...object, metadata: generation === undefined ? metadata : { ...metadata, generation } };
}

const empty = new WeakMap<Resource, Map<string, KubeObject>>();

/** What the decoder makes of an object in which nothing is said. */
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
