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
  /** Undefined: the member object has no row, or no longer has one. */
  row: Row | undefined;
  /** Grows with every change in one cluster. An observation names the revision that the worker had taken. */
  revision: number;
  /** Origin of the plan that asked for the row. */
  origin?: Origin | undefined;
}

export type WorkDelta =
  /** Sent first: hub objects (by refKey) with copies on the cluster according to the hub's record. */
  | { kind: "Expected"; owners: readonly string[] }
  /**
   * Kinds to watch on the cluster; sent at once, and again on each change. `others`: kinds that the
   * hub need not serve, to be discovered on the member.
   */
  | { kind: "Kinds"; kinds: readonly ResourceType[]; others?: readonly GroupKind[] }
  /** The first delta holds every row, later deltas hold changes. */
  | { kind: "Rows"; rows: readonly RowDelta[] }
  /** Turns the measurement of free room on the cluster's nodes on or off. It is off initially. */
  | { kind: "Room"; wanted: boolean };

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
  /**
   * Takes changed observations. Each replaces the previous observation of the same member object. An object that does
   * not exist, has no row and is not being written is reported once more and then forgotten.
   */
  report(cluster: string, observations: readonly Observation[]): void;
  /**
   * Called when contact was made or lost, or when more or fewer kinds are known. Undefined when the MemberCluster is
   * gone; the cluster's observations are forgotten then.
   */
  contact(cluster: string, contact: ClusterContact | undefined): void;
  /**
   * Takes the free room on the cluster's nodes, or the reason why it could not be read. The value is identical to the
   * previous one when nothing has changed. Undefined when the measurement has stopped.
   */
  room(cluster: string, reading: CapacityReading | undefined): void;
}
