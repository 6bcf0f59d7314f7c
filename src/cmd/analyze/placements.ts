import {
  type ClusterSelector,
  joinCommand,
  matchesClusterSelector,
  type Placement,
  type Taint,
  type Toleration,
} from "../../apis/index.ts";
import { stageAssignment, stageProblems } from "../../desiredstate/index.ts";
import { type ClusterSnapshot, type Decision, schedule, tolerates } from "../../scheduler/index.ts";
import { namesText } from "../shared/index.ts";
import type { Analysis, Planned, Said } from "./analysis.ts";

/** Findings about the clusters that a Placement may take, whatever objects exist. Pure. */

export function placementFindings(policy: Placement, selected: readonly Planned[], analysis: Analysis): Said[] {
  const { state, now } = analysis;
  // Without the members, nothing is known of their labels and taints.
  if (state.hidden.has("memberclusters")) return [];
  const clusters = state.clusterSnapshots();
  const decision = decisionFor(policy, selected, clusters, now);
  return [
    ...(selected.length === 0 && decision !== undefined ? withoutCluster(decision) : []),
    ...idleGroups(policy, clusters),
    ...(decision === undefined ? [] : taintedByName(policy, decision)),
    ...idleTolerations(policy, clusters),
    ...stageFindings(policy, decision, clusters),
  ];
}

/** The decision for the first object that the policy places, else for an object without labels. */
function decisionFor(
  { spec, kind, metadata }: Placement,
  selected: readonly Planned[],
  clusters: readonly ClusterSnapshot[],
  now: number,
): Decision | undefined {
  const placed = selected.find(
    ({ target: { placement } }) =>
      placement?.kind === kind && placement.name === metadata.name && placement.namespace === metadata.namespace,
  );
  if (placed !== undefined) return placed.target.decision;
  // Only the labels of an object would say which clusters these take.
  if ((spec.clusterAffinities ?? []).some(asksObject)) return undefined;
  return schedule({ labels: {}, current: new Map() }, spec, clusters, now);
}

function asksObject({ matchLabelKeys = [] }: ClusterSelector): boolean {
  return matchLabelKeys.length > 0;
}

function withoutCluster({ clusters, verdicts }: Decision): Said[] {
  if (clusters.length > 0) return [];
  const byReason = Map.groupBy(verdicts, ({ reason }) => reason);
  const why = Array.from(byReason, ([reason, of]) => `${reason} (${namesText(of.map(({ cluster }) => cluster))})`);
  return [
    {
      code: "NoClusterFits",
      severity: "Error",
      what: why.length === 0 ? "the fleet has no cluster" : `no cluster can be taken: ${why.join("; ")}`,
      remedy:
        verdicts.find(({ remedy }) => remedy !== undefined)?.remedy ??
        `let clusterAffinities or tolerations of the policy admit a cluster, or let one join: \`${joinCommand()}\``,
    },
  ];
}

/** Parts of the policy that name clusters by a selector which takes none. */
function idleGroups({ spec }: Placement, clusters: readonly ClusterSnapshot[]): Said[] {
  const { clusterAffinities = [], clusterPreferences = [], replicaScheduling } = spec;
  const parts: [path: string, selector: ClusterSelector][] = [
    // Without any cluster in the first groups, the whole policy has a finding already.
    ...(clusterAffinities.length < 2
      ? []
      : clusterAffinities.map((group): [string, ClusterSelector] => [`clusterAffinities (${group.name})`, group])),
    ...clusterPreferences.map(({ targetClusters }, index): [string, ClusterSelector] => [
      `clusterPreferences[${index}]`,
      targetClusters,
    ]),
    ...(replicaScheduling.weights ?? []).map(({ targetClusters }, index): [string, ClusterSelector] => [
      `replicaScheduling.weights[${index}]`,
      targetClusters,
    ]),
  ];
  return parts.flatMap(([path, selector]) => (isIdle(selector, clusters) ? [takesNothing(`spec.${path}`)] : []));
}

export function isIdle(selector: ClusterSelector, clusters: readonly ClusterSnapshot[]): boolean {
  return !asksObject(selector) && !clusters.some((cluster) => matchesClusterSelector(selector, cluster, {}));
}

export function takesNothing(path: string): Said {
  return {
    code: "TakesNoCluster",
    severity: "Warning",
    what: `${path} takes no cluster of the fleet`,
    remedy: "correct its names, labels or fields (`kubectl get memberclusters -o yaml`), or remove it",
  };
}

/** Clusters that the policy names, and whose taints it does not tolerate. */
function taintedByName({ spec }: Placement, { verdicts }: Decision): Said[] {
  const named = new Set((spec.clusterAffinities ?? []).flatMap(({ clusterNames = [] }) => clusterNames));
  return verdicts.flatMap(({ cluster, steps, remedy }): Said[] => {
    const tainted = steps.find(({ reason }) => reason === "TaintNotTolerated");
    if (!named.has(cluster) || tainted === undefined) return [];
    return [
      {
        code: "TaintNotTolerated",
        severity: "Warning",
        what: `the policy names ${cluster}, and ${tainted.message}`,
        remedy: tainted.remedy ?? remedy ?? `add a toleration to the policy, or do not name ${cluster}`,
      },
    ];
  });
}

function idleTolerations({ spec }: Placement, clusters: readonly ClusterSnapshot[]): Said[] {
  const taints = clusters.flatMap((cluster) => cluster.taints);
  return (spec.tolerations ?? []).flatMap((toleration, index): Said[] => {
    const isGeneral = (toleration.key ?? "") === "";
    if (isGeneral || taints.some((taint) => tolerates(toleration, taint))) return [];
    return [
      {
        code: "TolerationUnused",
        severity: "Info",
        what: `spec.tolerations[${index}] (${tolerationText(toleration)}) tolerates no taint that a cluster has now`,
        remedy: nearTaint(toleration, taints) ?? "nothing to mend if the taint comes later; else correct key and value",
      },
    ];
  });
}

function tolerationText({ key = "", operator, value = "", effect }: Toleration): string {
  const what = operator === "Exists" ? key : `${key}=${value}`;
  return effect === undefined ? what : `${what}:${effect}`;
}

/** A taint of the same key, which another value or effect would tolerate. */
function nearTaint({ key }: Toleration, taints: readonly Taint[]): string | undefined {
  const near = taints.find((taint) => taint.key === key);
  if (near === undefined) return undefined;
  return `a cluster has the taint ${key}=${near.value ?? ""}:${near.effect}: write that value and effect if it is meant`;
}

function stageFindings(
  { spec }: Placement,
  decision: Decision | undefined,
  clusters: readonly ClusterSnapshot[],
): Said[] {
  const { stages = [] } = spec.rollout ?? {};
  const taken = new Set(decision?.clusters.map(({ name }) => name));
  const assigned = stageAssignment(
    spec.rollout,
    clusters.filter(({ name }) => taken.has(name)),
  );
  const problems = assigned === undefined || stages.some(({ targetClusters = {} }) => asksObject(targetClusters));
  const idle = stages.flatMap(({ name, targetClusters }) =>
    targetClusters !== undefined && isIdle(targetClusters, clusters)
      ? [takesNothing(`spec.rollout.stages (${name})`)]
      : [],
  );
  if (problems || assigned === undefined) return idle;
  return [
    ...idle,
    ...stageProblems(assigned).map((what): Said => ({
      code: "RolloutStages",
      severity: "Warning",
      what: `spec.rollout: ${what}`,
      remedy: "let each cluster belong to exactly one stage; a last stage without targetClusters takes all others",
    })),
  ];
}
