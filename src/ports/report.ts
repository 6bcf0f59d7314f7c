import type { Contact, Message } from "../apis/index.ts";
import type { Observation } from "../desiredstate/index.ts";
import type { CapacityReading } from "../scheduler/index.ts";

/** One connection of a worker to the receiver of its reports. */
export interface ReportSession {
  version: number;
  /** Unique for the worker. */
  worker: string;
  /** Grows with every session of the worker. */
  number: number;
  /** Epoch of the assignment that the worker follows. The receiver takes nothing from an older epoch. */
  epoch: number;
}

/** Contact with a cluster, and how much of its state is known. */
export interface ContactReport extends Contact {
  /** The cluster answers and all our objects on it are known. So an unknown object does not exist. */
  synced: boolean;
  /** As `synced`, except for the kinds in `unreadable`, which cannot be read. */
  partlySynced?: boolean | undefined;
  /** No contact was tried yet, or the cluster answers and its read is not complete yet. */
  pending: boolean;
  /** Kinds (by `readabilityKey`) whose objects are not known although the cluster answers, with the reason. */
  unreadable?: readonly { kind: string; why: Message }[] | undefined;
  /** Kinds (`group/Kind`) that the member does not serve, by its own answer. */
  unserved?: readonly string[] | undefined;
  /** Those of `unreadable` that are unknown only because of a missing permission. */
  ungranted?: readonly string[] | undefined;
  /** Sentence with the command that grants all of `ungranted`; set when there are several. */
  grant?: Message | undefined;
}

/** Free room on the nodes. `Unchanged`: measured again, with the result of the last measurement. */
export type CapacityReport = { reading: CapacityReading } | "Unchanged" | "Stopped";

/** One batch. The receiver takes all parts at once: nobody sees the contact without the observations. */
export interface Report {
  /** Numbered from 0 in each session. */
  seq: number;
  /** Each observation replaces the previous one. An object without row and existence is reported once more. */
  observations?: readonly Observation[] | undefined;
  contact?: ContactReport | undefined;
  capacity?: CapacityReport | undefined;
  /**
   * Since the session began, everything was reported that the worker knows: what was not named does not exist for the
   * worker. `revision`: the worker had taken all rows up to this revision.
   */
  complete?: { revision: number } | undefined;
}

/** What a receiver tells the sender. */
export type ReportAnswer =
  /** Reports were lost, or the receiver is new: the sender opens another session and reports everything. */
  | { kind: "Resync"; why: string }
  /** Another worker reports for the cluster now, or the epoch is over. */
  | { kind: "Superseded"; why: string };

export interface ReportChannel extends Disposable {
  send(report: Report): void;
}

/** The planner's side: takes what is reported of the members. */
export interface ReportSink {
  /**
   * Begins a session. From now on, reports of an earlier session of the cluster change nothing. The first reports, up
   * to the first with `complete`, hold everything that the worker knows.
   */
  open(cluster: string, session: ReportSession, answer: (answer: ReportAnswer) => void): ReportChannel;
}
