import { type LabelSelector, matchesSelector, selectsAll } from "../labelSelectors.ts";
import { notFound } from "../statusError.ts";
import type { AdmissionEnvironment, AdmissionRequest, RuleWithOperations, Webhook } from "./types.ts";

/** Webhooks never see writes to these resources, so that a broken webhook can be removed. */
const EXEMPT = new Set([
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

export function isExempt({ resource }: AdmissionRequest): boolean {
  return resource.group === "admissionregistration.k8s.io" && EXEMPT.has(resource.plural);
}

/**
 * The version in which a webhook gets the request; undefined if the webhook does not match. Throws a StatusError 404
 * when the namespace, whose labels are needed, is gone.
 */
export function matchedVersion(
  webhook: Webhook,
  request: AdmissionRequest,
  environment: AdmissionEnvironment,
): string | undefined {
  const version = ruledVersion(webhook, request);
  if (version === undefined) return undefined;
  const { namespaceSelector = {}, objectSelector = {} } = webhook;
  if (!namespaceMatches(namespaceSelector, request, environment)) return undefined;
  return objectMatches(objectSelector, request) ? version : undefined;
}

function ruledVersion(
  { rules = [], matchPolicy = "Equivalent" }: Webhook,
  request: AdmissionRequest,
): string | undefined {
  if (rules.some((rule) => ruleMatches(rule, request, request.version))) return request.version;
  if (matchPolicy === "Exact") return undefined;
  const others = request.resource.versions.filter(({ served, name }) => served && name !== request.version);
  for (const rule of rules) {
    const equivalent = others.find(({ name }) => ruleMatches(rule, request, name));
    if (equivalent !== undefined) return equivalent.name;
  }
  return undefined;
}

function ruleMatches(rule: RuleWithOperations, request: AdmissionRequest, version: string): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  return (
    includes(operations, request.operation) &&
    includes(apiGroups, request.resource.group) &&
    includes(apiVersions, version) &&
    scopeMatches(rule.scope ?? "*", request) &&
    resources.some((resource) => resourceMatches(resource, request))
  );
}

function includes(values: readonly string[], wanted: string): boolean {
  return values.includes("*") || values.includes(wanted);
}

function scopeMatches(scope: string, request: AdmissionRequest): boolean {
  if (scope === "*") return true;
  const isClusterWide = isNamespace(request) || (request.namespace ?? "") === "";
  return (scope === "Cluster") === isClusterWide;
}

/** A pattern such as `pods`, `pods/status` or `pods/*`. */
function resourceMatches(pattern: string, { resource, subresource = "" }: AdmissionRequest): boolean {
  const [plural = "", wanted = ""] = pattern.split("/");
  return (plural === "*" || plural === resource.plural) && (wanted === "*" || wanted === subresource);
}

export function isNamespace({ resource }: AdmissionRequest): boolean {
  return resource.group === "" && resource.plural === "namespaces";
}

function namespaceMatches(
  selector: LabelSelector,
  request: AdmissionRequest,
  environment: AdmissionEnvironment,
): boolean {
  if (selectsAll(selector)) return true;
  if (isNamespace(request)) {
    const namespace = request.object ?? request.old;
    return matchesSelector(selector, namespace?.metadata.labels);
  }
  const name = request.namespace ?? "";
  // A namespace selector does not exclude cluster-scoped objects.
  if (name === "") return true;
  const namespace = environment.namespace(name);
  if (namespace === undefined) throw notFound({ group: "", kind: "namespaces", name });
  return matchesSelector(selector, namespace.metadata.labels);
}

/** An update matches if the old or the new object has the labels. */
function objectMatches(selector: LabelSelector, { object, old }: AdmissionRequest): boolean {
  if (selectsAll(selector)) return true;
  return [object, old].some(
    (candidate) => candidate !== undefined && matchesSelector(selector, candidate.metadata?.labels),
  );
}
