import { defined } from "../values/index.ts";
import { KINDS, type KindDefinition, type KindVersion, type ObjectRule } from "./kinds.ts";
import { type KubeObject } from "../metadata/index.ts";
import { type OpenApiSchema, openApiSchema } from "../schema/index.ts";

/**
 * Every kind uses the conversion webhook, so that a second version changes nothing about a kind. A version is served
 * only where the webhook converts it: without one the server only changes the name of the version and prunes unknown
 * fields, which are lost when a client writes the answer back. So these CRDs serve the stored version alone. They leave
 * `spec.conversion` to the webhooks, which serve the others; whoever applies the CRDs again keeps that with {@link
 * servingAllVersions}.
 */

interface ServedVersion {
  name: string;
  served: boolean;
  storage: boolean;
}

export function versionsOf(crd: KubeObject): ServedVersion[] {
  return ((crd["spec"] ?? {}) as { versions?: ServedVersion[] }).versions ?? [];
}

export function isConverted(crd: KubeObject): boolean {
  const { conversion } = (crd["spec"] ?? {}) as { conversion?: { strategy?: string } };
  return conversion?.strategy === "Webhook";
}

/** For a hub where a webhook converts. */
export function servingAllVersions(crd: KubeObject): KubeObject {
  const versions = versionsOf(crd).map((version) => ({ ...version, served: true }));
  return { ...crd, spec: { ...(crd["spec"] as object), versions } };
}

/** Undefined when all are served. The server refuses the patch if the versions have changed in between. */
export function servingPatch(crd: KubeObject): object[] | undefined {
  const patch = versionsOf(crd).flatMap(({ name, served }, index) => {
    if (served) return [];
    const at = `/spec/versions/${index}`;
    return [
      { op: "test", path: `${at}/name`, value: name },
      { op: "replace", path: `${at}/served`, value: true },
    ];
  });
  return patch.length === 0 ? undefined : patch;
}

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
  return {
    "x-kubernetes-validations": rules.map(({ rule, message, field }) => ({
      rule,
      message,
      ...(field === undefined ? {} : { fieldPath: `.${field}` }),
    })),
  };
}

function versionOf(kind: KindDefinition, version: KindVersion, stored: boolean): OpenApiSchema {
  const { selectableFields } = version;
  return {
    name: version.name,
    served: stored,
    storage: stored,
    additionalPrinterColumns: version.columns,
    ...(selectableFields === undefined ? {} : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    subresources: { status: {}, ...defined({ scale: kind.scale }) },
    schema: { openAPIV3Schema: objectSchema(kind, version) },
  };
}

export function crdNameOf({ plural, group }: Pick<KindDefinition, "plural" | "group">): string {
  return `${plural}.${group}`;
}

function customResourceDefinition(kind: KindDefinition): KubeObject {
  const { group, plural, singular, shortNames, categories, namespaced, versions } = kind;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: crdNameOf(kind) },
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: { kind: kind.kind, listKind: `${kind.kind}List`, plural, singular, shortNames, categories },
      versions: versions.map((version, index) => versionOf(kind, version, index === 0)),
    },
  };
}

export function customResourceDefinitions(kinds: readonly KindDefinition[] = KINDS): KubeObject[] {
  return kinds.map(customResourceDefinition);
}
