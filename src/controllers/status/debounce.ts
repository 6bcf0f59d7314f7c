import { OBJECT_FINALIZER } from "../../apis/index.ts";

/**
 * When the status of one hub object is written. Pure: times are milliseconds of a monotonic clock.
 *
 * The status of a settled object is written at the first change, and then debounced: shortly at first, since what comes with the change comes at
 * once, and for longer where it goes on. While rows are being carried out the status is debounced
 * from the start, so that creating an object costs one or two writes instead of one for each cluster.
 */
export interface Debounce {
  /** When the rows that are being carried out were assigned; undefined when all of them are. */
  plannedAt: number | undefined;
  /** When the first of these rows was seen to take effect, or to fail. */
  movedAt: number | undefined;
  /** The status that stands there says that the object is ready, and its generation does not tell that this is of before. */
  saysReady: boolean;
  lastWriteAt: number;
  /** The write before that. */
  earlierWriteAt: number;
  /** When the first change since the last write came. */
  changedAt: number;
}

/** After a write that followed on another one, changes are collected for so long. */
export const DEBOUNCE_MS = 200;
/** After the first write in a while, changes are collected for so long: other members follow within milliseconds, as a rule. */
export const FIRST_DEBOUNCE_MS = 100;
/** A write after so long a time without one is the first. */
export const QUIET_MS = 1_000;
/** No change waits longer than this while its object's plan is being carried out, as long as the hub answers quickly. */
export const LONGEST_MS = 1_000;
/** A hub that answers slowly has enough to do: then progress is reported after so many times the time that a write takes. */
export const LONGEST_IN_WRITES = 10;
/** While many plans are carried out at once, each waits for its turn in the lanes, and its progress is reported after so long. */
export const LONGEST_IN_CROWD_MS = 5_000;
/** From so many plans on it is a crowd. */
export const CROWD = 32;
/** A plan of which nothing has begun (its rows wait in long queues) is reported after this. */
export const UNTOUCHED_MS = 5_000;
/** When many objects change at once even the first change is held back a little: their neighbours' changes come along. */
export const BUSY_DEBOUNCE_MS = 80;

/**
 * Of an object that is being deleted and of which nothing is left on any cluster the finalizer goes next, and the status with the object.
 * Only when something else holds the object for longer than this the last status is worth a write.
 */
export const HELD_BY_OTHERS_MS = 2_000;
/** The same while Meridian's own finalizer is still there: a hub that is slow to take it off needs no status of each such object as well. */
const HELD_BY_US_MS = 20_000;

/** Milliseconds until the last status of an object is worth a write, of which nothing has been left for `goneMs`. */
export function heldFor(goneMs: number, finalizers: readonly string[] = []): number {
  if (!finalizers.includes(OBJECT_FINALIZER)) return Math.max(0, HELD_BY_OTHERS_MS - goneMs);
  // Asked again soon: once the finalizer is off, others may hold the object.
  return Math.min(HELD_BY_OTHERS_MS, Math.max(0, HELD_BY_US_MS - goneMs));
}

/** How much the hub has to do. */
export interface HubLoad {
  /** Many statuses are being written. */
  busy: boolean;
  /** How long a status write takes of late, in milliseconds. */
  writeMs: number;
  /** How many plans are being carried out. */
  plans: number;
}

/** The moment at which the next write is due. `complete`: every object of the plan is right or has failed. */
export function writeDue(debounce: Debounce, complete: boolean, { busy, writeMs, plans }: HubLoad): number {
  if (debounce.plannedAt !== undefined && !complete) {
    const longest = plans >= CROWD ? LONGEST_IN_CROWD_MS : LONGEST_MS;
    if (debounce.movedAt === undefined) return debounce.plannedAt + (debounce.saysReady ? longest : UNTOUCHED_MS);
    return Math.max(debounce.movedAt, debounce.lastWriteAt) + Math.max(longest, writeMs * LONGEST_IN_WRITES);
  }
  if (debounce.plannedAt !== undefined) return debounce.changedAt;
  const first = debounce.changedAt + (busy ? BUSY_DEBOUNCE_MS : 0);
  return Math.max(first, debounce.lastWriteAt + pauseAfter(debounce));
}

/** How long changes are collected after the last write. A status that goes on changing is written five times a second at most. */
function pauseAfter({ lastWriteAt, earlierWriteAt }: Debounce): number {
  return lastWriteAt - earlierWriteAt < QUIET_MS ? DEBOUNCE_MS : FIRST_DEBOUNCE_MS;
}

/** A second is counted in so many parts, so that a burst shows soon. */
const PARTS = 4;
const PART_MS = 1_000 / PARTS;

/**
 * Counts the writes of late and how long they take: when there are many, or they are slow, statuses are written less eagerly.
 *
 * What is written less eagerly is also written less often, an object on three clusters once instead of two or three times. So the rate at
 * which the hub is calm again is far below the one at which it is busy: one limit for both would be crossed every other second, with a
 * burst of writes each time.
 */
export class WriteRate {
  #writeMs = 0;
  /** Number of the present part of a second. */
  #part = 0;
  /** Writes in the present part and in the second before it, newest first. */
  #writes: number[] = [0];
  /** The last part with more writes than {@link BUSY_ABOVE}; undefined while the hub is calm. */
  #busyAt: number | undefined;
  /** Writes in a quarter of a second. */
  static readonly BUSY_ABOVE = 10;
  /** Writes in a second. */
  static readonly CALM_BELOW = 15;

  count(monotonic: number): void {
    this.#turn(monotonic);
    const writes = (this.#writes[0] ?? 0) + 1;
    this.#writes[0] = writes;
    if (writes > WriteRate.BUSY_ABOVE) this.#busyAt = this.#part;
  }

  /** A write has taken so many milliseconds. */
  took(ms: number): void {
    this.#writeMs += (ms - this.#writeMs) / 8;
  }

  load(monotonic: number): Omit<HubLoad, "plans"> {
    this.#turn(monotonic);
    return { busy: this.#busyAt !== undefined, writeMs: this.#writeMs };
  }

  #turn(monotonic: number): void {
    const part = Math.floor(monotonic / PART_MS);
    const passed = part - this.#part;
    if (passed === 0) return;
    this.#part = part;
    const silent = Array.from({ length: Math.min(passed, PARTS + 1) }, () => 0);
    this.#writes = [...silent, ...this.#writes].slice(0, PARTS + 1);
    const lastSecond = this.#writes.reduce((sum, writes) => sum + writes, 0);
    const isOver = this.#busyAt !== undefined && part - this.#busyAt > PARTS;
    if (isOver && lastSecond < WriteRate.CALM_BELOW) this.#busyAt = undefined;
  }
}
