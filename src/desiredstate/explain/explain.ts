import {
  type ClusterStatusEntry,
  defined,
  fullMessage,
  inFull,
  type KubeObject,
  type Message,
  type ObjectRef,
  parseApiVersion,
  refOf,
  timestamp,
} from "../../apis/index.ts";
import { placeableKindOf } from "../../interpreter/index.ts";
import { matchRules, type PolicyRef, winnersOver } from "../../override/index.ts";
import { compareText, sortedByName, type Verdict } from "../../scheduler/index.ts";
import type { Step } from "../../scheduler/types.ts";
import { type AppliedRule, appliedRules } from "../manifests/index.ts";
import { type StageAssignment, stageAssignment, stageProblems } from "./rolloutStages.ts";
import { type NearMiss, nearMisses } from "./nearMisses.ts";
import { choosePlacement, computeTarget } from "../target/index.ts";
import { remedyFor } from "./remedies.ts";
import type { ClusterTarget, Problem, Target, Why } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";
import { type SaidWait, saidWait, waitsOnHub } from "../waits/index.ts";

type Said<T extends { message: Message }> = Omit<T, "message"> & { message: string };

/** Why one hub object runs where it does, and with which content. */
export interface Explanation {
  object: ObjectRef;
  /** What the deletion waits for. All other fields then say what would hold without the deletion. */
  deletion?: { since: string; message: string };
  placement?: PolicyRef & { priority: number };
  /** The other policies that select the object, each with the reason for its lower precedence. */
  passedOver: readonly { policy: PolicyRef; because: string }[];
  /** If no policy selects the object: policies that select its kind, with what each lacks; the closest first. */
  nearly?: readonly NearMiss[];
  scheduled: Said<Target["scheduled"]>;
  /** One sentence on the running and the desired versions, if they differ by the object's status. */
  runs?: string;
  group?: string;
  division?: Division;
  /** Set if an earlier affinity group fits again: when the object returns to it (RFC 3339). */
  returning?: { group: string; at: string };
  failover?: Said<NonNullable<Target["failover"]>["condition"]>;
  /** What the object waits for, as far as the hub shows it. Absent: nothing. */
  waits?: readonly SaidWait[];
  notes: readonly string[];
  /** Rollout stages in order; undefined if the policy names none. */
  stages?: readonly string[];
  /** Clusters that several stages select (the first counts) or that no stage selects (they come last). */
  stageProblems?: readonly string[];
  /** Override policies that select the object, in order of application: the later wins. */
  overrides: readonly { policy: PolicyRef; applies: boolean; because?: string }[];
  /** Sorted by name: all clusters of the hub, and all others that the policy names. */
  clusters: readonly ExplainedCluster[];
}

export interface Division {
  mode: string;
  strategy?: string;
  asked?: number;
  /** Replicas of the chosen clusters in total, overrides included. */
  given: number;
}

export interface ExplainedCluster {
  name: string;
  region?: string;
  chosen: boolean;
  reason: string;
  message: string;
  /** Scores by the name of the scorer; undefined if no step scores. */
  scores?: Readonly<Record<string, number>>;
  replicas?: number;
  stage?: string | undefined;
  state?: ClusterStatusEntry["state"];
  /** Reason for that state, from the status; undefined if the status gives none. */
  health?: Pick<ClusterStatusEntry, "reason" | "message" | "since">;
  /** Version that the cluster runs, by the object's status, if another one is desired. */
  runs?: ClusterStatusEntry["runs"];
  frozen?: Said<Why>;
  problem?: Said<Problem>;
  steps: readonly Step[];
  /** Everything that must change for the object to run on this cluster. Empty for a chosen cluster. */
  remedies: readonly string[];
  overrides: readonly AppliedRule[];
}

/** Explains the controller's own decision, from the same values. `now` is in epoch milliseconds. */
export function explain(snapshot: Snapshot, now: number): Explanation {
  const { object } = snapshot;
  const target = computeTarget(snapshot, now);
  const { placement } = snapshot.choice ?? choosePlacement(object, snapshot.placements, snapshot.setting);
  const rules = matchRules(object, snapshot.overrides, snapshot.setting);
  const idle = new Map(target.idleOverrides?.map(({ policy, because }) => [keyOf(policy), IDLE[because]]));
  const verdicts = new Map(target.decision.verdicts.map((verdict) => [verdict.cluster, verdict]));
  const names = new Set([...verdicts.keys(), ...target.clusters.map(({ name }) => name)]);
  const snapshots = new Map(sortedByName(snapshot.clusters).map((cluster) => [cluster.name, cluster]));
  const fieldsOf = appliedRules(renderedOf(object), placement?.spec.podTemplates);
  const { decision } = target;
  const chosen = new Set(target.clusters.map(({ name }) => name));
  const stages = stageAssignment(
    placement?.spec.rollout,
    snapshot.clusters.filter(({ name }) => chosen.has(name)),
    object.metadata.labels,
  );
  const policy = target.placement;
  const clusters = [...names].toSorted(compareText).map((name): ExplainedCluster => {
    const cluster = snapshots.get(name);
    const wanted = target.clusters.find((one) => one.name === name);
    const entry = snapshot.previous?.clusters?.find((one) => one.name === name);
    return {
      name,
      ...(cluster?.region === undefined ? {} : { region: cluster.region }),
      ...answerOf(verdicts.get(name), wanted, target),
      ...(wanted === undefined || stages?.stages.get(name) === undefined ? {} : { stage: stages.stages.get(name) }),
      ...(entry === undefined ? {} : { state: entry.state }),
      ...(entry?.runs === undefined ? {} : { runs: entry.runs }),
      ...healthOf(entry),
      overrides: cluster === undefined ? [] : fieldsOf(rules.on(cluster)),
    };
  });
  return {
    object: refOf(object),
    ...(policy === undefined ? {} : { placement: { ...policy, priority: placement?.spec.priority ?? 0 } }),
    passedOver: target.passedOver ?? [],
    ...nearlyOf(snapshot, target),
    scheduled: inFull(target.scheduled),
    ...defined({ group: decision.group }),
    ...divisionOf(snapshot, target, placement),
    ...(decision.returning === undefined
      ? {}
      : { returning: { group: decision.returning.group, at: timestamp(decision.returning.at) } }),
    ...(target.failover === undefined ? {} : { failover: inFull(target.failover.condition) }),
    ...waitsIn(waitsOnHub(snapshot, target, placement?.spec.rollout).map(saidWait)),
    notes: decision.notes ?? [],
    ...stagesIn(stages),
    overrides: rules.policies.map((one) => {
      const because = idle.get(keyOf(one)) ?? supersededBy(one, target);
      return { policy: one, applies: because === undefined, ...defined({ because }) };
    }),
    clusters,
  };
}

function nearlyOf({ object, placements, setting }: Snapshot, { placement }: Target): Pick<Explanation, "nearly"> {
  if (placement !== undefined) return {};
  const nearly = nearMisses(object, placements, setting);
  return nearly.length === 0 ? {} : { nearly };
}

function healthOf(entry: ClusterStatusEntry | undefined): Pick<ExplainedCluster, "health"> {
  if (entry?.reason === undefined) return {};
  const { reason, message, since } = entry;
  return {
    health: { reason, ...defined({ message, since }) },
  };
}

function waitsIn(waits: readonly SaidWait[]): Pick<Explanation, "waits"> {
  return waits.length === 0 ? {} : { waits };
}

function stagesIn(stages: StageAssignment | undefined): Pick<Explanation, "stages" | "stageProblems"> {
  if (stages === undefined) return {};
  const problems = stageProblems(stages);
  return { stages: stages.names, ...(problems.length === 0 ? {} : { stageProblems: problems }) };
}

const IDLE = {
  NoCluster: "no rule of it takes a cluster of the object",
  Unplaced: "the object is on no cluster",
  Frozen: "what is there stays as it is",
} as const;

function supersededBy(policy: PolicyRef, { clusters }: Target): string | undefined {
  const winners = winnersOver(policy, clusters);
  return winners === undefined ? undefined : `${winners} applies later and sets all of it anew`;
}

function answerOf(
  verdict: Verdict | undefined,
  wanted: ClusterTarget | undefined,
  target: Target,
): Pick<
  ExplainedCluster,
  "chosen" | "reason" | "message" | "scores" | "replicas" | "frozen" | "problem" | "steps" | "remedies"
> {
  const steps = verdict?.steps ?? [];
  const scores = Object.fromEntries(
    steps.flatMap(({ name, score }) => (score === undefined ? [] : [[name, score] as const])),
  );
  const { status: _, ...why } = target.scheduled;
  return {
    chosen: wanted !== undefined,
    reason: verdict?.reason ?? why.reason,
    message: verdict?.message ?? fullMessage(why.message),
    ...(Object.keys(scores).length === 0 ? {} : { scores }),
    ...(wanted?.replicas === undefined ? {} : { replicas: wanted.replicas }),
    ...(wanted?.frozen === true ? { frozen: inFull(wanted.frozenFor ?? wanted.problem ?? why) } : {}),
    ...(wanted?.problem === undefined ? {} : { problem: inFull(wanted.problem) }),
    steps,
    remedies: wanted === undefined || verdict?.fits === false ? remediesOf(verdict, target) : [],
  };
}

/** One remedy for each refusing step, without duplicates. */
function remediesOf(verdict: Verdict | undefined, { placement }: Target): string[] {
  if (verdict === undefined || verdict.fits) return [];
  const refusals = verdict.steps.filter(({ fits }) => !fits);
  const policy = placement === undefined ? "its policy" : `${placement.kind} ${placement.name}`;
  const asked = refusals.length === 0 ? [verdict] : refusals;
  return [...new Set(asked.map((answer) => remedyFor(answer, verdict.cluster, policy)))];
}

function divisionOf(
  { object }: Snapshot,
  target: Target,
  placement: ReturnType<typeof choosePlacement>["placement"],
): Pick<Explanation, "division"> {
  const given = target.clusters.flatMap(({ replicas }) => replicas ?? []);
  if (given.length === 0) return {};
  const { mode = "Duplicated", strategy } = placement?.spec.replicaScheduling ?? {};
  const asked = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind).replicas(object);
  return {
    division: {
      mode,
      ...(mode === "Divided" && strategy !== undefined ? { strategy } : {}),
      ...defined({ asked }),
      given: given.reduce((sum, count) => sum + count, 0),
    },
  };
}

function renderedOf(object: KubeObject): readonly KubeObject[] {
  const kind = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  return kind.refusal?.(object) === undefined ? kind.render(object) : [];
}

function keyOf({ kind, namespace = "", name }: PolicyRef): string {
  return `${kind}/${namespace}/${name}`;
}
