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

/** `remove`: name of a MemberCluster that is not connected any more. */
export type ConnectionChange = { set: ConnectionSettings } | { remove: string };

/** The hub's side: the clusters to be connected. */
export interface ConnectionSource {
  /**
   * Delivers the settings of every cluster, then the changes, in order. In one process a change is delivered before the
   * call that caused it returns: a removed cluster has no session any more when its finalizer is taken away.
   */
  follow(taker: (change: ConnectionChange) => void): Disposable;
}
