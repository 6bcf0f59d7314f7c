import { kindKeyOf, type KubeObject } from "../../apis/index.ts";

/**
 * How values of several clusters are merged. `Common`: what all report. `Joined`: the items of all lists. `worstOf`:
 * the first of these words that any reports. `None`: it means nothing outside its cluster.
 */
export type FieldRule = "Sum" | "Common" | "Earliest" | "Latest" | "Joined" | "None" | { worstOf: readonly string[] };

export interface KindRules {
  fields: Readonly<Record<string, FieldRule>>;
  /** Condition types that are True as soon as they are on one copy. */
  trueIfAny?: readonly string[];
}

/** The API server refuses a `collisionCount` that shrinks, and the number names revisions of one cluster. */
const REVISIONS: KindRules = { fields: { collisionCount: "None" } };

/** Built-in kinds that the general rules read wrongly, or whose sum the API server would refuse. */
const RULES: Readonly<Record<string, KindRules>> = {
  "apps/DaemonSet": REVISIONS,
  "apps/Deployment": REVISIONS,
  "apps/StatefulSet": REVISIONS,
  "autoscaling/HorizontalPodAutoscaler": {
    fields: { lastScaleTime: "Latest", currentMetrics: "None", currentCPUUtilizationPercentage: "None" },
  },
  "batch/CronJob": {
    fields: { active: "Joined", lastScheduleTime: "Latest", lastSuccessfulTime: "Latest" },
  },
  "policy/PodDisruptionBudget": {
    fields: {
      currentHealthy: "Sum",
      desiredHealthy: "Sum",
      disruptedPods: "None",
      disruptionsAllowed: "Sum",
      expectedPods: "Sum",
    },
    trueIfAny: ["DisruptionAllowed"],
  },
  // Devices on one cluster's nodes, and their users there.
  "resource.k8s.io/ResourceClaim": { fields: { allocation: "None", devices: "None", reservedFor: "None" } },
  "/PersistentVolume": {
    fields: {
      lastPhaseTransitionTime: "Latest",
      phase: { worstOf: ["Failed", "Pending", "Released", "Available", "Bound"] },
    },
  },
  "/PersistentVolumeClaim": { fields: { phase: { worstOf: ["Lost", "Pending", "Bound"] } } },
  "/Pod": {
    fields: {
      containerStatuses: "None",
      ephemeralContainerStatuses: "None",
      extendedResourceClaimStatus: "None",
      hostIP: "None",
      hostIPs: "None",
      initContainerStatuses: "None",
      nominatedNodeName: "None",
      phase: { worstOf: ["Failed", "Unknown", "Pending", "Running", "Succeeded"] },
      podIP: "None",
      podIPs: "None",
      resourceClaimStatuses: "None",
      startTime: "Earliest",
    },
  },
};

/** Undefined if the general rules are right for every field of the kind. */
export function fieldRulesOf({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): KindRules | undefined {
  const name = kindKeyOf({ apiVersion, kind });
  return Object.hasOwn(RULES, name) ? RULES[name] : undefined;
}
