import {
  type FieldProblem,
  type KubeObject,
  parseApiVersion,
  type PlacementSpec,
  type ResourceSelector,
} from "../../apis/index.ts";
import { whyByNameOnly, whyNeverPlaced } from "../../interpreter/index.ts";
import type { ServedKind } from "./types.ts";

/** Verbs that a kind must allow, since Meridian could not observe its objects otherwise. */
const FOLLOW = ["list", "watch"];

/** Problems of a policy's selectors. `served` is undefined when the hub does not tell which kinds it serves. */
export function judgeSelectors(policy: KubeObject, served: readonly ServedKind[] | undefined): FieldProblem[] {
  return selectorsOf(policy).flatMap((selector, index) => {
    const field = `spec.resourceSelectors[${index}]`;
    return [
      ...judgeKind(selector, field),
      ...judgeTenancy(policy, selector, field, served),
      ...judgeServed(selector, field, served),
    ];
  });
}

/** Some kinds are never placed. Some are placed only by name, since nobody means all of their objects. */
function judgeKind({ apiVersion, kind, name }: ResourceSelector, field: string): FieldProblem[] {
  const of = { group: parseApiVersion(apiVersion).group, kind };
  const never = whyNeverPlaced(of);
  if (never !== undefined) return [{ field: `${field}.kind`, message: `${kind} cannot be placed: ${never}` }];
  const byName = name === undefined ? whyByNameOnly(of) : undefined;
  if (byName === undefined) return [];
  return [
    { field: `${field}.name`, message: `say which ${kind} is meant: ${byName}, so none is selected without its name` },
  ];
}

/** Cluster-scoped objects have no namespace in which to look for declared dependencies. */
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

/** A namespaced policy belongs to a tenant, so it may select only in its own namespace. */
function judgeTenancy(
  policy: KubeObject,
  { apiVersion, kind, namespace, namespaceSelector }: ResourceSelector,
  field: string,
  served: readonly ServedKind[] | undefined,
): FieldProblem[] {
  const own = policy.metadata.namespace;
  const { group } = parseApiVersion(apiVersion);
  const isOfNoNamespace = served?.some((one) => one.group === group && one.kind === kind && !one.namespaced) === true;
  if (own === undefined) {
    const given =
      namespace !== undefined ? "namespace" : namespaceSelector !== undefined ? "namespaceSelector" : undefined;
    if (!isOfNoNamespace || given === undefined) return [];
    return [
      {
        field: `${field}.${given}`,
        message: `${kind} belongs to no namespace, so this selects nothing; remove the field`,
      },
    ];
  }
  const clusterWide = `Cluster${policy.kind}`;
  if (namespace !== undefined && namespace !== own) {
    const message = `a ${policy.kind} of namespace ${own} selects nothing in ${namespace}; remove the field, or let the platform write a ${clusterWide}`;
    return [{ field: `${field}.namespace`, message }];
  }
  if (isOfNoNamespace) {
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
  const ofKind = served.filter((one) => one.group === group && one.kind === kind);
  if (
    ofKind.length > 0 &&
    ofKind.every(({ verbs }) => verbs !== undefined && !FOLLOW.every((verb) => verbs.includes(verb)))
  ) {
    const message = `${kind} cannot be listed and watched on the hub, so it cannot be placed`;
    return [{ field: `${field}.kind`, message }];
  }
  const versions = ofKind.map((one) => one.version);
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

/** The selectors of a policy, which may be malformed. */
export function selectorsOf(policy: KubeObject): ResourceSelector[] {
  const { resourceSelectors } = (policy["spec"] ?? {}) as { resourceSelectors?: ResourceSelector[] };
  return Array.isArray(resourceSelectors) ? resourceSelectors : [];
}
