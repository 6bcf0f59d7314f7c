import type { Contact, ObjectRef } from "../apis/index.ts";
import type { Observation, Row } from "../desiredstate/index.ts";
import type { GroupKind } from "../interpreter/index.ts";
import type { Origin } from "../observability/index.ts";
import type { ResourceType } from "../runtime/index.ts";
import type { RoomReading } from "../scheduler/index.ts";

/**
 * All that a worker sees of the hub side, and all that the hub side sees of a worker. In one process the two ports are direct calls;
 * over a network they are the same messages.
 */

/** A change of one member object's row. Absence of a row means: leave the member object alone. */
export interface RowDelta {
  ref: ObjectRef;
  /** Undefined: no row (any more). */
  row: Row | undefined;
  /** Grows with every change in one cluster; an observation says which revision the worker had taken. */
  revision: number;
  /** Of the plan that asked for it. */
  origin?: Origin | undefined;
}

export type WorkDelta =
  /** First: hub objects (by refKey) of which the hub's record says that something of them is on the cluster. */
  | { kind: "Expected"; owners: readonly string[] }
  /**
   * The kinds to watch there; first at once, again when they change. `others`: kinds that the hub need not serve, to be found on the member
   * itself.
   */
  | { kind: "Kinds"; kinds: readonly ResourceType[]; others?: readonly GroupKind[] }
  /** First every row there is, then changes. */
  | { kind: "Rows"; rows: readonly RowDelta[] }
  /** Whether the room on the cluster's nodes is to be measured, when that changes; it is not, unless this was said. */
  | { kind: "Room"; wanted: boolean };

export interface WorkSource {
  /** What is to be done on one cluster: everything, then what changes, until the signal. */
  assignment(cluster: string, signal: AbortSignal): AsyncIterable<WorkDelta>;
}

/** Whether a cluster is heard of, and how much of it is known. */
export interface ClusterContact extends Contact {
  /** The cluster answers, and all objects of ours on it are known, so that an object that is not known does not exist. */
  synced: boolean;
  /** As `synced`, but for the objects of the kinds in `unseen`: these cannot be read. Trust is by kind. */
  partlySynced?: boolean;
  /** Neither reached nor given up yet, or reached but not read completely. */
  pending: boolean;
  /** Of what (`sightOf`) objects are not known though the cluster answers, and why. */
  unseen: ReadonlyMap<string, string>;
  /** Of these kinds (`group/Kind`) the member has said that it does not serve them. */
  unserved?: ReadonlySet<string>;
  /** What of `unseen` is not known for want of a right alone. */
  ungranted?: ReadonlySet<string>;
  /** What grants all of {@link ungranted} at once, where these are several: a whole sentence with the command. */
  grant?: string;
}

/** Whether both say that as much of the cluster is known. */
export function sameSight(a: ClusterContact, b: ClusterContact): boolean {
  if (a.synced !== b.synced || a.partlySynced !== b.partlySynced || a.pending !== b.pending) return false;
  if (a.unseen.size !== b.unseen.size) return false;
  for (const [kind, why] of a.unseen) if (b.unseen.get(kind) !== why) return false;
  return true;
}

export interface ReportSink {
  /**
   * Observations that changed; each replaces the one before of the same member object. An object that does not exist, has no row, and
   * is not being written is reported once more and then forgotten.
   */
  report(cluster: string, observations: readonly Observation[]): void;
  /**
   * Contact was made or lost, or more or fewer kinds of the cluster are known; undefined when the MemberCluster is gone (the cluster's
   * observations are forgotten with it).
   */
  contact(cluster: string, contact: ClusterContact | undefined): void;
  /**
   * The room on the cluster's nodes was read, or could not be, and why; the same value as before where nothing has changed. Undefined when it is not
   * measured any more.
   */
  room(cluster: string, reading: RoomReading | undefined): void;
}
