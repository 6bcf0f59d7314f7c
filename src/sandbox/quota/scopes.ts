import type { KubeObject, ResourceName } from "../types.ts";
import type { PodSpec } from "./usage.ts";

interface Term {
  scopeName: string;
  operator: string;
  values?: readonly string[];
}

interface QuotaSpec {
  scopes?: readonly string[];
  scopeSelector?: { matchExpressions?: readonly Term[] };
}

/** True if a quota applies to the object. A quota with scopes applies to some pods only. */
export function fitsScopes(quota: KubeObject, resource: ResourceName, object: KubeObject): boolean {
  const { scopes = [], scopeSelector } = (quota["spec"] ?? {}) as QuotaSpec;
  const terms = [
    ...scopes.map((scopeName): Term => ({ scopeName, operator: "Exists" })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
  if (terms.length === 0) return true;
  if (resource.group !== "" || resource.plural !== "pods") return false;
  const spec = (object["spec"] ?? {}) as PodSpec;
  return terms.every((term) => fits(term, spec));
}

function fits({ scopeName, operator, values = [] }: Term, spec: PodSpec): boolean {
  switch (scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return isBestEffort(spec);
    case "NotBestEffort":
      return !isBestEffort(spec);
    case "PriorityClass": {
      const { priorityClassName = "" } = spec;
      if (operator === "Exists") return priorityClassName !== "";
      if (operator === "DoesNotExist") return priorityClassName === "";
      return values.includes(priorityClassName) === (operator === "In");
    }
    default:
      return false;
  }
}

function isBestEffort({ containers = [], initContainers = [] }: PodSpec): boolean {
  return [...containers, ...initContainers].every(({ resources: { requests = {}, limits = {} } = {} }) =>
    ["cpu", "memory"].every((name) => requests[name] === undefined && limits[name] === undefined),
  );
}
