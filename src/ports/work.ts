import type { ObjectRef } from "../apis/index.ts";
import type { Row } from "../desiredstate/index.ts";
import type { GroupKind } from "../interpreter/index.ts";
import type { Origin } from "../observability/index.ts";
import type { ResourceType } from "../runtime/index.ts";

/** Version of the messages in this room. Both sides refuse another version. */
export const PROTOCOL_VERSION = 1;

/** How two processes know that the other one lives, in milliseconds. */
export interface Liveness {
  heartbeatMs: number;
  silentAfterMs: number;
}

/** How much of the work of an epoch a worker has taken: every change up to the revision. */
export interface WorkProgress {
  /** Term of the planner. A later planner has a greater epoch. */
  epoch: number;
  revision: number;
}

/** What a worker asks a planner for. */
export interface AssignmentRequest {
  version: number;
  /** Work that the worker has. The planner sends only later changes, if the epoch is still its own. Absent: no work. */
  since?: WorkProgress | undefined;
}

/** Change of one member object's row. A member object without a row is left alone. */
export interface RowDelta {
  ref: ObjectRef;
  /** Absent: the row was withdrawn. */
  row?: Row | undefined;
  /** Grows with every change in one epoch. An observation names the revision that the worker had taken. */
  revision: number;
  /** Origin of the plan that asked for the row. */
  origin?: Origin | undefined;
  /** The row was planned because the planner began, not because something has changed: changes go first. */
  backlog?: true | undefined;
}

export type WorkDelta =
  /** The planner does not know the work yet. The worker keeps the rows that it has. */
  | { kind: "NotSynced" }
  /** The first message of a stream that knows the work. `since`: only changes after this revision follow. */
  | { kind: "Start"; epoch: number; since?: number | undefined }
  /** Hub objects (by refKey) that have copies on the cluster by the hub's record. */
  | { kind: "Expected"; owners: readonly string[] }
  /** Kinds to watch. `others`: kinds that the hub need not serve, to be discovered on the member. */
  | { kind: "Kinds"; kinds: readonly ResourceType[]; others?: readonly GroupKind[] | undefined }
  /** `more`: further rows of the same change follow. */
  | { kind: "Rows"; rows: readonly RowDelta[]; more?: true | undefined }
  /** Turns the measurement of free room on the nodes on or off. */
  | { kind: "Capacity"; wanted: boolean }
  /**
   * Every row of the cluster has been sent since `Start`: a row that the worker had before, and that was not sent
   * again, is withdrawn.
   */
  | ({ kind: "End" } & SetSummary)
  /** The planner is alive. Without a summary: the set is not complete yet. */
  | ({ kind: "Heartbeat" } & Partial<SetSummary>);

/** Summary of all rows of one cluster, to find out what was lost on the way. */
export interface SetSummary {
  /** Every change up to this revision was sent. */
  revision: number;
  /** See {@link RowSum}. */
  checksum: number;
}

/** A message of one stream, numbered from 0. */
export type WorkMessage = WorkDelta & { seq: number };

/** The planner's side: the work for each cluster. */
export interface WorkSource {
  /**
   * Streams the work for one cluster until the signal aborts: first everything after `request.since`, then changes.
   * A stream that ends or fails is asked for again.
   */
  assignment(cluster: string, request: AssignmentRequest, signal: AbortSignal): AsyncIterable<WorkMessage>;
}
