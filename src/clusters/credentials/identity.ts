import { ACCEPT_CLUSTER_UID_ANNOTATION } from "../../apis/index.ts";

/**
 * Whether the cluster that answers is the one that a MemberCluster means. A cluster is its kube-system namespace: that UID outlives
 * addresses, certificates and credentials, and changes when the cluster is made anew.
 */

/** What one MemberCluster says of itself. */
export interface IdentityClaim {
  cluster: string;
  /** The hub itself (`local: {}`). */
  local: boolean;
  /** creationTimestamp of the MemberCluster, RFC 3339. */
  createdAt: string;
  /** UID in its status. */
  recordedUid: string | undefined;
  /** UID that a person accepted by annotation. */
  acceptedUid: string | undefined;
  /** UID of the last answer. */
  observedUid: string | undefined;
}

export type IdentityVerdict = { kind: "Accepted" } | { kind: "Refused"; reason: string; message: string };

const ACCEPTED: IdentityVerdict = { kind: "Accepted" };

/**
 * Judges the answer of one cluster in view of all the others. A changed UID is refused until a person accepts it. Of several
 * MemberClusters that are one cluster the local one counts, then the oldest, of those of one second the one that is recorded as
 * this cluster, then the first by name; a kubeconfig that leads to the hub is as good as any while there is no local MemberCluster.
 */
export function judgeIdentity(self: IdentityClaim, others: Iterable<IdentityClaim>): IdentityVerdict {
  const { observedUid, recordedUid, acceptedUid } = self;
  if (observedUid === undefined) return ACCEPTED;
  if (recordedUid !== undefined && recordedUid !== observedUid && acceptedUid !== observedUid) {
    return {
      kind: "Refused",
      reason: "ClusterIdentityChanged",
      message: `UID changed; if meant, annotate ${ACCEPT_CLUSTER_UID_ANNOTATION}: ${observedUid}`,
    };
  }
  let first: IdentityClaim | undefined;
  for (const other of others) {
    if (other.cluster === self.cluster || claimedUid(other) !== observedUid || !comesBefore(other, self, observedUid))
      continue;
    if (first === undefined || comesBefore(other, first, observedUid)) first = other;
  }
  if (first === undefined) return ACCEPTED;
  return { kind: "Refused", reason: "DuplicateCluster", message: `the same cluster as MemberCluster ${first.cluster}` };
}

/** The cluster that a MemberCluster may call its own: a changed UID that nobody accepted is not. */
export function claimedUid({ recordedUid, observedUid, acceptedUid }: IdentityClaim): string | undefined {
  if (observedUid === undefined) return recordedUid;
  if (recordedUid === undefined || observedUid === acceptedUid) return observedUid;
  return recordedUid;
}

function comesBefore(a: IdentityClaim, b: IdentityClaim, uid: string): boolean {
  if (a.local !== b.local) return a.local;
  // RFC 3339 in UTC with whole seconds, as the API server writes it, sorts as text.
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  if ((a.recordedUid === uid) !== (b.recordedUid === uid)) return a.recordedUid === uid;
  return a.cluster < b.cluster;
}
