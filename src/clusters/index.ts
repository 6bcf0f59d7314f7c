/**
 * The clusters: the pool of connections, and for each member a lane that makes it as desired and watches that tell how it is.
 *
 * Promises: a cluster's trouble stays in that cluster; nothing is deleted before everything that the deletion rests on is known; a
 * foreign object is never written without leave; the connection's identity is checked before anything is written.
 * Never decides what should run where: that comes in as rows of the desired-state table.
 */
export { Fleet, type FleetOptions } from "./fleet.ts";
export { type Deletion, Members, type MembersOptions } from "./members.ts";
export type { NamespaceCustody } from "./namespaceJanitor.ts";
export { inspectNamespace, isOurNamespace } from "./namespaces.ts";
export type { ClusterContact, ReportSink, RowDelta, WorkDelta, WorkSource } from "./ports.ts";
export { ClusterPool } from "./pool.ts";
export { SERVICE_ACCOUNT_ANNOTATION, TOKEN_EXPIRES_AT_ANNOTATION, TOKEN_ISSUED_AT_ANNOTATION } from "./renewal.ts";
export { DesiredStateTable, type Entry, type Failure, isInSync, type ReleasePolicy } from "./table.ts";
export type { MemberSession, PoolListener } from "./types.ts";
