/**
 * The clusters: the pool of connections, and a worker for each member. A worker has a lane, which writes the rows to
 * the member, and a cache, whose watches observe the member.
 *
 * Promises: a failure of a cluster stays in that cluster. Only an object that a row names by UID is removed, and only
 * when all of the member's objects of that kind are known. A foreign object is never written without permission. The
 * identity of a cluster is checked before the first write. A worker sees only WorkSource and ReportSink of the hub, and
 * never decides what should run where, or what may be removed.
 */
export { stripMarks, notInVersion, readLive, rehearse, type Rehearsed, rehearseRemoval } from "./write/index.ts";
export { ClusterPool, DampedContact, type Damping } from "./connection/index.ts";
export { Fleet } from "./fleet.ts";
export { copyIn, inspectNamespace, isOwn, ownerOf } from "./model/index.ts";
export { capacityNow } from "./workloads/index.ts";
export {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "./credentials/index.ts";
export type { PoolListener } from "./types.ts";
