import {
  type FieldProblem,
  type KubeObject,
  parseApiVersion,
  type PlacementSpec,
  type ResourceSelector,
} from "../../apis/index.ts";
import type { ServedKind } from "./types.ts";

/** What the selectors of a policy may not say. `served` is undefined when the hub does not say what it serves. */
export function judgeSelectors(policy: KubeObject, served: readonly ServedKind[] | undefined): FieldProblem[] {
  return selectorsOf(policy).flatMap((selector, index) => {
    const field = `spec.resourceSelectors[${index}]`;
    return [...judgeTenancy(policy, selector, field, served), ...judgeServed(selector, field, served)];
  });
}

/** What a policy declares of the needs of its objects, where none of these has a namespace in which to look for them. */
export function judgeDependencies(policy: KubeObject, served: readonly ServedKind[] | undefined): FieldProblem[] {
  const { dependencies } = (policy["spec"] ?? {}) as Partial<PlacementSpec>;
  if (served === undefined || dependencies?.fields === undefined) return [];
  const kinds = selectorsOf(policy).map(({ apiVersion, kind }) => {
    const { group } = parseApiVersion(apiVersion);
    return served.find((one) => one.group === group && one.kind === kind);
  });
  if (kinds.length === 0 || kinds.some((one) => one?.namespaced !== false)) return [];
  const names = [...new Set(kinds.map((one) => one?.kind))].join(" and ");
  const message = `objects of ${names} have no namespace in which to look for what they name; remove the fields`;
  return [{ field: "spec.dependencies.fields", message }];
}

/** A policy of a namespace is a tenant's: it reaches what is in that namespace, and nothing else. */
function judgeTenancy(
  policy: KubeObject,
  { apiVersion, kind, namespace }: ResourceSelector,
  field: string,
  served: readonly ServedKind[] | undefined,
): FieldProblem[] {
  const own = policy.metadata.namespace;
  if (own === undefined) return [];
  const clusterWide = `Cluster${policy.kind}`;
  if (namespace !== undefined && namespace !== own) {
    const message = `a ${policy.kind} of namespace ${own} selects nothing in ${namespace}; remove the field, or let the platform write a ${clusterWide}`;
    return [{ field: `${field}.namespace`, message }];
  }
  const { group } = parseApiVersion(apiVersion);
  if (served?.some((one) => one.group === group && one.kind === kind && !one.namespaced) === true) {
    const message = `${kind} belongs to no namespace, and so to no ${policy.kind}; let the platform write a ${clusterWide}`;
    return [{ field: `${field}.kind`, message }];
  }
  return [];
}

function judgeServed(
  { apiVersion, kind }: ResourceSelector,
  field: string,
  served: readonly ServedKind[] | undefined,
): FieldProblem[] {
  if (served === undefined) return [];
  const { group, version } = parseApiVersion(apiVersion);
  const versions = served.filter((one) => one.group === group && one.kind === kind).map((one) => one.version);
  if (versions.includes(version)) return [];
  if (versions.length > 0) {
    const names = versions.map((one) => (group === "" ? one : `${group}/${one}`)).join(" or ");
    return [
      { field: `${field}.apiVersion`, message: `the hub does not serve ${kind} in ${apiVersion}; write ${names}` },
    ];
  }
  const elsewhere = served.find((one) => one.kind === kind);
  const hint =
    elsewhere === undefined
      ? "check the spelling, or install its CRD on the hub first"
      : `did you mean apiVersion ${elsewhere.group === "" ? "" : `${elsewhere.group}/`}${elsewhere.version}?`;
  return [{ field: `${field}.kind`, message: `the hub serves no ${kind} of ${apiVersion}; ${hint}` }];
}

/** The selectors of a policy that may be malformed. */
export function selectorsOf(policy: KubeObject): ResourceSelector[] {
  const { resourceSelectors } = (policy["spec"] ?? {}) as { resourceSelectors?: ResourceSelector[] };
  return Array.isArray(resourceSelectors) ? resourceSelectors : [];
}
