import { durationMs, timestamp } from "../apis/index.ts";
import type { Draft } from "./draft.ts";
import { concurrencyOf, gateTimeout, policyOfStage } from "./stages.ts";
import { approvalText } from "./stopped.ts";
import type { RolloutCluster, RolloutFacts, RolloutInput, RolloutStage } from "./types.ts";
import { verify } from "./verify.ts";

/** `Waits`: the run pauses, for a gate or an approval (`Gate`), or because nobody knows the state of a cluster. */
export type Progress =
  | { kind: "Going" }
  | { kind: "Succeeded" }
  | { kind: "Failed"; message: string }
  | { kind: "Waits"; pause: "Gate" | "Unknown"; message: string };

export interface Forward {
  input: RolloutInput;
  /** By cluster. */
  facts: ReadonlyMap<string, RolloutFacts>;
  /** No further cluster starts; started clusters go on. */
  isHeld: boolean;
  /** Called with each stage whose external gate has to be asked. */
  ask: (stage: string) => void;
}

/**
 * Moves every stage on as far as the facts allow: one after another, and in a stage as many clusters at once as its
 * concurrency allows. Each cluster must become healthy within the gate timeout (`verify`); then the external gate, a
 * Prometheus query, decides on the whole stage.
 */
export function goForward(draft: Draft, forward: Forward): Progress {
  for (const stage of draft.stages) {
    updateContact(draft, stage, forward);
    if (stage.state === "Succeeded") {
      // A late cluster may fail after its stage has succeeded. The failure counts until the run has succeeded.
      const failure = draft.status.state === "Succeeded" ? undefined : failStage(draft, stage, forward);
      if (failure !== undefined) return failure;
      continue;
    }
    const progress = advanceStage(draft, stage, forward);
    if (progress !== undefined) {
      for (const later of draft.stages.slice(draft.stages.indexOf(stage) + 1)) updateContact(draft, later, forward);
      return progress;
    }
  }
  return { kind: "Succeeded" };
}

/** Skips clusters that left the fleet, and defers clusters that are unreachable before their turn. */
function updateContact(draft: Draft, stage: RolloutStage, forward: Forward): void {
  const { facts } = forward;
  for (const cluster of stage.clusters ?? []) {
    const known = facts.get(cluster.name);
    if (known === undefined) {
      if (cluster.state !== "Done" && cluster.state !== "Skipped") draft.cluster(cluster, "Skipped", "ClusterLeft");
    } else if (cluster.state === "Waiting" && !known.inContact)
      draft.cluster(cluster, "Deferred", "ClusterUnreachable");
    else if (cluster.state === "Deferred" && known.inContact && stage.state !== "Succeeded")
      draft.cluster(cluster, "Waiting");
  }
  if (stage.state === "Succeeded") catchUp(draft, stage, forward);
}

/** Updates clusters that came back after their stage ended. Nothing waits for them, but the concurrency holds. */
function catchUp(draft: Draft, stage: RolloutStage, forward: Forward): void {
  const clusters = stage.clusters ?? [];
  for (const cluster of clusters) advanceCluster(draft, cluster, forward);
  if (forward.isHeld) return;
  const rules = policyOfStage(forward.input.policy, stage.name);
  let free = concurrencyOf(rules, clusters.length) - clusters.filter(isChanging).length;
  for (const cluster of clusters) {
    const known = forward.facts.get(cluster.name);
    if (cluster.state !== "Deferred" || known?.inContact !== true || (free <= 0 && !known.onTarget)) continue;
    if (!known.onTarget) free -= 1;
    draft.cluster(cluster, known.onTarget ? "Verifying" : "Applying");
  }
}

function isChanging({ state }: RolloutCluster): boolean {
  return state === "Applying" || state === "Verifying";
}

/** Undefined if no more clusters have failed than the policy allows. */
function failStage(draft: Draft, stage: RolloutStage, { input }: Forward): Progress | undefined {
  const { maxFailures = 0 } = policyOfStage(input.policy, stage.name);
  const failed = (stage.clusters ?? []).filter(({ state }) => state === "Failed");
  if (failed.length <= maxFailures) return undefined;
  draft.stage(stage, "Failed");
  return { kind: "Failed", message: `stage ${stage.name}: ${failed.map(textOf).join(", ")} failed` };
}

/** Moves one stage on. Returns undefined when the stage is over and the next stage may start. */
function advanceStage(draft: Draft, stage: RolloutStage, forward: Forward): Progress | undefined {
  const { policy } = forward.input;
  const rules = policyOfStage(policy, stage.name);
  const clusters = stage.clusters ?? [];
  if (stage.state === "Waiting" || stage.state === "Failed") {
    if (forward.isHeld) return { kind: "Going" };
    draft.stage(stage, "Progressing");
    stage.startedAt = timestamp(draft.now);
  }
  const unsure = clusters.flatMap((cluster) => advanceCluster(draft, cluster, forward) ?? []);
  for (const cluster of clusters) failAfterwards(draft, cluster, forward);
  const failure = failStage(draft, stage, forward);
  if (failure !== undefined) return failure;
  const isOver = clusters.every(({ state }) => OVER.has(state));
  if (!isOver) {
    if (rules.deadline !== undefined && draft.hasPassed(stage.startedAt, durationMs(rules.deadline))) {
      draft.stage(stage, "Failed");
      return { kind: "Failed", message: `stage ${stage.name} took longer than ${rules.deadline}` };
    }
    const [first] = unsure;
    if (first !== undefined) return { kind: "Waits", pause: "Unknown", message: `stage ${stage.name}: ${first}` };
    if (!forward.isHeld) beginClusters(draft, stage, forward);
    // Unchanged clusters are done at once, so the stage may be over already.
    return clusters.every(({ state }) => OVER.has(state)) ? advanceStage(draft, stage, forward) : { kind: "Going" };
  }
  if (wasNeverTried(draft, stage)) {
    const message = `stage ${stage.name}: none of its clusters can be reached`;
    return { kind: "Waits", pause: "Unknown", message };
  }
  return finishStage(draft, stage, forward);
}

/**
 * A stage without any reachable cluster proves nothing, so later stages do not start. The last stage delays nobody,
 * unless the whole run has proved nothing.
 */
function wasNeverTried(draft: Draft, stage: RolloutStage): boolean {
  const has = ({ clusters = [] }: RolloutStage, ...states: RolloutCluster["state"][]): boolean =>
    clusters.some(({ state }) => states.includes(state));
  if (!has(stage, "Deferred") || has(stage, "Done", "Failed")) return false;
  const later = draft.stages.slice(draft.stages.indexOf(stage) + 1);
  return (
    later.some((one) => has(one, "Waiting", "Deferred")) || !draft.stages.some((one) => has(one, "Done", "Failed"))
  );
}

/** A cluster that was healthy and fails before its stage is over has failed. */
function failAfterwards(draft: Draft, cluster: RolloutCluster, { input, facts }: Forward): void {
  const known = facts.get(cluster.name);
  if (cluster.state !== "Done" || known === undefined || isUnchanged(known)) return;
  if (verify(known, input.policy) === "Failed") draft.cluster(cluster, "Failed", known.health.reason ?? "Unhealthy");
}

/** The new revision equals the last good one on this cluster. */
function isUnchanged({ onTarget, runs }: RolloutFacts): boolean {
  return onTarget && runs === "LastGood";
}

const NO_ANSWER = "the gate's query has no answer; see the manager's log";
const OVER: ReadonlySet<RolloutCluster["state"]> = new Set(["Done", "Failed", "Skipped", "Deferred", "RolledBack"]);

function textOf({ name, reason }: RolloutCluster): string {
  return reason === undefined ? name : `${name} (${reason})`;
}

/** Starts waiting clusters in the order of the plan, as many as may change at once. */
function beginClusters(draft: Draft, stage: RolloutStage, { input, facts }: Forward): void {
  const clusters = stage.clusters ?? [];
  const rules = policyOfStage(input.policy, stage.name);
  const timeout = durationMs(gateTimeout(input.policy));
  // An unreachable cluster takes a slot for the gate timeout, and no longer.
  const busy = clusters.filter(
    ({ state, since }) =>
      state === "Applying" || state === "Verifying" || (state === "Deferred" && !draft.hasPassed(since, timeout)),
  );
  let free = concurrencyOf(rules, clusters.length) - busy.length;
  for (const cluster of clusters) {
    if (cluster.state !== "Waiting") continue;
    const known = facts.get(cluster.name);
    // Nothing changes on this cluster, so the run cannot have harmed it.
    if (known !== undefined && isUnchanged(known)) draft.cluster(cluster, "Done");
    else if (known?.onTarget === true) draft.cluster(cluster, "Verifying");
    else if (free > 0) {
      free -= 1;
      draft.cluster(cluster, "Applying");
    }
  }
}

/**
 * Moves a started cluster on. After the gate timeout, it is deferred if out of contact, and fails if not healthy yet.
 * Otherwise it has no verdict, and the reason is returned.
 */
function advanceCluster(draft: Draft, cluster: RolloutCluster, { input, facts }: Forward): string | undefined {
  const known = facts.get(cluster.name);
  if (known === undefined || (cluster.state !== "Applying" && cluster.state !== "Verifying")) return undefined;
  const verdict = verify(known, input.policy);
  if (cluster.state === "Applying" && known.inContact && known.onTarget) draft.cluster(cluster, "Verifying");
  if (verdict === "Passed") draft.cluster(cluster, "Done");
  else if (verdict === "Failed") draft.cluster(cluster, "Failed", known.health.reason ?? "Unhealthy");
  else {
    const timeout = gateTimeout(input.policy);
    const isLate = draft.hasPassed(cluster.since, durationMs(timeout));
    const why = verdict === "Error" ? known.error : verdict === "Unknown" ? "HealthUnknown" : known.health.reason;
    if (!isLate) draft.cluster(cluster, cluster.state, verdict === "Pending" ? undefined : why);
    else if (!known.inContact) draft.cluster(cluster, "Deferred", "ClusterUnreachable");
    else if (verdict === "Pending" && known.onTarget)
      draft.cluster(cluster, "Failed", known.health.reason ?? "GateTimeout");
    else {
      draft.cluster(cluster, cluster.state, why ?? "NotWritten");
      return `${cluster.name}: ${why ?? "not applied"} after ${timeout}`;
    }
  }
  return undefined;
}

/** Soak, external gate and approval, in this order. Returns undefined when the stage is over. */
function finishStage(draft: Draft, stage: RolloutStage, forward: Forward): Progress | undefined {
  const { input, facts } = forward;
  const { policy } = input;
  const rules = policyOfStage(policy, stage.name);
  const done = (stage.clusters ?? []).filter(({ state }) => state === "Done");
  if (rules.soak !== undefined && done.length > 0) {
    // A cluster has to be healthy for the whole soak, or returns to Verifying.
    for (const cluster of done) {
      const known = facts.get(cluster.name);
      if (known !== undefined && !isUnchanged(known) && verify(known, policy) !== "Passed")
        draft.cluster(cluster, "Verifying");
    }
    if (done.some(({ state }) => state !== "Done")) {
      delete stage.soakingSince;
      draft.stage(stage, "Progressing");
      return { kind: "Going" };
    }
    stage.soakingSince ??= timestamp(draft.now);
    if (!draft.hasPassed(stage.soakingSince, durationMs(rules.soak))) {
      draft.stage(stage, "Soaking");
      return { kind: "Going" };
    }
  }
  if (policy.gate?.prometheus !== undefined) {
    const answer = input.gates.get(stage.name);
    if (answer === "Failed") {
      draft.stage(stage, "Failed");
      return { kind: "Failed", message: `stage ${stage.name}: the query of the gate did not pass` };
    }
    if (answer !== "Passed") {
      forward.ask(stage.name);
      draft.stage(stage, "Paused");
      const message =
        answer === undefined ? "the gate is being asked" : (input.gateProblems?.get(stage.name) ?? NO_ANSWER);
      return { kind: "Waits", pause: "Gate", message: `stage ${stage.name}: ${message}` };
    }
  }
  if (rules.approval === "Manual" && stage.approvedBy === undefined) {
    const { approvals, areApproversVerified = false, hasOldApprovals = false } = input.commands;
    const by = approvals.get(stage.name);
    if (by === undefined) {
      draft.stage(stage, "Paused");
      const old = hasOldApprovals ? "; approvals in the format of an earlier release do not count" : "";
      return { kind: "Waits", pause: "Gate", message: `${approvalText(stage.name)}${old}` };
    }
    stage.approvedBy = by;
    if (!areApproversVerified) stage.approverVerified = false;
  }
  if (forward.isHeld) return { kind: "Going" };
  draft.stage(stage, "Succeeded");
  return undefined;
}
