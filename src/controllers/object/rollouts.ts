import {
  defined,
  type FederatedStatus,
  type KeptRevision,
  type KubeObject,
  type Placement,
  policyKey,
  type RolloutStatus,
  sameValue,
  timestamp,
} from "../../apis/index.ts";
import {
  computeTarget,
  type ClusterTarget,
  isSameObject,
  isUnreadable,
  type Observation,
  type RevisionContent,
  revisionOf,
  rolloutFacts,
  type RolloutState,
  type Snapshot,
  snapshotOfRevision,
  type Target,
  type Why,
} from "../../desiredstate/index.ts";
import type { ReadRevision } from "../../hub/index.ts";
import {
  advance,
  type Advance,
  hasLateClusters,
  type RolloutFacts,
  type RolloutInput,
  type RolloutPolicy,
  stopOf,
  type Transition,
  type Turn,
} from "../../rollout/index.ts";
import {
  type BoundRun,
  commandsOf,
  type CommandSources,
  contentHash,
  type Gates,
  type Revisions,
  type RolloutSlots,
  tooLarge,
} from "../facts/index.ts";
import { type Observations, refOfKey } from "../tables/index.ts";

export interface RolloutSources extends CommandSources {
  observations: Observations;
  revisions: Revisions;
  gates: Gates;
  places: RolloutSlots;
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
  /** Why the last good revision cannot be used, so that clusters that wait for their turn keep what they have. */
  unusable?: Why;
  turns: RolloutState;
  transitions: readonly Transition[];
  recheckAt?: number;
}

export type RolloutPlan = { kind: "Unstaged" } | { kind: "Refused"; why: Why } | ({ kind: "Staged" } & Staged);

const UNSTAGED: RolloutPlan = { kind: "Unstaged" };
const DEFAULT_HISTORY = 10;
/** When to ask again whether approvals are proven. */
const UNPROVEN_MS = 1_000;

/** `New`: no entry of the index has that content yet. `Open`: nobody can tell before the clusters have been heard of. */
interface FoundRevision {
  kind: "Kept" | "New" | "Open";
  number: number;
}

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
    const { revisions } = this.#sources;
    const { revisions: index, ...run } = status?.rollout ?? {};
    const current = status?.rollout === undefined ? undefined : (run as RolloutStatus);
    const content = revisionOf(snapshot, target, placement, await this.#lastContent(request, signal));
    // Nobody can say what the object is to be: everything stays as it is, the rollout too.
    if (content === undefined) return UNSTAGED;
    const hash = contentHash(content);
    if (hash === undefined) return { kind: "Refused", why: tooLarge(object) };
    const factsBeside = (last: Target | undefined): RolloutFacts[] => this.#facts(request, policy, last);
    const found = this.#find(request, hash, () => factsBeside(undefined));
    const { number } = found;
    const kept =
      found.kind === "New" ? await revisions.keep(object, { content, hash, number, index }, signal) : undefined;
    if (kept?.kind === "Refused") return kept;
    const last = await this.#lastGood(request, number, signal);
    const lastGood =
      last?.kind === "Proven" ? computeTarget(snapshotOfRevision(last.content, snapshot), now) : undefined;
    const unusable = last?.kind === "Unusable" ? last.why : undefined;
    const bounds = { limit: policy.revisionHistoryLimit ?? DEFAULT_HISTORY, inUse: inUseBy(current, number) };
    const named = [...(index ?? []), ...(kept === undefined ? [] : [kept.revision])];
    const left = await revisions.prune(object, named, bounds, signal);
    const clusters = factsBeside(lastGood);
    const sameRun = current?.revision === number ? current : undefined;
    const { commands, isUnproven } = commandsOf(this.#sources, object, number, sameRun);
    const names = clusters.map(({ name }) => name);
    const isUnknown = isUnproven || this.#awaitsContact(sameRun, names);
    const awaitsContact = found.kind === "Open" || (!isOver(sameRun) && isUnknown);
    const next = this.#advanced(request, {
      ...{ policy, current, revision: number, clusters, commands, awaitsContact },
      ...(unusable === undefined ? {} : { lastGoodUnusable: unusable.message }),
    });
    const rollout = indexed(next.status, left);
    const isDurable = sameValue(rollout, status?.rollout);
    if (isDurable && next.status.state === "Succeeded") await revisions.removeLeftovers(object, left, signal);
    if (isDurable)
      this.#settlePlace(request, next.status, last?.kind === "Proven" && isSameObject(content, last.content));
    const turns = turnsOf(next, names, lastGood, target);
    const recheckAt = isUnproven ? Math.min(now + UNPROVEN_MS, next.recheckAt ?? Infinity) : next.recheckAt;
    return {
      kind: "Staged",
      status: rollout,
      isDurable,
      awaitsContact,
      target: { ...target, clusters: shown(target, lastGood, turns, unusable) },
      lastGood,
      ...defined({ unusable }),
      turns,
      transitions: next.transitions,
      ...defined({ recheckAt }),
    };
  }

  #facts(request: RolloutRequest, policy: RolloutPolicy, lastGood: Target | undefined): RolloutFacts[] {
    const { target, snapshot, object } = request;
    return rolloutFacts({
      policy,
      target,
      lastGood,
      clusters: snapshot.clusters,
      labels: object.metadata.labels,
      observations: request.observations(),
      isKnown: (name) => this.#isKnown(name),
    });
  }

  /**
   * The revision with that content. A status without an index is of an earlier version: nothing proves what its revisions hold. The object is at
   * its revision still where every cluster has what the object is now. Otherwise the object gets a new one.
   */
  #find({ status, object }: RolloutRequest, hash: string, facts: () => RolloutFacts[]): FoundRevision {
    const { revisions: index, revision, lastGoodRevision, state } = status?.rollout ?? {};
    const present = index?.find((one) => one.hash === hash);
    if (present !== undefined) return { kind: "Kept", number: present.revision };
    if (revision !== undefined && index === undefined) {
      const clusters = facts();
      const names = clusters.map(({ name }) => name);
      if (this.#awaitsContact(undefined, names)) return { kind: "Open", number: revision };
      const isOnAll = clusters.length > 0 && clusters.every(({ onTarget }) => onTarget);
      // What was taken back is not rolled out again by an upgrade.
      const { generation } = object.metadata;
      const isTakenBack =
        state === "RolledBack" && generation !== undefined && generation === status?.observedGeneration;
      if (isOnAll || isTakenBack) return { kind: "New", number: revision };
    }
    const numbers = (index ?? []).map((one) => one.revision);
    return { kind: "New", number: Math.max(0, ...numbers, revision ?? 0, lastGoodRevision ?? 0) + 1 };
  }

  /** The next state, by what gates have answered; what they are to be asked is asked as soon as the hub holds the state that follows from it. */
  #advanced(request: RolloutRequest, input: Omit<RolloutInput, "gates">): Advance {
    const { owner } = request;
    const { gates } = this.#sources;
    const query = input.policy.gate?.prometheus?.query;
    const replies = gates.replies({ owner, query, status: input.current });
    const answers = new Map([...replies].map(([stage, { answer }]) => [stage, answer]));
    const gateProblems = new Map([...replies].flatMap(([stage, { why }]) => (why === undefined ? [] : [[stage, why]])));
    const next = this.#inTurn(request, { ...input, gates: answers, gateProblems });
    const { status } = next;
    const isEnded = status.state === "Succeeded" || status.state === "RolledBack";
    if (query === undefined || isEnded) gates.forget(owner);
    else if (input.awaitsContact !== true && sameValue(status, input.current))
      gates.ask({ owner, query, status }, next.asks);
    return next;
  }

  /** A run that has not begun begins when the policy lets another object in; so does one go on that has yielded its turn. */
  #inTurn(request: RolloutRequest, input: RolloutInput): Advance {
    const { now } = request;
    const bound = boundOf(request);
    if (bound === undefined) return advance(input, now);
    const { places } = this.#sources;
    const run = input.current?.revision === input.revision ? input.current : undefined;
    // What is under way goes on, whoever has the places; what was taken back begins nothing.
    const isOpen = run === undefined || run.state === "Planned" || run.state === "Paused";
    if (!isOpen || (run?.state === "Paused" && places.has(bound))) return advance(input, now);
    const queued = advance({ ...input, waitsForTurn: waitingText(places, bound) }, now);
    const { state, reason } = queued.status;
    if (state !== "Planned" || reason === "User" || input.awaitsContact === true) return queued;
    if (places.mayBegin(bound)) return advance(input, now);
    const yieldsAt = Math.min(
      ...places
        .stoppedBefore(bound)
        .map((stop) => stop.yieldsAt)
        .filter((at) => at > now),
    );
    return yieldsAt === Infinity ? queued : { ...queued, recheckAt: Math.min(queued.recheckAt ?? Infinity, yieldsAt) };
  }

  /**
   * A run has its place for as long as it is under way. One that was taken back has it, too, where the policy or what it brings along was at fault and not
   * the object: the next object would get the same. It gives the place up when it gets another revision that does well.
   */
  #settlePlace(request: RolloutRequest, status: RolloutStatus, isSameAsBefore: boolean): void {
    const { places } = this.#sources;
    const { state, reason } = status;
    const bound = boundOf(request);
    const isOver = state === "Succeeded" || (state === "RolledBack" && !isSameAsBefore);
    if (bound === undefined || isOver || (state === "Planned" && reason === "User")) {
      places.release(request.owner);
      return;
    }
    if (state === "Planned") return;
    const stop = stopOf(bound.rules, status);
    if (stop === undefined) places.keep(bound);
    else places.stop(bound, stop);
  }

  /** What was rolled out last, where it is asked for: the object needs something that may not be read now. */
  async #lastContent(
    { object, target, status }: RolloutRequest,
    signal: AbortSignal,
  ): Promise<RevisionContent | undefined> {
    const { revision, revisions: index } = status?.rollout ?? {};
    if (revision === undefined || !isUnreadable(target)) return undefined;
    const read = await this.#sources.revisions.read(object, index, revision, signal);
    return read.kind === "Proven" ? read.content : undefined;
  }

  /** What the object was when it was good last; undefined where it never was. */
  async #lastGood(
    { object, status }: RolloutRequest,
    revision: number,
    signal: AbortSignal,
  ): Promise<ReadRevision | undefined> {
    const current = status?.rollout;
    const number = lastGoodOf(current, revision);
    if (number === undefined || number === revision) return undefined;
    return await this.#sources.revisions.read(object, current?.revisions, number, signal);
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

/** Undefined where the policy does not bound how many objects are rolled out at once. */
function boundOf({ owner, placement }: RolloutRequest): BoundRun | undefined {
  const rules = placement?.spec.rollout;
  return placement === undefined || rules?.maxObjects === undefined
    ? undefined
    : { owner, policy: policyKey(placement), maxObjects: rules.maxObjects, rules };
}

/** Whoever reads the status of an object may read its namespace, and perhaps no other one. */
function waitingText(places: RolloutSlots, run: BoundRun): string {
  const limit = places.limitOf(run);
  const what = `waits for its turn: ${limit === 1 ? "one object" : `${limit} objects`} of the policy at once (maxObjects)`;
  const [first, ...others] = places.stoppedBefore(run);
  if (first === undefined) return what;
  const [own, that] = [refOfKey(run.owner), refOfKey(first.owner)];
  const isNear = own.namespace === that.namespace;
  const who = isNear ? `${that.kind} ${that.name}` : "an object of another namespace";
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const until = isNear ? "" : ` until ${timestamp(first.yieldsAt)}`;
  return `${what}; ${who}${more} has stopped and keeps its turn${until}`;
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

/** The run, with the revisions that are kept; the one that has succeeded says when. Empty: none is proven yet. */
function indexed(status: RolloutStatus, kept: readonly KeptRevision[]): RolloutStatus {
  if (kept.length === 0) return status;
  const { state, since, revision } = status;
  const isGood = (one: KeptRevision): boolean => state === "Succeeded" && one.revision === revision;
  return {
    ...status,
    revisions: kept.map((one) => (isGood(one) && since !== undefined ? { ...one, succeededAt: since } : one)),
  };
}

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
  unusable: Why | undefined,
): ClusterTarget[] {
  const before = new Map(lastGood?.clusters.map((cluster) => [cluster.name, cluster]));
  const clusters = new Map(target.clusters.map((cluster) => [cluster.name, cluster]));
  for (const name of [...waiting, ...(returning ?? [])]) {
    const last = before.get(name);
    if (last !== undefined) clusters.set(name, { ...last, wanted: clusters.get(name)?.objects ?? [] });
    else if (lastGood !== undefined || waiting.has(name)) clusters.delete(name);
  }
  for (const name of kept ?? []) {
    const next = clusters.get(name);
    const cluster = next ?? before.get(name);
    if (cluster === undefined) continue;
    const wanted = next === undefined ? { wanted: [] } : {};
    clusters.set(name, { ...cluster, ...wanted, frozen: true, frozenFor: unusable ?? KEPT });
  }
  return [...clusters.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const KEPT: Why = { reason: "RolloutWaiting", message: "what is there stays until its turn in the rollout comes" };
