/**
 * The clusters: the pool of connections, and for each member a worker with a lane, which makes the member as its rows say, and a
 * cache, whose watches bring what is on the member.
 *
 * Promises: a cluster's trouble stays in that cluster; nothing is removed but the life of an object that a row names, and that only
 * when the member's objects of that kind are known; a foreign object is never written without leave; the connection's identity is
 * checked before anything is written. A worker sees nothing of the hub but the two ports, WorkSource and ReportSink.
 * Never decides what should run where, or what may go: that comes in as rows.
 */
export {
  copyIn,
  stripMarks,
  notInVersion,
  readLive,
  rehearse,
  type Rehearsed,
  rehearseRemoval,
} from "./write/index.ts";
export { ClusterPool, DampedContact, type Damping } from "./connection/index.ts";
export { Fleet } from "./fleet.ts";
export { inspectNamespace, isOwn, ownerOf } from "./model/index.ts";
export {
  type ClusterContact,
  type ReportSink,
  type RowDelta,
  sameSight,
  type WorkDelta,
  type WorkSource,
} from "./ports.ts";
export { roomNow } from "./workloads/index.ts";
export {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "./credentials/index.ts";
export type { PoolListener } from "./types.ts";
