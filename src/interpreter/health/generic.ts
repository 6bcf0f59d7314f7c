import { kindKey, type KubeObject } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { numberOf, textOf } from "../values.ts";
import {
  available,
  because,
  conditionsOf,
  health,
  isBehind,
  pending,
  type ReportedCondition,
  reportedHealth,
  servingIf,
  statusOf,
} from "./report.ts";

/** Conditions that mean trouble when they are True. */
const BAD_WHEN_TRUE: ReadonlyMap<string, "Failed" | "Degraded"> = new Map([
  ["Failed", "Failed"],
  ["Stalled", "Failed"],
  ["Degraded", "Degraded"],
]);

/** An object with several of these needs all of them True. */
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

/** Conditions that are True while something is under way. */
const WORKING_WHEN_TRUE: ReadonlySet<string> = new Set(["Reconciling", "Progressing"]);
/** Reasons with which `Progressing` stays True after the end of the work, as in a Deployment. */
const COME_TO_ITS_END: ReadonlySet<string> = new Set(["NewReplicaSetAvailable", "Succeeded", "Completed", "Complete"]);

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
  ["Pending", "Progressing"],
  ["Creating", "Progressing"],
  ["Initializing", "Progressing"],
  ["Provisioning", "Progressing"],
  ["Progressing", "Progressing"],
  ["Reconciling", "Progressing"],
  ["Updating", "Progressing"],
  ["Upgrading", "Progressing"],
  ["Scaling", "Progressing"],
  ["Deleting", "Progressing"],
  ["Terminating", "Progressing"],
]);

/**
 * For kinds without a rule of their own. Trusts only the conventions of Kubernetes (observedGeneration, conditions,
 * phase); without them the health is Unknown.
 */
export function genericHealth(object: KubeObject): Health {
  const status = statusOf(object);
  if (Object.keys(status).length === 0)
    return unknown("it has no status there yet; spec.health of the placement can say whether it is healthy");
  const conditions = conditionsOf(object);
  const sums = conditions.filter(({ type }) => GOOD_WHEN_TRUE.has(type));
  const missing = sums.find((condition) => condition.status !== "True");
  const isGood = sums.length > 0 && missing === undefined;

  const observed = numberOf(status["observedGeneration"]);
  const generation = object.metadata.generation ?? 0;
  const isStale = (condition: ReportedCondition): boolean => (condition.observedGeneration ?? generation) < generation;
  if ((observed !== undefined && isBehind(object)) || sums.some(isStale)) return servingIf(isGood, "Before", pending());

  const isOn = (condition: ReportedCondition): boolean => condition.status === "True" && !isStale(condition);
  const bad = conditions.find((condition) => BAD_WHEN_TRUE.has(condition.type) && isOn(condition));
  if (bad !== undefined) return servingIf(isGood, "Now", because(BAD_WHEN_TRUE.get(bad.type) ?? "Failed", bad));
  const working = conditions.find((condition) => isOn(condition) && isUnderWay(condition));
  if (working !== undefined) return servingIf(isGood, "Now", because("Progressing", working));
  if (missing !== undefined) return because("Progressing", missing);
  if (isGood) return available;

  const phase = textOf(status["phase"]);
  if (phase !== undefined) return phaseHealth(phase, textOf(status["message"]));
  // The object's controller has observed this generation and reports no trouble.
  if (observed !== undefined) return available;
  return unknown("its status does not say whether it is healthy; spec.health of the placement can");
}

/** By convention, conditions of the type tell how healthy an object is. */
export function isTelling(type: string): boolean {
  return GOOD_WHEN_TRUE.has(type) || BAD_WHEN_TRUE.has(type) || WORKING_WHEN_TRUE.has(type);
}

/** Conditions of built-in kinds, besides those of the conventions. */
const GOOD: ReadonlySet<string> = new Set([
  "Initialized",
  "ContainersReady",
  "NamesAccepted",
  "AbleToScale",
  "ScalingActive",
]);
const BAD: ReadonlySet<string> = new Set(["ReplicaFailure", "FailureTarget", "Suspended", "LoadBalancerPortsError"]);

/** Tells if a True condition of the type is good or bad; undefined if nobody knows. */
export function polarityOf(type: string): "Good" | "Bad" | undefined {
  if (GOOD_WHEN_TRUE.has(type) || GOOD.has(type)) return "Good";
  return BAD_WHEN_TRUE.has(type) || WORKING_WHEN_TRUE.has(type) || BAD.has(type) ? "Bad" : undefined;
}

function isUnderWay({ type, reason }: ReportedCondition): boolean {
  return WORKING_WHEN_TRUE.has(type) && !(type === "Progressing" && COME_TO_ITS_END.has(reason ?? ""));
}

function phaseHealth(phase: string, message: string | undefined): Health {
  const state = PHASES.get(phase) ?? "Unknown";
  return state === "Available" ? available : reportedHealth(state, `Phase${phase}`, message ?? `phase ${phase}`);
}

const unknown = (message: string): Health => health("Unknown", "NoReport", message);

/** Their objects are healthy as soon as they exist. The core group is empty. */
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
  "admissionregistration.k8s.io/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
  "coordination.k8s.io/Lease",
  "discovery.k8s.io/EndpointSlice",
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

/** The kind is built-in, and has no status that says anything about health. */
export function hasNoStatus(group: string, kind: string): boolean {
  return WITHOUT_STATUS.has(kindKey({ group, kind }));
}
