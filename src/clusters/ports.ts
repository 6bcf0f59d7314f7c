import { type Contact, type Message, type ObjectRef } from "../apis/index.ts";
import type { Observation, Row } from "../desiredstate/index.ts";
import type { GroupKind } from "../interpreter/index.ts";
import type { Origin } from "../observability/index.ts";
import type { ResourceType } from "../runtime/index.ts";
import type { CapacityReading } from "../scheduler/index.ts";

/**
 * The complete interface between a worker and the hub side. In one process the two ports are direct calls; over a
 * network they are the same messages.
 */

/** Change of one member object's row. A member object without a row is left alone. */
export interface RowDelta {
  ref: ObjectRef;
  row: Row | undefined;
  /** Grows with every change in one cluster. An observation names the revision that the worker had taken. */
  revision: number;
  /** Origin of the plan that asked for the row. */
  origin?: Origin | undefined;
}

export type WorkDelta =
  /** Sent first: hub objects (by refKey) that have copies on the cluster by the hub's record. */
  | { kind: "Expected"; owners: readonly string[] }
  /** Kinds to watch. `others`: kinds that the hub need not serve, to be discovered on the member. */
  | { kind: "Kinds"; kinds: readonly ResourceType[]; others?: readonly GroupKind[] }
  /** The first delta holds every row, later deltas hold changes. */
  | { kind: "Rows"; rows: readonly RowDelta[] }
  /** Turns the measurement of free room on the nodes on or off. */
  | { kind: "Capacity"; wanted: boolean };

export interface WorkSource {
  /** Streams the work for one cluster until the signal aborts: the complete state first, then changes. */
  assignment(cluster: string, signal: AbortSignal): AsyncIterable<WorkDelta>;
}

/** Contact with a cluster, and how much of its state is known. */
export interface ClusterContact extends Contact {
  /** The cluster answers and all our objects on it are known. So an unknown object does not exist. */
  synced: boolean;
  /** As `synced`, except for the kinds in `unreadable`, which cannot be read. */
  partlySynced?: boolean;
  /** No contact was tried yet, or the cluster answers and its read is not complete yet. */
  pending: boolean;
  /** Kinds (by `readabilityKey`) whose objects are not known although the cluster answers, with the reason. */
  unreadable: ReadonlyMap<string, Message>;
  /** Kinds (`group/Kind`) that the member does not serve, by its own answer. */
  unserved?: ReadonlySet<string>;
  /** Keys of `unreadable` that are unknown only because of a missing permission. */
  ungranted?: ReadonlySet<string>;
  /** Sentence with the command that grants all of {@link ungranted}; set when there are several. */
  grant?: Message;
}

/** True when both know the same part of the cluster. */
export function sameReadability(a: ClusterContact, b: ClusterContact): boolean {
  if (a.synced !== b.synced || a.partlySynced !== b.partlySynced || a.pending !== b.pending) return false;
  if (a.unreadable.size !== b.unreadable.size) return false;
  for (const [kind, why] of a.unreadable) if (b.unreadable.get(kind) !== why) return false;
  return true;
}

export interface ReportSink {
  /** Each observation replaces the previous one. An object without row and existence is reported once more. */
  report(cluster: string, observations: readonly Observation[]): void;
  /** Undefined when the MemberCluster is gone; the cluster's observations are forgotten then. */
  contact(cluster: string, contact: ClusterContact | undefined): void;
  /** Free room on the nodes. The value is identical when nothing has changed; undefined when no longer measured. */
  capacity(cluster: string, reading: CapacityReading | undefined): void;
}
