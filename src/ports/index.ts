/**
 * The messages between planning and the members. They are all that a worker sees of the hub's side, and all that the
 * hub's side sees of a worker.
 *
 * - {@link WorkSource}: the rows that planning wants on each cluster.
 * - {@link ReportSink}: what the workers observe there.
 * - {@link ConnectionSource}: the clusters to be connected.
 * - {@link ClusterReport}: contact, identity and findings of a connection.
 * - {@link CredentialStore}: credentials of the clusters, which are no message and are never sent to the other side.
 *
 * Promises: every message is a JSON value, so that the two sides may run in one process or in two. The messages of a
 * stream are numbered: whoever takes them notices a double, a wrong order or a gap, and asks for everything again.
 * Planning has an epoch: nothing that belongs to an older epoch, or to an ended session, changes anything. Absence is no
 * message: a row that does not come is no order to remove, and a report that does not come is no loss of an object. A
 * decoded message has the form of its type and is bounded, and an error never repeats the content of a message.
 */
export {
  type Answering,
  type ClusterAnswer,
  type ClusterFindings,
  type ClusterIdentity,
  type ClusterMessage,
  type ClusterNews,
  type ClusterReport,
  type ClusterReportChannel,
  type IdentityAnswer,
  NOT_YET_KNOWN,
  sameContact,
  type TokenRenewal,
} from "./clusterReport.ts";
export {
  type ConnectionAnswer,
  type ConnectionChange,
  type ConnectionMessage,
  type ConnectionRequest,
  type ConnectionSettings,
  type ConnectionSource,
  type ConnectionStream,
  type ConnectionTaker,
} from "./connections.ts";
export { type CredentialStore, type MemberSecret } from "./credentials.ts";
export {
  decodeAnswer,
  decodeClusterAnswer,
  decodeClusterMessage,
  decodeConnectionAnswer,
  decodeConnectionRequest,
  decodeConnections,
  type Decoded,
  decodeReport,
  decodeRequest,
  decodeSession,
  decodeWork,
  encode,
} from "./codec.ts";
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
export { otherVersion, refusalOf, refusedSession } from "./sessions.ts";
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
