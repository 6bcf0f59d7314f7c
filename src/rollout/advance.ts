import { defined, type RolloutStatus, timestamp } from "../apis/index.ts";
import { GOING_BACK, goBack } from "./back.ts";
import { Draft } from "./draft.ts";
import { goForward } from "./forward.ts";
import { frozenPlan } from "./stages.ts";
import type { Advance, RolloutCluster, RolloutFacts, RolloutInput, Transition, Turn } from "./types.ts";

/**
 * Next state of an object's rollout (`now`: epoch milliseconds). A repeated call with the returned status changes
 * nothing.
 */
export function advance(input: RolloutInput, now: number): Advance {
  const { current, revision } = input;
  if (current?.revision === revision && current.state === "Succeeded" && !hasLateClusters(current))
    return { status: current, turns: NO_TURNS, others: "Target", transitions: [], asks: [] };
  const facts = new Map(input.clusters.map((one) => [one.name, one]));
  const begun = begin(input, now);
  const draft = new Draft(begun.status, now);
  const asks = new Set<string>();
  const rounds = input.awaitsContact === true ? 0 : MOST_ROUNDS;
  // One change may allow the next one, so the loop runs until nothing changes.
  for (let round = 0; round < rounds; round++) {
    const noted = draft.transitions.length;
    draft.recheckAt = Number.POSITIVE_INFINITY;
    asks.clear();
    carryOn(draft, input, facts, (stage) => asks.add(stage));
    if (draft.transitions.length === noted) break;
  }
  return {
    // The same status value tells callers that nothing changed.
    status: begun.status === current && isSame(current, draft.status) ? current : draft.status,
    ...turnsOf(draft.status, input),
    transitions: [...begun.transitions, ...draft.transitions],
    asks: [...asks],
    ...(draft.recheckAt === Number.POSITIVE_INFINITY ? {} : { recheckAt: draft.recheckAt }),
  };
}

/** More rounds than a run of 32 stages needs. */
const MOST_ROUNDS = 200;
const NO_TURNS: ReadonlyMap<string, Turn> = new Map();

function isSame(a: RolloutStatus, b: RolloutStatus): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Clusters that were unreachable when the run ended still get the new revision. */
export function hasLateClusters({ stages = [] }: RolloutStatus): boolean {
  return stages.some(({ clusters = [] }) =>
    clusters.some(({ state }) => state === "Deferred" || state === "Applying" || state === "Verifying"),
  );
}

interface Begun {
  status: RolloutStatus;
  transitions: Transition[];
}

/** The current run, or a new one that supersedes it. */
function begin({ current, revision, clusters }: RolloutInput, now: number): Begun {
  if (current?.revision === revision) return { status: current, transitions: [] };
  const transitions: Transition[] = [];
  const isOpen = current !== undefined && !["Succeeded", "RolledBack", "Superseded"].includes(current.state);
  if (current?.revision !== undefined && isOpen)
    transitions.push({ of: "Run", from: current.state, to: "Superseded", revision: current.revision });
  const lastGood = current?.state === "Succeeded" ? current.revision : current?.lastGoodRevision;
  const status: RolloutStatus = {
    state: "Planned",
    revision,
    ...defined({ lastGoodRevision: lastGood }),
    startedAt: timestamp(now),
    since: timestamp(now),
  };
  // The revision already runs everywhere, as when a policy gets its first rollout section. Record it as good.
  if (current === undefined && clusters.length > 0 && clusters.every(({ onTarget, wanted }) => onTarget && wanted))
    return { status: { ...status, state: "Succeeded", lastGoodRevision: revision, stages: [] }, transitions };
  transitions.push({ of: "Run", from: current?.state ?? "", to: "Planned", revision });
  return { status, transitions };
}

function carryOn(
  draft: Draft,
  input: RolloutInput,
  facts: ReadonlyMap<string, RolloutFacts>,
  ask: (stage: string) => void,
): void {
  const { status } = draft;
  const { policy, commands } = input;
  const isAborted = commands.abort === draft.revision && status.state !== "Succeeded";
  if (status.state === "Planned" && (input.waitsForTurn === undefined || isAborted)) {
    // The plan is frozen: clusters that join later wait for the next run. A run that yielded its turn keeps its plan.
    status.stages ??= frozenPlan(policy, input.clusters);
    draft.run("Progressing");
  } else if (status.state === "Planned" && status.stages === undefined) {
    waitForTurn(draft, input);
    return;
  }
  if (status.state === "RolledBack") return;
  const isStopped = status.state === "Paused" && STOPPED.has(status.reason ?? "");
  const isResumed = isStopped && resume(draft, input);
  if (status.reason === "RollbackFailed" && !isResumed) return;
  if (status.state === "RollingBack" || status.reason === "RollbackFailed" || (isAborted && canGoBack(draft, input))) {
    back(draft, input, facts);
    return;
  }
  if (isAborted) {
    draft.run("Paused", "User", `aborted; ${input.lastGoodUnusable ?? "there is no earlier revision to return to"}`);
    return;
  }
  // A run that paused for lack of a verdict goes on as soon as the verdict is known.
  if (isStopped && !isResumed && status.reason !== "Unknown") return;
  const isHeld = (commands.paused || input.waitsForTurn !== undefined) && status.state !== "Succeeded";
  const progress = goForward(draft, { input, facts, isHeld, ask });
  if (status.state === "Succeeded") return;
  switch (progress.kind) {
    case "Failed":
      if (policy.onFailure === "Rollback" && canGoBack(draft, input)) back(draft, input, facts, progress.message);
      else draft.run("Paused", "Failures", withoutWayBack(progress.message, input));
      return;
    case "Waits":
      draft.run("Paused", progress.pause, progress.message);
      return;
    case "Succeeded":
      draft.run("Succeeded");
      status.lastGoodRevision = draft.revision;
      return;
    case "Going":
      if (input.waitsForTurn !== undefined && (status.state === "Planned" || !commands.paused))
        waitForTurn(draft, input);
      else if (commands.paused)
        draft.run("Paused", "User", "paused by a person: `meridian rollout resume NAME` goes on");
      else draft.run("Progressing");
  }
}

/** Waits for a turn. A run that a person has paused asks for none. */
function waitForTurn(draft: Draft, { commands, waitsForTurn }: RolloutInput): void {
  if (commands.paused)
    draft.run("Planned", "User", "paused by a person, takes no turn: `meridian rollout resume NAME` goes on");
  else draft.run("Planned", "", waitsForTurn);
}

function back(draft: Draft, input: RolloutInput, facts: ReadonlyMap<string, RolloutFacts>, message?: string): void {
  const why = message ?? (draft.status.state === "RollingBack" ? draft.status.message : undefined);
  if (input.lastGoodUnusable !== undefined) {
    draft.run("Paused", "RollbackFailed", input.lastGoodUnusable);
    return;
  }
  if (draft.status.state !== "RollingBack") draft.run("RollingBack", "", why ?? "aborted");
  const way = goBack(draft, input, facts);
  if (way.kind === "RolledBack") draft.run("RolledBack", "", draft.status.message);
  else if (way.kind === "Failed") draft.run("Paused", "RollbackFailed", way.message);
}

function canGoBack({ status }: Draft, { lastGoodUnusable }: RolloutInput): boolean {
  const { revision, lastGoodRevision } = status;
  return lastGoodRevision !== undefined && lastGoodRevision !== revision && lastGoodUnusable === undefined;
}

/** The failure, and why a rollback that the policy asks for is impossible. */
function withoutWayBack(message: string, { policy, lastGoodUnusable }: RolloutInput): string {
  if (policy.onFailure !== "Rollback" || lastGoodUnusable === undefined) return message;
  return `${message}; ${lastGoodUnusable}`;
}

/** Pause reasons that a resume command ends. */
const STOPPED: ReadonlySet<string> = new Set(["Failures", "Unknown", "RollbackFailed"]);

/**
 * Obeys each resume command once: failed clusters, and those without a verdict, get another try. False without a new
 * command.
 */
function resume(draft: Draft, { commands: { resumedAt } }: RolloutInput): boolean {
  if (resumedAt === undefined || resumedAt === draft.status.resumedAt) return false;
  const { status } = draft;
  status.resumedAt = resumedAt;
  const isBack = status.reason === "RollbackFailed";
  for (const stage of draft.stages) {
    if (stage.state === "Failed" && !isBack) {
      draft.stage(stage, "Progressing");
      stage.startedAt = timestamp(draft.now);
    }
    for (const cluster of stage.clusters ?? []) {
      if (cluster.state === "Failed" && !isBack) draft.cluster(cluster, "Verifying");
      if (cluster.state === "Applying" || cluster.state === "Verifying") draft.restartClock(cluster);
      // To resume after Unknown is to go on without the unreachable clusters.
      if (cluster.state === "Deferred" && status.reason === "Unknown" && stage.state !== "Waiting")
        draft.cluster(cluster, "Skipped", "ClusterUnreachable");
    }
  }
  return true;
}

/** A waiting cluster keeps its old revision; one with neither revision stays as it is until its turn. */
function turnsOf(status: RolloutStatus, { clusters }: RolloutInput): Pick<Advance, "turns" | "others"> {
  if (status.state === "Succeeded") return { turns: lateTurns(status), others: "Target" };
  const others: Turn = "LastGood";
  if (status.state === "RolledBack") return { turns: NO_TURNS, others };
  const planned = new Map<string, RolloutCluster>();
  for (const { clusters: those = [] } of status.stages ?? []) for (const one of those) planned.set(one.name, one);
  const turns = new Map<string, Turn>();
  for (const facts of clusters) {
    const turn = turnOf(planned.get(facts.name), facts);
    if (turn !== others) turns.set(facts.name, turn);
  }
  return { turns, others };
}

/** Turns of late clusters, which keep their revision until the concurrency limit lets them change. */
function lateTurns({ stages = [] }: RolloutStatus): ReadonlyMap<string, Turn> {
  const late = stages.flatMap(({ clusters = [] }) => clusters.filter(({ state }) => state === "Deferred"));
  return late.length === 0 ? NO_TURNS : new Map(late.map(({ name }) => [name, "Keep"]));
}

function turnOf(cluster: RolloutCluster | undefined, { runs }: RolloutFacts): Turn {
  if (cluster?.reason === GOING_BACK) return "LastGood";
  switch (cluster?.state ?? "Waiting") {
    case "Applying":
    case "Verifying":
    case "Done":
    case "Failed":
      return "Target";
    case "Deferred":
      return "Keep";
    case "Waiting":
    case "Skipped":
      return runs === "LastGood" || runs === "Nothing" ? "LastGood" : "Keep";
    case "RolledBack":
      return "LastGood";
  }
}
