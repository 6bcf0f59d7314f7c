import { KINDS, type KindDefinition, type KindVersion, type ObjectRule } from "./kinds.ts";
import type { KubeObject } from "./meta.ts";
import { openApiSchema, type OpenApiSchema } from "./openapi.ts";

/**
 * DemoApplication is served in two versions, and the CRD leaves `spec.conversion` out. Without a conversion webhook the server only
 * changes the name of the version: the fields that v1beta1 does not know are pruned from a v1beta1 answer, and lost when a client writes
 * that answer back. The webhooks write `spec.conversion` themselves, and applying these CRDs again leaves `spec.conversion` to them.
 */

function objectSchema(kind: KindDefinition, version: KindVersion): OpenApiSchema {
  return {
    description: kind.description,
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: openApiSchema(version.spec),
      status: { ...openApiSchema(version.status), description: "Written by Meridian only." },
    },
    ...validations(version.rules),
  };
}

function validations(rules: readonly ObjectRule[] = []): OpenApiSchema {
  if (rules.length === 0) return {};
  return { "x-kubernetes-validations": rules.map(({ rule, message }) => ({ rule, message })) };
}

function versionOf(kind: KindDefinition, version: KindVersion, stored: boolean): OpenApiSchema {
  const { selectableFields } = version;
  return {
    name: version.name,
    served: true,
    storage: stored,
    additionalPrinterColumns: version.columns,
    ...(selectableFields === undefined ? {} : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    subresources: { status: {}, ...(kind.scale === undefined ? {} : { scale: kind.scale }) },
    schema: { openAPIV3Schema: objectSchema(kind, version) },
  };
}

function customResourceDefinition(kind: KindDefinition): KubeObject {
  const { group, plural, singular, shortNames, categories, namespaced, versions } = kind;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: { kind: kind.kind, listKind: `${kind.kind}List`, plural, singular, shortNames, categories },
      versions: versions.map((version, index) => versionOf(kind, version, index === 0)),
    },
  };
}

/** The CRDs of every kind of Meridian, ready to be installed. */
export function customResourceDefinitions(): KubeObject[] {
  return KINDS.map(customResourceDefinition);
}
