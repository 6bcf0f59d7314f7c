import { defined } from "../../../apis/index.ts";
import type { KindRules } from "../../kinds/index.ts";
import {
  DecodeError,
  decodedMetadata,
  nameIsDnsSubdomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../kinds/index.ts";
import { decodeError, validate, validateScale, withDefaults } from "../../schema/index.ts";
import type { FieldError, KubeObject, Resource, ResourceVersion } from "../../types.ts";
import { equalJson } from "../../equalJson.ts";

/** The rules of a custom resource: the API server's common rules with the schema of the CRD. */
export function customRules(resource: Resource): KindRules {
  const { definitions, group, namespaced } = resource;
  const versions = new Map(resource.versions.map((version) => [`${group}/${version.name}`, version]));
  const metadata = { namespaced, name: nameIsDnsSubdomain };

  const versionOf = (apiVersion: string): ResourceVersion => {
    const version = versions.get(apiVersion);
    if (version === undefined) throw new Error(`${resource.plural} has no version ${apiVersion}`);
    return version;
  };
  const schemaErrors = (object: KubeObject, old?: KubeObject) => {
    const { schema, scale } = versionOf(object.apiVersion);
    const errors = validate(schema, definitions, object, old);
    return scale === undefined ? errors : [...errors, ...validateScale(scale, object)];
  };

  return {
    defaults(object, apiVersion) {
      const { schema } = versionOf(apiVersion);
      const wrong = decodeError(schema, definitions, object);
      if (wrong !== undefined) throw new DecodeError(wrong);
      // As with every kind, empty labels, finalizers and similar fields are not stored.
      return withDefaults(schema, definitions, { ...object, metadata: decodedMetadata(object.metadata) });
    },
    prepareForCreate(object) {
      const fresh = versionOf(object.apiVersion).hasStatus ? without(object, "status") : object;
      return { ...fresh, metadata: { ...fresh.metadata, generation: 1 } };
    },
    prepareForUpdate(object, old) {
      const next = versionOf(object.apiVersion).hasStatus ? withStatusOf(object, old) : object;
      const same = equalJson({ ...next, metadata: undefined }, { ...old, metadata: undefined });
      const generation = (old.metadata.generation ?? 0) + (same ? 0 : 1);
      return { ...next, metadata: { ...next.metadata, generation } };
    },
    prepareForStatusUpdate(object, old) {
      // managedFields may change with the status; other metadata stays.
      const { managedFields } = object.metadata;
      const metadata = { ...old.metadata, ...defined({ managedFields }) };
      return { ...withStatusOf(old, object), metadata };
    },
    validate(object, old): FieldError[] {
      const errors = validateObjectMeta(object, metadata);
      if (old === undefined) return [...errors, ...schemaErrors(object)];
      return [...validateObjectMetaUpdate(object, old), ...schemaErrors(object, old)];
    },
    validateStatus(object, old) {
      return [...validateObjectMetaUpdate(object, old), ...schemaErrors(object, old)];
    },
    selectableFields(object, apiVersion) {
      const fields = versionOf(apiVersion).selectableFields;
      return Object.fromEntries(fields.map((path) => [path.replace(/^\./, ""), textAt(object, path)]));
    },
    allowsCreateOnUpdate: false,
    allowsUnconditionalUpdate: false,
  };
}

function without(object: KubeObject, field: string): KubeObject {
  const { [field]: _, ...rest } = object;
  return rest as KubeObject;
}

function withStatusOf(object: KubeObject, source: KubeObject): KubeObject {
  const { status } = source;
  return status === undefined ? without(object, "status") : { ...object, status };
}

function textAt(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const segment of path.split(".").filter((part) => part !== "")) {
    if (typeof value !== "object" || value === null) return "";
    value = (value as Record<string, unknown>)[segment];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
