/**
 * Records that Meridian keeps on a hub object besides its status: clusters with copies, approvals, rollout commands.
 *
 * Promises: an annotation that cannot be read is no approval and no command.
 */
export { approvalProblems, type ApproversProven, type RolloutApprovals, rolloutApprovalsIn } from "./approvals.ts";
export * from "./contact.ts";
export * from "./notCarriedOut.ts";
export {
  type ClusterRecord,
  firstRecordOf,
  firstRecordText,
  namesIn,
  orphanedBy,
  recordedKind,
  recordedKindText,
  recordOf,
  reportedIn,
  withoutEntryIn,
} from "./record.ts";
export { holdsOldApprovals, type RolloutCommand, rolloutCommandIn } from "./rolloutCommand.ts";
