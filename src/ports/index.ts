/**
 * The messages between planning and the members. They are all that a worker sees of the hub's side, and all that the
 * hub's side sees of a worker.
 *
 * - {@link WorkSource}: the rows that planning wants on each cluster.
 * - {@link ReportSink}: what the workers observe there.
 *
 * A connection to a member has ports of its own.
 *
 * - {@link ConnectionSource}: the clusters to be connected.
 * - {@link CredentialStore}: their credentials, which are no message and are never sent to the other side.
 * - {@link ClusterReport}: contact, identity and findings.
 *
 * Promises: every message is a JSON value, so that the two sides may run in one process or in two. The messages of a
 * stream are numbered: whoever takes them notices a double, a wrong order or a gap. Planning has an epoch: nothing that
 * belongs to an older epoch changes anything. Absence is no message: a row that does not come is no order to remove,
 * and a report that does not come is no loss of an object. A decoded message has the form of its type, and an error
 * never repeats the content of a message.
 */
export {
  type Answering,
  type ClusterFindings,
  type ClusterIdentity,
  type ClusterNews,
  type ClusterReport,
  type ClusterReportChannel,
  type IdentityAnswer,
  NOT_YET_KNOWN,
  sameContact,
  type TokenRenewal,
} from "./clusterReport.ts";
export { type ConnectionChange, type ConnectionSettings, type ConnectionSource } from "./connections.ts";
export { type CredentialStore, type MemberSecret } from "./credentials.ts";
export { decodeAnswer, type Decoded, decodeReport, decodeRequest, decodeSession, decodeWork, encode } from "./codec.ts";
export { InOrder } from "./inOrder.ts";
export {
  type CapacityReport,
  type ContactReport,
  type Report,
  type ReportAnswer,
  type ReportChannel,
  type ReportSession,
  type ReportSink,
} from "./report.ts";
export { RowSum } from "./rowSum.ts";
export {
  type AssignmentRequest,
  type Liveness,
  PROTOCOL_VERSION,
  type RowDelta,
  type SetSummary,
  type WorkDelta,
  type WorkMessage,
  type WorkProgress,
  type WorkSource,
} from "./work.ts";
