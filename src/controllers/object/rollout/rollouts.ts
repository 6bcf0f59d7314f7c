import {
  defined,
  type FederatedStatus,
  fullMessage,
  type KeptRevision,
  type KubeObject,
  type Placement,
  policyKey,
  type RolloutStatus,
  timestamp,
} from "../../../apis/index.ts";
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
} from "../../../desiredstate/index.ts";
import type { ReadRevision } from "../../../hub/index.ts";
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
} from "../../../rollout/index.ts";
import {
  type BoundRun,
  commandsOf,
  type CommandSources,
  contentHash,
  type Gates,
  type Revisions,
  type RolloutSlots,
  tooLarge,
} from "../../facts/index.ts";
import { type Observations, refOfKey } from "../../tables/index.ts";

export interface RolloutSources extends CommandSources {
  observations: Observations;
  revisions: Revisions;
  gates: Gates;
  places: RolloutSlots;
}

export interface RolloutRequest {
  owner: string;
  object: KubeObject;
  placement: Placement | undefined;
  snapshot: Snapshot;
  target: Target;
  observations: () => readonly Observation[];
  /** The status on the hub. */
  status: FederatedStatus | undefined;
  /** Epoch milliseconds. */
  now: number;
}

export interface PlannedRollout {
  status: RolloutStatus;
  /** A cluster is still pending, or the proof of approvals is not known: no rows follow from the status yet. */
  awaitsContact: boolean;
  /** The target, with the previous content for clusters that do not get the new revision yet. */
  target: Target;
  lastGood: Target | undefined;
  /** Why the last good revision cannot be used. Clusters that wait for their turn then keep their present content. */
  unusable?: Why;
  turns: RolloutState;
  transitions: readonly Transition[];
  recheckAt?: number;
  /** Stages whose gates are to be asked. */
  asks: readonly string[];
  /** The revision has the content of the last good one. */
  isSameAsBefore: boolean;
}

export type RolloutPlan =
  | { kind: "NoRollout" }
  | { kind: "Refused"; why: Why }
  | ({ kind: "Rollout" } & PlannedRollout);

const NO_ROLLOUT: RolloutPlan = { kind: "NoRollout" };
const DEFAULT_HISTORY = 10;
const UNPROVEN_MS = 1_000;

/** `New`: no entry of the index has this content. `Open`: unknown until there is contact with the clusters. */
interface FoundRevision {
  kind: "Kept" | "New" | "Open";
  number: number;
}

/** Decides which revision each cluster gets in a staged rollout. Costs nothing if the policy has none. */
export class Rollouts {
  readonly #sources: RolloutSources;

  constructor(sources: RolloutSources) {
    this.#sources = sources;
  }

  async plan(request: RolloutRequest, signal: AbortSignal): Promise<RolloutPlan> {
    const { object, placement, snapshot, target, status, now } = request;
    const policy = placement?.spec.rollout;
    if (policy === undefined) return NO_ROLLOUT;
    const { revisions, hub, approversProvenSince } = this.#sources;
    const { revisions: index, ...run } = status?.rollout ?? {};
    const current = status?.rollout === undefined ? undefined : (run as RolloutStatus);
    const content = revisionOf(snapshot, target, placement, await this.#lastContent(request, signal));
    // The desired content is unknown: everything stays as it is, including the rollout.
    if (content === undefined) return NO_ROLLOUT;
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
    const { commands, isUnproven } = commandsOf({ hub, ...defined({ approversProvenSince }) }, object, number, sameRun);
    const names = clusters.map(({ name }) => name);
    const isUnknown = isUnproven || this.#awaitsContact(sameRun, names);
    const awaitsContact = found.kind === "Open" || (!isOver(sameRun) && isUnknown);
    const next = this.#advanced(request, {
      ...{ policy, current, revision: number, clusters, commands, awaitsContact },
      ...(unusable === undefined ? {} : { lastGoodUnusable: fullMessage(unusable.message) }),
    });
    const rollout = indexed(next.status, left);
    const turns = turnsOf(next, names, lastGood, target);
    const recheckAt = isUnproven ? Math.min(now + UNPROVEN_MS, next.recheckAt ?? Infinity) : next.recheckAt;
    return {
      kind: "Rollout",
      status: rollout,
      awaitsContact,
      target: { ...target, clusters: shown(target, lastGood, turns, unusable) },
      lastGood,
      ...defined({ unusable }),
      turns,
      transitions: next.transitions,
      ...defined({ recheckAt }),
      asks: next.asks,
      isSameAsBefore: last?.kind === "Proven" && isSameObject(content, last.content),
    };
  }

  /** The hub holds the state now: asks the gates, takes or frees the slot, and removes revisions beyond the history. */
  async settle(request: RolloutRequest, planned: PlannedRollout, signal: AbortSignal): Promise<void> {
    const { object, owner, placement } = request;
    const { gates, revisions } = this.#sources;
    const { revisions: index = [], ...status } = planned.status;
    const query = placement?.spec.rollout?.gate?.prometheus?.query;
    const isEnded = status.state === "Succeeded" || status.state === "RolledBack";
    if (query === undefined || isEnded) gates.forget(owner);
    else if (!planned.awaitsContact) gates.ask({ owner, query, status }, planned.asks);
    if (status.state === "Succeeded") await revisions.removeLeftovers(object, index, signal);
    this.#settlePlace(request, status, planned.isSameAsBefore);
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
   * The revision with this content. A status without an index (of an earlier Meridian) proves no revision: the object
   * keeps its number if every cluster already has the present content, and otherwise gets a new one.
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
      // An upgrade of Meridian must not roll out a rolled-back revision again.
      const { generation } = object.metadata;
      const isTakenBack =
        state === "RolledBack" && generation !== undefined && generation === status?.observedGeneration;
      if (isOnAll || isTakenBack) return { kind: "New", number: revision };
    }
    const numbers = (index ?? []).map((one) => one.revision);
    return { kind: "New", number: Math.max(0, ...numbers, revision ?? 0, lastGoodRevision ?? 0) + 1 };
  }

  /** The next state, given the answers of the gates. */
  #advanced(request: RolloutRequest, input: Omit<RolloutInput, "gates">): Advance {
    const { owner } = request;
    const { gates } = this.#sources;
    const query = input.policy.gate?.prometheus?.query;
    const replies = gates.replies({ owner, query, status: input.current });
    const answers = new Map([...replies].map(([stage, { answer }]) => [stage, answer]));
    const gateProblems = new Map([...replies].flatMap(([stage, { why }]) => (why === undefined ? [] : [[stage, why]])));
    return this.#inTurn(request, { ...input, gates: answers, gateProblems });
  }

  /** A run begins, or goes on after it yielded its slot, when the policy has a free slot for the object. */
  #inTurn(request: RolloutRequest, input: RolloutInput): Advance {
    const { now } = request;
    const bound = boundOf(request);
    if (bound === undefined) return advance(input, now);
    const { places } = this.#sources;
    const run = input.current?.revision === input.revision ? input.current : undefined;
    // A run under way goes on even if all slots are taken. A rolled-back run begins nothing.
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
   * A run holds its maxObjects slot until it ends. After a rollback it keeps the slot if the policy or a dependency
   * caused the failure, since the next object would fail in the same way, until another revision succeeds.
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

  /** The content that was rolled out last; read only if a dependency of the object may not be read now. */
  async #lastContent(
    { object, target, status }: RolloutRequest,
    signal: AbortSignal,
  ): Promise<RevisionContent | undefined> {
    const { revision, revisions: index } = status?.rollout ?? {};
    if (revision === undefined || !isUnreadable(target)) return undefined;
    const read = await this.#sources.revisions.read(object, index, revision, signal);
    return read.kind === "Proven" ? read.content : undefined;
  }

  /** The last good revision; undefined if there is none, or if it is the present revision. */
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

  /** True if a cluster of the run, or of the run to begin, is still pending: neither reached nor given up. */
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

/** Undefined if the policy does not limit the number of concurrent rollouts. */
function boundOf({ owner, placement }: RolloutRequest): BoundRun | undefined {
  const rules = placement?.spec.rollout;
  return placement === undefined || rules?.maxObjects === undefined
    ? undefined
    : { owner, policy: policyKey(placement), maxObjects: rules.maxObjects, rules };
}

/** A reader of the status may lack rights on other namespaces, so the text names no object there. */
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

/** True if observations of clusters cannot change the run any more. */
function isOver(run: RolloutStatus | undefined): boolean {
  return run?.state === "RolledBack" || (run?.state === "Succeeded" && !hasLateClusters(run));
}

/** The revision that a rollback returns to. After a successful run, that is the revision of that run. */
function lastGoodOf(current: RolloutStatus | undefined, revision: number): number | undefined {
  if (current === undefined) return undefined;
  return current.revision !== revision && current.state === "Succeeded" ? current.revision : current.lastGoodRevision;
}

function inUseBy(current: RolloutStatus | undefined, revision: number): Set<number> {
  const { revision: running, lastGoodRevision } = current ?? {};
  return new Set([revision, running, lastGoodRevision].filter((number) => number !== undefined));
}

/** Adds the index of kept revisions to the run. Without an index, no revision is proven. */
function indexed(status: RolloutStatus, kept: readonly KeptRevision[]): RolloutStatus {
  if (kept.length === 0) return status;
  const { state, since, revision } = status;
  const isGood = (one: KeptRevision): boolean => state === "Succeeded" && one.revision === revision;
  return {
    ...status,
    revisions: kept.map((one) => (isGood(one) && since !== undefined ? { ...one, succeededAt: since } : one)),
  };
}

/** The turn of each cluster. A cluster stays as it is if its last good revision is not known any more. */
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

/** Clusters that had the new revision and return, or have returned, to the last good revision. */
function goingBack({ state, stages = [] }: RolloutStatus): Set<string> {
  if (state !== "RollingBack" && state !== "RolledBack" && state !== "Paused") return new Set();
  const back = stages.flatMap(({ clusters = [] }) =>
    clusters.filter((cluster) => cluster.state === "RolledBack" || cluster.reason === "RollingBack"),
  );
  return new Set(back.map(({ name }) => name));
}

/** The clusters for the status. A waiting cluster is shown with its previous content. */
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
