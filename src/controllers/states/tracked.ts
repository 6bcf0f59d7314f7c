import type { Why } from "../../desiredstate/index.ts";
import type { Cell } from "../tables/index.ts";

/**
 * Times that decide when the status of one hub object is written, in milliseconds of a monotonic clock.
 *
 * The status of a settled object is written at the first change, and then debounced, first shortly, then longer. While
 * rows are being carried out, it is debounced from the start: the creation of an object costs one or two writes.
 */
export interface Debounce {
  /** Time at which the rows that are being carried out were assigned; undefined if all rows are carried out. */
  plannedAt: number | undefined;
  /** Time at which the first of these rows took effect or failed. */
  movedAt: number | undefined;
  /** The present status says that the object is ready, and its generation does not show that the status is outdated. */
  saysReady: boolean;
  lastWriteAt: number;
  earlierWriteAt: number;
  /** Time of the first change since the last write. */
  changedAt: number;
}

export interface OpenTrouble {
  reason: string;
  since: string | undefined;
  message: string;
  /** The reason that has had a warning, or needs none. The end of such a trouble is always reported. */
  warned: string | undefined;
}

/** Troubles by cluster; the empty key stands for the trouble of the object as a whole. */
export type OpenTroubles = Map<string, OpenTrouble>;

/** Progress of one object that Events have reported, so that the end of each begun state is reported, too. */
export interface ObjectProgress {
  /** True while a change is on its way to the clusters; undefined before the first check in this process. */
  rollingOut: boolean | undefined;
  /** The object is new and has had no trouble so far: the Event `Scheduled` and the status say enough. */
  isQuiet: boolean;
  readonly troubles: OpenTroubles;
  /** Reasons for which the deletion of the object has waited. The status no longer shows a reason that is over. */
  waited: readonly string[];
}

/** The status of one hub object since its last write. */
export interface Tracked extends Debounce {
  /** Start of the change that is being carried out, in monotonic milliseconds. For the propagation metric. */
  propagating: number | undefined;
  change: string | undefined;
  /** The change was counted as late. */
  isLate: boolean;
  /** True if an input has changed since the status was last computed. */
  changed: boolean;
  /** The rollout rests in a new state. People wait for this state, so the report follows at once. */
  turned: boolean;
  /** Time at which all copies of a deleted object were first seen gone, in monotonic milliseconds. */
  goneAt: number | undefined;
  open: Cell | undefined;
  readonly progress: ObjectProgress;
  /** The sum of the member statuses that the hub refused last. `hash`: of the sum without its times. */
  refusedSum?: { hash: string; why: Why };
}
