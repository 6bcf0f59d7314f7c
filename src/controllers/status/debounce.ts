import { OBJECT_FINALIZER } from "../../apis/index.ts";
import type { Debounce } from "../states/index.ts";

/** Decides when the status of one hub object is written. Pure: times are milliseconds of a monotonic clock. */

/** Time for which changes are collected after a write that closely followed another write. */
export const DEBOUNCE_MS = 200;
/** Time for which changes are collected after a first write. Other members usually follow within milliseconds. */
export const FIRST_DEBOUNCE_MS = 100;
/** A write after this time without a write is a first write. */
export const QUIET_MS = 1_000;
/** Longest wait of a change while the object's plan is being carried out, if the hub answers quickly. */
export const LONGEST_MS = 1_000;
/** Interval of progress reports to a slow hub, as a multiple of the time that a write takes. */
export const LONGEST_IN_WRITES = 10;
/** Interval of progress reports while many plans are carried out: each waits for its turn in the lanes. */
export const LONGEST_IN_CROWD_MS = 5_000;
/** Number of plans from which {@link LONGEST_IN_CROWD_MS} applies. */
export const CROWD = 32;
/** Time after which a plan is reported although none of its rows has taken effect (the rows wait in long queues). */
export const UNTOUCHED_MS = 5_000;
/** Delay of the first change when many objects change at once: other members' changes are written with it. */
export const BUSY_DEBOUNCE_MS = 80;

/**
 * When a deleted object has no copies left, it goes with its status. A last status is written only if something else
 * holds the object for longer than this.
 */
export const HELD_BY_OTHERS_MS = 2_000;
/** The same while Meridian's own finalizer remains: a hub that is slow to remove it must not get extra writes. */
const HELD_BY_US_MS = 20_000;

/** Milliseconds until the last status is written for an object that has had no copies for `goneMs`. */
export function heldFor(goneMs: number, finalizers: readonly string[] = []): number {
  if (!finalizers.includes(OBJECT_FINALIZER)) return Math.max(0, HELD_BY_OTHERS_MS - goneMs);
  // The delay is short, so that it is computed again soon: other finalizers may hold the object when ours is gone.
  return Math.min(HELD_BY_OTHERS_MS, Math.max(0, HELD_BY_US_MS - goneMs));
}

export interface HubLoad {
  busy: boolean;
  /** Recent duration of a status write, in milliseconds. */
  writeMs: number;
  plans: number;
}

/** The time at which the next write is due. `complete`: every object of the plan is in sync or has failed. */
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

/** A status that keeps changing is written at most five times a second. */
function pauseAfter({ lastWriteAt, earlierWriteAt }: Debounce): number {
  return lastWriteAt - earlierWriteAt < QUIET_MS ? DEBOUNCE_MS : FIRST_DEBOUNCE_MS;
}

const PARTS = 4;
const PART_MS = 1_000 / PARTS;

/**
 * Counts recent status writes and their duration. If writes are frequent or slow, statuses are written later, and so
 * fewer of them. A single limit would be crossed every other second: the limit for a calm hub is far lower.
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
