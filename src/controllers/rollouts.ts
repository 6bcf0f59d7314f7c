import {
  type FederatedStatus,
  type KubeObject,
  type Placement,
  ROLLOUT_COMMAND_ANNOTATION,
  rolloutCommandIn,
  type RolloutStatus,
  sameValue,
} from "../apis/index.ts";
import {
  computeTarget,
  type ClusterTarget,
  isUnreadable,
  type Observation,
  type RevisionContent,
  revisionHash,
  revisionOf,
  rolloutFacts,
  type RolloutState,
  type Snapshot,
  snapshotOfRevision,
  type Target,
  type Why,
} from "../desiredstate/index.ts";
import type { HubCache } from "../hub/index.ts";
import {
  advance,
  type Advance,
  hasLateClusters,
  type RolloutCommands,
  type RolloutInput,
  type Transition,
  type Turn,
} from "../rollout/index.ts";
import type { Gates } from "./gates.ts";
import type { Observations } from "./observations.ts";
import type { Revisions } from "./revisions.ts";

export interface RolloutSources {
  hub: HubCache;
  observations: Observations;
  revisions: Revisions;
  gates: Gates;
}

export interface RolloutRequest {
  /** Key of the object. */
  owner: string;
  object: KubeObject;
  placement: Placement | undefined;
  snapshot: Snapshot;
  target: Target;
  observations: () => readonly Observation[];
  /** The status that stands on the hub. */
  status: FederatedStatus | undefined;
  /** Epoch milliseconds. */
  now: number;
}

/** Where the rollout of an object is, and what each cluster gets. */
export interface Staged {
  status: RolloutStatus;
  /** The status stands on the hub like that: what follows from it may be handed to the workers. */
  isDurable: boolean;
  /** It is open of a cluster of the run if it can be reached and what is there: nothing follows from the status until that is known. */
  awaitsContact: boolean;
  /** The target, with what clusters have that are not to have the new revision yet. */
  target: Target;
  lastGood: Target | undefined;
  turns: RolloutState;
  transitions: readonly Transition[];
  recheckAt?: number;
}

export type RolloutPlan = { kind: "Unstaged" } | { kind: "Refused"; why: Why } | ({ kind: "Staged" } & Staged);

const UNSTAGED: RolloutPlan = { kind: "Unstaged" };
const DEFAULT_HISTORY = 10;

/** Says what every cluster of an object gets that is rolled out in stages. An object whose policy says nothing of rollouts costs nothing here. */
export class Rollouts {
  readonly #sources: RolloutSources;

  constructor(sources: RolloutSources) {
    this.#sources = sources;
  }

  /** Rejects with what the hub's client rejects with. */
  async plan(request: RolloutRequest, signal: AbortSignal): Promise<RolloutPlan> {
    const { object, placement, snapshot, target, status, now } = request;
    const policy = placement?.spec.rollout;
    if (policy === undefined) return UNSTAGED;
    const { revisions, hub } = this.#sources;
    const current = status?.rollout;
    const content = revisionOf(snapshot, target, placement, await this.#lastContent(request, current, signal));
    // Nobody can say what the object is to be: everything stays as it is, the rollout too.
    if (content === undefined) return UNSTAGED;
    const kept = await revisions.keep(object, content, revisionHash(content), signal);
    if (kept.kind === "Refused") return kept;
    const { number } = kept.revision;
    const lastGood = await this.#lastGood(request, current, number, signal);
    const limit = policy.revisionHistoryLimit ?? DEFAULT_HISTORY;
    await revisions.prune(object, limit, inUseBy(current, number), signal);
    const clusters = rolloutFacts({
      policy,
      target,
      lastGood,
      clusters: snapshot.clusters,
      labels: object.metadata.labels,
      observations: request.observations(),
      isKnown: (name) => this.#isKnown(name),
    });
    const run = current?.revision === number ? current : undefined;
    const commands = commandsOf(hub, object, number, run);
    const names = clusters.map(({ name }) => name);
    const awaitsContact = !isOver(run) && this.#awaitsContact(run, names);
    const next = this.#advanced(request, { policy, current, revision: number, clusters, commands, awaitsContact }, now);
    const isDurable = sameValue(next.status, current);
    const turns = turnsOf(next, names, lastGood, target);
    return {
      kind: "Staged",
      status: next.status,
      isDurable,
      awaitsContact,
      target: { ...target, clusters: shown(target, lastGood, turns) },
      lastGood,
      turns,
      transitions: next.transitions,
      ...(next.recheckAt === undefined ? {} : { recheckAt: next.recheckAt }),
    };
  }

  /** The next state, by what gates have answered; what they are to be asked is asked as soon as the hub holds the state that follows from it. */
  #advanced({ owner }: RolloutRequest, input: Omit<RolloutInput, "gates" | "mayBegin">, now: number): Advance {
    const { gates } = this.#sources;
    const query = input.policy.gate?.prometheus?.query;
    const replies = gates.replies({ owner, query, status: input.current });
    const answers = new Map([...replies].map(([stage, { answer }]) => [stage, answer]));
    const gateProblems = new Map([...replies].flatMap(([stage, { why }]) => (why === undefined ? [] : [[stage, why]])));
    const next = advance({ ...input, gates: answers, gateProblems, mayBegin: true }, now);
    const { status } = next;
    const isEnded = status.state === "Succeeded" || status.state === "RolledBack";
    if (query === undefined || isEnded) gates.forget(owner);
    else if (input.awaitsContact !== true && sameValue(status, input.current))
      gates.ask({ owner, query, status }, next.asks);
    return next;
  }

  /** What was rolled out last, where it is asked for: the object needs something that may not be read now. */
  async #lastContent(
    { object, target }: RolloutRequest,
    current: RolloutStatus | undefined,
    signal: AbortSignal,
  ): Promise<RevisionContent | undefined> {
    if (current?.revision === undefined || !isUnreadable(target)) return undefined;
    return await this.#sources.revisions.content(object, current.revision, signal);
  }

  /** What the object was when it was good last; undefined where it never was, or where somebody removed that revision. */
  async #lastGood(
    { object, snapshot, now }: RolloutRequest,
    current: RolloutStatus | undefined,
    revision: number,
    signal: AbortSignal,
  ): Promise<Target | undefined> {
    const number = lastGoodOf(current, revision);
    if (number === undefined || number === revision) return undefined;
    const content = await this.#sources.revisions.content(object, number, signal);
    return content === undefined ? undefined : computeTarget(snapshotOfRevision(content, snapshot), now);
  }

  /** Whether it is still open of a cluster of the run, or of one that would be in it, if it can be reached and what is there. */
  #awaitsContact(run: RolloutStatus | undefined, known: readonly string[]): boolean {
    const planned = run?.stages?.flatMap(({ clusters = [] }) => clusters.map(({ name }) => name));
    const isPlanned = planned === undefined ? undefined : new Set(planned);
    return known.some((name) => isPlanned?.has(name) !== false && this.#sources.observations.contactOf(name).pending);
  }

  #isKnown(cluster: string): boolean {
    const { ok, synced, partlySynced = false } = this.#sources.observations.contactOf(cluster);
    return ok && (synced || partlySynced);
  }
}

/** What is observed of clusters changes nothing of it any more. */
function isOver(run: RolloutStatus | undefined): boolean {
  return run?.state === "RolledBack" || (run?.state === "Succeeded" && !hasLateClusters(run));
}

/** The revision that a run returns to: of one that has succeeded, its own. */
function lastGoodOf(current: RolloutStatus | undefined, revision: number): number | undefined {
  if (current === undefined) return undefined;
  return current.revision !== revision && current.state === "Succeeded" ? current.revision : current.lastGoodRevision;
}

function inUseBy(current: RolloutStatus | undefined, revision: number): Set<number> {
  const { revision: running, lastGoodRevision } = current ?? {};
  return new Set([revision, running, lastGoodRevision].filter((number) => number !== undefined));
}

/** What people asked of this run of that revision; of one that has not begun, nothing was asked by its name. */
function commandsOf(
  hub: HubCache,
  object: KubeObject,
  revision: number,
  run: RolloutStatus | undefined,
): RolloutCommands {
  const holder = hub.kindOf(object)?.propagated === true ? hub.bindings.of(object) : object;
  const said = rolloutCommandIn(holder?.metadata.annotations?.[ROLLOUT_COMMAND_ANNOTATION]);
  const isMeant = said?.revision === revision && (said.run === undefined || said.run === run?.startedAt);
  if (!isMeant) return { paused: false, approvals: new Map() };
  const { paused = false, abort = false, resumedAt, approvals = {} } = said;
  return {
    paused,
    ...(abort ? { abort: revision } : {}),
    ...(resumedAt === undefined ? {} : { resumedAt }),
    // Admission sees to the name on objects; on a binding whoever writes the annotation could write any name into it.
    approvals: new Map(Object.entries(approvals).map(([stage, by]) => [stage, holder === object ? by : UNNAMED])),
  };
}

const UNNAMED = "unknown";

/** A cluster whose last good revision nobody knows any more is left as it is. */
function turnsOf(
  { status, turns, others }: Pick<Advance, "status" | "turns" | "others">,
  known: readonly string[],
  lastGood: Target | undefined,
  target: Target,
): RolloutState {
  const waiting = new Set<string>();
  const returning = new Set<string>();
  const kept = new Set<string>();
  const back = goingBack(status);
  const names = new Set([...known, ...target.clusters.map(({ name }) => name)]);
  for (const name of names) {
    const turn: Turn = turns.get(name) ?? others;
    if (turn === "Target") continue;
    if (turn === "Keep" || (lastGood === undefined && status.lastGoodRevision !== undefined)) kept.add(name);
    else if (back.has(name)) returning.add(name);
    else waiting.add(name);
  }
  return { waiting, returning, kept };
}

/** Clusters that had the new revision and get the last good one back, or have it again. */
function goingBack({ state, stages = [] }: RolloutStatus): Set<string> {
  if (state !== "RollingBack" && state !== "RolledBack" && state !== "Paused") return new Set();
  const back = stages.flatMap(({ clusters = [] }) =>
    clusters.filter((cluster) => cluster.state === "RolledBack" || cluster.reason === "RollingBack"),
  );
  return new Set(back.map(({ name }) => name));
}

/** What the status says of each cluster: of one that waits, what it had. */
function shown(
  target: Target,
  lastGood: Target | undefined,
  { waiting, returning, kept }: RolloutState,
): ClusterTarget[] {
  const before = new Map(lastGood?.clusters.map((cluster) => [cluster.name, cluster]));
  const clusters = new Map(target.clusters.map((cluster) => [cluster.name, cluster]));
  for (const name of [...waiting, ...(returning ?? [])]) {
    const last = before.get(name);
    if (last !== undefined) clusters.set(name, last);
    else if (lastGood !== undefined || waiting.has(name)) clusters.delete(name);
  }
  for (const name of kept ?? []) {
    const cluster = clusters.get(name) ?? before.get(name);
    if (cluster !== undefined) clusters.set(name, { ...cluster, frozen: true, frozenFor: KEPT });
  }
  return [...clusters.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const KEPT: Why = { reason: "RolloutWaiting", message: "what is there stays until its turn in the rollout comes" };

/** For a source: what people asked of the rollout has changed. */
export function changedCommand({
  object,
  old,
}: {
  object: { metadata: KubeObject["metadata"] };
  old?: { metadata: KubeObject["metadata"] } | undefined;
}): boolean {
  const [after, before] = [object, old].map((one) => one?.metadata.annotations?.[ROLLOUT_COMMAND_ANNOTATION]);
  return after !== before;
}
