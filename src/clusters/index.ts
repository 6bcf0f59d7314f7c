/**
 * The clusters: the pool of connections, and a worker for each member. A worker has a lane, which writes the rows to
 * the member, and a cache, whose watches observe the member.
 *
 * Promises: a failure of a cluster stays in that cluster. Only an object that a row names by UID is removed, and only
 * when all of the member's objects of that kind are known. A foreign object is never written without permission. The
 * identity of a cluster is checked, and recorded on the hub, before the first write. This side has no client of the hub:
 * a worker sees only WorkSource and ReportSink, and a connection only ConnectionSource, CredentialStore and
 * ClusterReport. Neither decides what should run where, or what may be removed.
 */
export { stripMarks, notInVersion, readLive, rehearse, type Rehearsed, rehearseRemoval } from "./write/index.ts";
export { ClusterPool } from "./connection/index.ts";
export { createMembers } from "./members.ts";
export { copyIn, inspectNamespace, isOwn, ownerOf } from "./model/index.ts";
export { capacityNow, type OwnedPods, type PodOwner, readOwnedPods } from "./workloads/index.ts";
export {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "./credentials/index.ts";
export type { MemberSession, PoolListener } from "./types.ts";
