import type { Contact, MemberClusterStatus } from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import type { ConnectionSettings } from "./connections.ts";
import type { ReportSession } from "./report.ts";

/** Reason of the contact before the first result. It is never written to a status. */
export const NOT_YET_KNOWN = "Connecting";

/** True except for the time of the last contact, which changes with each probe. */
export function sameContact(a: Contact, b: Contact): boolean {
  return a.ok === b.ok && a.reason === b.reason && a.message === b.message;
}

/** Findings about a cluster. An absent value says nothing. */
export interface ClusterFindings {
  kubernetesVersion?: string | undefined;
  /** `group/version` of each served API, in any order. */
  apis?: readonly string[] | undefined;
  /** Null when nodes may not be listed. */
  capacity?: NonNullable<MemberClusterStatus["capacity"]> | null | undefined;
  /** Null when nothing here expires. RFC 3339. */
  credentials?: { expiresAt: string; renewAt: string } | null | undefined;
}

/** Responsiveness of a cluster in contact. Each message replaces the whole of the last one. */
export interface Answering {
  /** Milliseconds if the cluster is slow; null: it is not slow; absent: not known yet. */
  latencyMs?: number | null | undefined;
  /** Why writes are slowed down or stopped now; null: they are not; absent: not known yet. */
  pace?: Why | null | undefined;
}

/** Result of one attempt to renew the token. `expiresAt`: RFC 3339. */
export type TokenRenewal = { renewed: true; expiresAt: string } | { renewed: false; message: string };

/** A fact about one cluster. The receiver decides which condition, Event or recovery becomes of the fact. */
export type ClusterNews =
  /** Sent with each change, and again when the contact is known after a request to record the identity. */
  | { kind: "Contact"; contact: Contact }
  | { kind: "Findings"; findings: ClusterFindings }
  | { kind: "Answering"; answering: Answering }
  | { kind: "TokenRenewal"; renewal: TokenRenewal };

/** UID of the cluster that answers, with the findings that are recorded by the same write. */
export interface ClusterIdentity {
  uid: string;
  findings?: ClusterFindings | undefined;
}

export type IdentityAnswer =
  /** The UID is in the status of the MemberCluster, by whichever manager. */
  | "Recorded"
  /** The UID could not be written. The request may be repeated. */
  | "Refused"
  /** Another manager owns the MemberCluster, and has not recorded the UID yet. */
  | "NotOwner";

/** A message of one session, numbered from 0. */
export type ClusterMessage = { seq: number } & (
  | ClusterNews
  /**
   * Asks for the identity of the cluster to be recorded, which has to be done before the first write to the cluster. The
   * MemberCluster counts as connected from then on until the next `Contact`.
   */
  | { kind: "Identity"; identity: ClusterIdentity }
  /** The connection is alive. */
  | { kind: "Heartbeat" }
);

/** What the receiver tells a connection. */
export type ClusterAnswer =
  /** `uid`: the identity of the request. */
  | { kind: "Identity"; uid: string; answer: IdentityAnswer }
  /** Messages were lost: the connection opens another session and reports everything. */
  | { kind: "Resync"; why: string }
  /** Another connection reports on the cluster now, the epoch is over, or the MemberCluster is gone. */
  | { kind: "Superseded"; why: string };

export interface ClusterReportChannel extends Disposable {
  send(message: ClusterMessage): void;
}

/** The hub's side: takes what the connections report about the clusters. */
export interface ClusterReport {
  /**
   * Begins a session. From now on, messages of an earlier session of the cluster change nothing. `epoch` of the session: as
   * the {@link ConnectionSource} said.
   */
  open(
    member: Pick<ConnectionSettings, "cluster" | "uid">,
    session: ReportSession,
    answer: (answer: ClusterAnswer) => void,
  ): ClusterReportChannel;
}
