/**
 * When the status of one hub object is written. Pure: times are milliseconds of a monotonic clock.
 *
 * A settled object writes the first change at once and gathers what follows. While a plan is being carried out everything is gathered from the
 * start, so that creating an object costs one or two writes instead of one for each cluster.
 */
export interface Gathering {
  /** Set while a plan is being carried out. */
  plannedAt: number | undefined;
  /** When the first of the plan's objects was seen to move. */
  movedAt: number | undefined;
  lastWriteAt: number;
  /** When the first change since the last write came. */
  changedAt: number;
}

/** After a write, changes are gathered for so long. */
export const GATHER_MS = 200;
/** No change waits longer than this while its object's plan is being carried out. */
export const LONGEST_MS = 1_000;
/** A plan of which nothing has begun (its rows wait in long queues) is told of after this. */
export const UNTOUCHED_MS = 5_000;
/** When many objects change at once even the first change is held back a little: their neighbours' changes come along. */
export const BUSY_GATHER_MS = 80;

/** The moment at which the next write is due. `complete`: every object of the plan is right or has failed. */
export function writeDue(gathering: Gathering, complete: boolean, busy: boolean): number {
  if (gathering.plannedAt !== undefined && !complete) {
    if (gathering.movedAt === undefined) return gathering.plannedAt + UNTOUCHED_MS;
    return Math.max(gathering.movedAt, gathering.lastWriteAt) + LONGEST_MS;
  }
  if (gathering.plannedAt !== undefined) return gathering.changedAt;
  const first = gathering.changedAt + (busy ? BUSY_GATHER_MS : 0);
  return Math.max(first, gathering.lastWriteAt + GATHER_MS);
}

/** Counts writes of the last second: above the limit, statuses are written less eagerly. */
export class WriteRate {
  #second = 0;
  #now = 0;
  #before = 0;
  static readonly BUSY_ABOVE = 40;

  count(monotonic: number): void {
    this.#turn(monotonic);
    this.#now += 1;
  }

  isBusy(monotonic: number): boolean {
    this.#turn(monotonic);
    return Math.max(this.#now, this.#before) > WriteRate.BUSY_ABOVE;
  }

  #turn(monotonic: number): void {
    const second = Math.floor(monotonic / 1_000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#now : 0;
    this.#now = 0;
    this.#second = second;
  }
}
