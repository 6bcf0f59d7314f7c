import { ACCEPT_CLUSTER_UID_ANNOTATION } from "../../apis/index.ts";

/** Checks which cluster answers, by the UID of kube-system: it outlives addresses, certificates and credentials. */

export interface IdentityClaim {
  cluster: string;
  /** The hub itself (`local: {}`). */
  local: boolean;
  /** creationTimestamp of the MemberCluster, RFC 3339. */
  createdAt: string;
  /** In the status of the MemberCluster. */
  recordedUid: string | undefined;
  /** By a person's annotation. */
  acceptedUid: string | undefined;
  /** By the last answer. */
  observedUid: string | undefined;
}

export type IdentityVerdict = { kind: "Accepted" } | { kind: "Refused"; reason: string; message: string };

const ACCEPTED: IdentityVerdict = { kind: "Accepted" };

/**
 * A changed UID is refused until a person accepts it. Of several MemberClusters that reach one cluster, one is accepted:
 * the local one first, then the oldest, then (of the same second) the one with this UID in its status, then by name.
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

/** A changed UID counts only after a person accepted it. */
export function claimedUid({ recordedUid, observedUid, acceptedUid }: IdentityClaim): string | undefined {
  if (observedUid === undefined) return recordedUid;
  if (recordedUid === undefined || observedUid === acceptedUid) return observedUid;
  return recordedUid;
}

function comesBefore(a: IdentityClaim, b: IdentityClaim, uid: string): boolean {
  if (a.local !== b.local) return a.local;
  // The API server writes RFC 3339 in UTC with whole seconds, which sorts as text.
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  if ((a.recordedUid === uid) !== (b.recordedUid === uid)) return a.recordedUid === uid;
  return a.cluster < b.cluster;
}
