import type { KubeObject } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { numberOf, textOf } from "../values.ts";
import {
  available,
  conditionsOf,
  health,
  isBehind,
  pending,
  type ReportedCondition,
  reportedHealth,
  statusOf,
} from "./report.ts";

/** Conditions that mean trouble when they are True. */
const BAD_WHEN_TRUE: ReadonlyMap<string, "Failed" | "Degraded"> = new Map([
  ["Failed", "Failed"],
  ["Stalled", "Failed"],
  ["Degraded", "Degraded"],
]);

/** Conditions that sum up the health of an object. An object with several of them needs all of them True. */
const GOOD_WHEN_TRUE: ReadonlySet<string> = new Set([
  "Ready",
  "Available",
  "Healthy",
  "Synced",
  "Established",
  "Complete",
  "Succeeded",
  "Accepted",
  "Programmed",
]);

const PHASES: ReadonlyMap<string, Health["state"]> = new Map([
  ["Active", "Available"],
  ["Available", "Available"],
  ["Bound", "Available"],
  ["Ready", "Available"],
  ["Running", "Available"],
  ["Succeeded", "Available"],
  ["Failed", "Failed"],
  ["Error", "Failed"],
  ["Lost", "Failed"],
  ["Degraded", "Degraded"],
]);

/**
 * The rule for kinds without a rule of their own: trusts the conventions of Kubernetes (observedGeneration, conditions, phase), and
 * nothing else. An object that reports nothing is not called healthy.
 */
export function genericHealth(object: KubeObject): Health {
  const status = statusOf(object);
  if (Object.keys(status).length === 0)
    return health("Progressing", "NoReport", "the cluster has not reported on it yet");
  const observed = numberOf(status["observedGeneration"]);
  if (observed !== undefined && isBehind(object)) return pending();

  const conditions = conditionsOf(object);
  const generation = object.metadata.generation ?? 0;
  if (conditions.some((c) => GOOD_WHEN_TRUE.has(c.type) && (c.observedGeneration ?? generation) < generation))
    return pending();
  const bad = conditions.find((c) => BAD_WHEN_TRUE.has(c.type) && c.status === "True");
  if (bad !== undefined) return because(BAD_WHEN_TRUE.get(bad.type) ?? "Failed", bad);
  const working = conditions.find((c) => c.type === "Reconciling" && c.status === "True");
  if (working !== undefined) return because("Progressing", working);

  const good = conditions.filter((c) => GOOD_WHEN_TRUE.has(c.type));
  const missing = good.find((c) => c.status !== "True");
  if (missing !== undefined) return because("Progressing", missing);
  if (good.length > 0) return available;

  const phase = textOf(status["phase"]);
  if (phase !== undefined) {
    const state = PHASES.get(phase) ?? "Progressing";
    return state === "Available"
      ? available
      : reportedHealth(state, `Phase${phase}`, textOf(status["message"]) ?? `phase ${phase}`);
  }
  // The object's controller has observed this generation and reports no trouble.
  if (observed !== undefined) return available;
  return health("Progressing", "NoReport", "its status does not say whether it is healthy");
}

function because(state: "Progressing" | "Degraded" | "Failed", condition: ReportedCondition): Health {
  const fallback = condition.status === "True" ? condition.type : `Not${condition.type}`;
  return reportedHealth(
    state,
    condition.reason ?? fallback,
    condition.message || `condition ${condition.type} is ${condition.status}`,
  );
}

/** Kinds without a status: their objects are healthy as soon as they exist. Those of the core group have no group in front. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set([
  "/ConfigMap",
  "/Secret",
  "/ServiceAccount",
  "/Endpoints",
  "/Event",
  "/LimitRange",
  "/PodTemplate",
  "/ResourceQuota",
  "apps/ControllerRevision",
  "admissionregistration.k8s.io/MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
  "batch/CronJob",
  "coordination.k8s.io/Lease",
  "discovery.k8s.io/EndpointSlice",
  "networking.k8s.io/Ingress",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/NetworkPolicy",
  "node.k8s.io/RuntimeClass",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
  "rbac.authorization.k8s.io/Role",
  "rbac.authorization.k8s.io/RoleBinding",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/StorageClass",
]);

/** True for kinds of Kubernetes that have no status, or a status that says nothing about health. */
export function hasNoStatus(group: string, kind: string): boolean {
  return WITHOUT_STATUS.has(`${group}/${kind}`);
}
