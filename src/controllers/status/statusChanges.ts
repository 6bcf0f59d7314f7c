import { refKey, refOf, type RolloutStatus } from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { Clock, Enqueue } from "../../runtime/index.ts";
import type { AssignmentChange, Assignments, ObservationChange, Observations } from "../tables/index.ts";
import type { ObjectStates, PlanChange, Tracked } from "../states/index.ts";
import { heldFor, writeDue, WriteRate } from "./debounce.ts";
import { awaitsAnswer, hasBegun, openCell, type RowProgressSources } from "./rowProgress.ts";
import { newTracked, noteRows, saysReady } from "./trackedStatus.ts";

export interface StatusChangesOptions {
  hub: HubCache;
  states: ObjectStates;
  assignments: Assignments;
  observations: Observations;
  clock: Pick<Clock, "monotonic">;
}

/** States in which a rollout stays until a person or a new change moves the rollout on. */
const RESTING: ReadonlySet<RolloutStatus["state"]> = new Set(["Planned", "Paused", "RolledBack", "Succeeded"]);

/** The changes of inputs of each status since its last write, and the time at which the next write is due. */
export class StatusChanges {
  readonly #options: StatusChangesOptions;
  /** Objects whose plan is being carried out: those whose records have `plannedAt`. */
  readonly #carriedOut = new Set<string>();
  readonly #rate = new WriteRate();
  readonly #rows: RowProgressSources;

  constructor(options: StatusChangesOptions) {
    this.#options = options;
    const { states, assignments, observations } = options;
    this.#rows = { states, assignments, observations };
  }

  /** Undefined if this manager does not write the status of the object. */
  get(owner: string): Tracked | undefined {
    return this.#options.states.get(owner)?.tracked;
  }

  /** Carries out the write of a status, and notes its time and duration. */
  async writing(tracked: Tracked, write: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    tracked.earlierWriteAt = tracked.lastWriteAt;
    tracked.lastWriteAt = clock.monotonic();
    this.#rate.count(tracked.lastWriteAt);
    await write();
    this.#rate.took(clock.monotonic() - tracked.lastWriteAt);
  }

  isDeletion(owner: string): boolean {
    const plan = this.#options.states.planOf(owner);
    // An object that could not be planned is not being deleted.
    return plan !== undefined && plan.target === undefined && plan.failure === undefined;
  }

  goneFor(owner: string, tracked: Tracked, now: number): number {
    if (!this.isDeletion(owner) || !this.isComplete(owner, tracked) || awaitsAnswer(this.#rows, owner)) {
      tracked.goneAt = undefined;
      return 0;
    }
    tracked.goneAt ??= now;
    return heldFor(now - tracked.goneAt, this.#options.hub.object(owner)?.object.metadata.finalizers);
  }

  planned({ owner, before, after }: PlanChange, enqueue: Enqueue): void {
    if (after?.ours !== true) {
      this.#forget(owner);
      return;
    }
    const tracked = this.#track(owner);
    // A deletion is carried out like a plan and replaces the previous plan.
    if (after.target === undefined && before?.target !== undefined) this.carriedThrough(owner, tracked);
    const [was, is] = [before?.rollout, after.rollout];
    // After a restart, the report that stands there may say so already.
    if (was !== undefined && is !== undefined && RESTING.has(is.state))
      tracked.turned ||= was.state !== is.state || was.reason !== is.reason;
    this.changed(owner, enqueue);
  }

  assigned({ owner }: AssignmentChange, enqueue: Enqueue): void {
    const tracked = this.get(owner);
    if (tracked === undefined) return;
    const { clock, hub, states } = this.#options;
    const now = clock.monotonic();
    noteRows(tracked, states.planOf(owner), now);
    const isComplete = this.isComplete(owner, tracked);
    if (!isComplete) {
      tracked.plannedAt = now;
      // A deletion counts as begun: most copies are gone while progress is collected, and cost no write.
      tracked.movedAt = this.isDeletion(owner) ? now : undefined;
      const { object, kind } = hub.object(owner) ?? {};
      tracked.saysReady = object !== undefined && saysReady(object, hub.statuses.of(object, kind));
      this.#carriedOut.add(owner);
    }
    this.changed(owner, enqueue, isComplete);
  }

  observed(change: ObservationChange, enqueue: Enqueue): void {
    for (const owner of this.#options.assignments.ownersOfChange(change)) this.changed(owner, enqueue);
  }

  changed(owner: string, enqueue: Enqueue, isComplete?: boolean): void {
    const tracked = this.#noteChange(owner);
    if (tracked === undefined) return;
    const isBacklog = this.#options.states.get(owner)?.isBacklog === true;
    enqueue(owner, Math.max(0, this.dueIn(owner, tracked, isComplete)), isBacklog ? "Backlog" : "Change");
  }

  /** Records that an input of the status has changed; undefined if this manager does not write that status. */
  #noteChange(owner: string): Tracked | undefined {
    const tracked = this.get(owner);
    if (tracked === undefined) return undefined;
    const now = this.#options.clock.monotonic();
    const { plannedAt, movedAt } = tracked;
    if (movedAt === undefined && plannedAt !== undefined && hasBegun(this.#rows, owner, plannedAt))
      tracked.movedAt = now;
    if (!tracked.changed) tracked.changedAt = now;
    tracked.changed = true;
    return tracked;
  }

  /** The objects with rows, copies or a plan on the cluster. Yields undefined where the caller may pause. */
  *changedOn(cluster: string): Iterable<string | undefined> {
    const { assignments, observations, states } = this.#options;
    const seen = new Set<string>();
    const isNew = (owner: string): boolean =>
      !seen.has(owner) && seen.add(owner).has(owner) && this.#noteChange(owner) !== undefined;
    for (const cell of assignments.in(cluster)) for (const owner of cell.rows.keys()) if (isNew(owner)) yield owner;
    for (const { present } of observations.in(cluster)) {
      const owner = present?.owner === undefined ? undefined : refKey(present.owner);
      if (owner !== undefined && isNew(owner)) yield owner;
    }
    for (const [owner, { target }] of states.plans()) {
      const isThere = target?.clusters.some(({ name }) => name === cluster) === true;
      yield isThere && isNew(owner) ? owner : undefined;
    }
  }

  *changedIn(namespace: string): Iterable<string> {
    for (const object of this.#options.hub.objectsIn(namespace)) {
      const owner = refKey(refOf(object));
      if (this.#noteChange(owner) !== undefined) yield owner;
    }
  }

  #track(owner: string): Tracked {
    const known = this.get(owner);
    if (known !== undefined) return known;
    const tracked = newTracked();
    this.#options.states.setPart(owner, "tracked", tracked);
    return tracked;
  }

  #forget(owner: string): void {
    this.#options.states.clear(owner, "tracked");
    this.#carriedOut.delete(owner);
  }

  /** Number of changes without stages that are not everywhere after that time. Each is counted once. */
  countLate(now: number, afterMs: number): number {
    let late = 0;
    for (const [owner, { rollout }] of this.#options.states.plans()) {
      const tracked = this.get(owner);
      if (rollout !== undefined || tracked?.propagating === undefined) continue;
      if (tracked.isLate || now - tracked.propagating <= afterMs) continue;
      tracked.isLate = true;
      late += 1;
    }
    return late;
  }

  carriedThrough(owner: string, tracked: Tracked): void {
    tracked.plannedAt = undefined;
    this.#carriedOut.delete(owner);
  }

  dueIn(
    owner: string,
    tracked: Tracked,
    isComplete = tracked.plannedAt === undefined || this.isComplete(owner, tracked),
  ): number {
    if (tracked.turned) return 0;
    const now = this.#options.clock.monotonic();
    const load = { ...this.#rate.load(now), plans: this.#carriedOut.size };
    return writeDue(tracked, isComplete, load) - now;
  }

  isComplete(owner: string, tracked: Tracked): boolean {
    tracked.open = openCell(this.#rows, owner, tracked.open);
    return tracked.open === undefined;
  }
}
