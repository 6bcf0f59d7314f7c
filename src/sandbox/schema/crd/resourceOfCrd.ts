import { defined } from "../../../apis/index.ts";
import { definitions } from "../../kinds/builtin.ts";
import type { Column, KubeObject, Resource, ResourceVersion, Schema } from "../../types.ts";
import { rememberDeclared } from "../declaredSchema.ts";
import { OBJECT_META } from "../references.ts";
import { type CrdColumn, type CrdVersion, specOf } from "./crdTypes.ts";

/**
 * The resource of an accepted CRD. The same `spec` object gives the same resource, so clusters that share a CRD share
 * its schemas.
 */
export function resourceOfCrd(crd: KubeObject): Resource {
  const spec = specOf(crd);
  const shared = resources.get(spec);
  if (shared !== undefined) return shared.crd === crd ? shared : { ...shared, crd };
  const { group = "", scope, names = {}, versions = [] } = spec;
  const { plural = "", kind = "" } = names;
  const resource: Resource = {
    group,
    plural,
    singular: names.singular ?? kind.toLowerCase(),
    kind,
    listKind: names.listKind ?? `${kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    versions: versions.map(versionOf),
    definitions,
    crd,
  };
  resources.set(spec, resource);
  return resource;
}

const resources = new WeakMap<object, Resource>();

function versionOf(version: CrdVersion): ResourceVersion {
  const { name = "", subresources, deprecationWarning, additionalPrinterColumns = [] } = version;
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath } = subresources?.scale ?? {};
  return {
    name,
    served: version.served === true,
    storage: version.storage === true,
    ...defined({ deprecated: version.deprecated, deprecationWarning }),
    schema: servedSchema(version.schema?.openAPIV3Schema ?? { type: "object" }),
    columns: columnsOf(additionalPrinterColumns),
    hasStatus: subresources?.status !== undefined,
    ...(subresources?.scale === undefined
      ? {}
      : {
          scale: {
            specReplicasPath,
            statusReplicasPath,
            ...defined({ labelSelectorPath }),
          },
        }),
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath = "" }) => jsonPath),
  };
}

/**
 * The declared schema with the common apiVersion, kind and metadata. Validation uses the declared schema, so a
 * restricted name stays restricted.
 */
function servedSchema(declared: Schema): Schema {
  const served: Schema = {
    ...declared,
    properties: {
      ...declared.properties,
      apiVersion: { description: API_VERSION, ...declared.properties?.["apiVersion"], type: "string" },
      kind: { description: KIND, ...declared.properties?.["kind"], type: "string" },
      metadata: { $ref: `#/definitions/${OBJECT_META}` },
    },
  };
  rememberDeclared(served, declared);
  return served;
}

const API_VERSION =
  "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND =
  "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/** Columns as declared; the Table adds the name, and the age if the CRD declares no columns. */
function columnsOf(declared: readonly CrdColumn[]): readonly Column[] {
  return declared.map(({ name = "", type = "string", format, description, priority = 0, jsonPath }) => ({
    name,
    type: type as Column["type"],
    ...defined({ format }),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath ?? ""}`,
    priority,
    ...defined({ jsonPath }),
  }));
}
