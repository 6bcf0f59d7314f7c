import type { MemberClusterSpec } from "../apis/index.ts";

/** The part of a MemberCluster that the connection to its cluster needs. */
export interface ConnectionSettings {
  /** Name of the MemberCluster. */
  cluster: string;
  /** UID of the MemberCluster. Another UID may mean another cluster. */
  uid?: string | undefined;
  /** creationTimestamp of the MemberCluster, RFC 3339. */
  createdAt?: string | undefined;
  connection: MemberClusterSpec["connection"];
  /** The only namespaces that the credentials reach. Absent: the whole cluster. */
  namespaces?: readonly string[] | undefined;
  /** UID of the cluster that a person accepted. */
  acceptedUid?: string | undefined;
  /** UID of the cluster in the status. */
  recordedUid?: string | undefined;
  /** Latency in the status, so that a restart reports no new number for the same slowness. */
  latencyMs?: number | undefined;
  /** The hub's side of this connection writes the status of the MemberCluster, so the connection renews the token. */
  owned: boolean;
}

/** What a worker asks for. */
export interface ConnectionRequest {
  version: number;
  /** Unique for the worker. A stream takes the place of the worker's last one. */
  worker: string;
}

export type ConnectionChange =
  /** The first message. `epoch`: term of the planner. */
  | { kind: "Start"; epoch: number }
  /** The settings of a cluster. They replace the last ones. */
  | { kind: "Set"; settings: ConnectionSettings }
  /** The cluster is not to be connected any more. The worker answers when the connection has ended. */
  | { kind: "Remove"; cluster: string; uid?: string | undefined }
  /** Every cluster has been sent since `Start`: a cluster that was not named is not to be connected. */
  | { kind: "End" }
  /** The planner is alive. */
  | { kind: "Heartbeat" };

/** A message of one stream, numbered from 0. */
export type ConnectionMessage = ConnectionChange & { seq: number };

export type ConnectionAnswer =
  /** The connection to the MemberCluster has ended: no write is sent any more. */
  | { kind: "Removed"; cluster: string; uid?: string | undefined }
  /** Answer to `End`: the worker has no other connections than those of the set. */
  | { kind: "Complete" };

/** Takes the messages of one stream. */
export interface ConnectionTaker {
  take(message: ConnectionMessage): void;
  /** The stream has ended. It has to be asked for again. */
  ended(why: string): void;
}

/** Disposed of when the worker has no connection any more. A stream that only broke is followed by another one. */
export interface ConnectionStream extends Disposable {
  send(answer: ConnectionAnswer): void;
}

/** The hub's side: the clusters to be connected. */
export interface ConnectionSource {
  /**
   * Sends the settings of every cluster, then the changes. The finalizer of a MemberCluster waits for every worker that was
   * sent the cluster: for its answer, or for the end of its stream. Whoever carries the messages disposes of the stream of
   * a worker that is lost, as soon as the worker cannot write any more.
   */
  follow(request: ConnectionRequest, taker: ConnectionTaker): ConnectionStream;
}
