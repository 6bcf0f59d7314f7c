/**
 * The kinds of Meridian: for each one zod schema, which gives the TypeScript type, the parser at the boundary and the
 * generated CRD; conversion between versions, matching of selectors, and one canonical text and hash for a value.
 * Also the words that every module shares: the reasons of
 * statuses, the ownership of objects, short messages and times.
 *
 * It promises that the parser accepts exactly the objects that the API server accepts, except where only a server can know (rules over
 * an object's former value). It never reads a clock, a file or a cluster, and never changes its arguments.
 */
export { excess, excessOf, type Extent, extentOf, OBJECT_BOUNDS } from "./bounds.ts";
export * from "./canonical.ts";
export { jsonForYaml, parseJson } from "./json.ts";
export { printYaml } from "./yaml/print.ts";
export { parseYaml, parseYamlDocuments, YamlError } from "./yaml/read.ts";
export { isAmbiguous as isAmbiguousYaml } from "./yaml/scalar.ts";
export {
  byImpact,
  type CountedReason,
  countedReasonsText,
  countReasons,
  impactOf,
  isHarmful,
  isUnderWay,
} from "./causes.ts";
export { joinCommand, renewCommand } from "./joinCommands.ts";
export { nextStep } from "./nextSteps.ts";
export { asCount, isCount, MOST_COUNTED } from "./conditions.ts";
export { type Contact, isOutOfContact } from "./contact.ts";
export { ConversionError } from "./conversion.ts";
export { convertObject } from "./convert.ts";
export * from "./crds.ts";
export { isLaterVersion } from "./versionOrder.ts";
export * from "./demoapplication.ts";
export { ageText, durationMs, lastedText } from "./duration.ts";
export * from "./endpoint.ts";
export * from "./finished.ts";
export { isGranted, namespaceNotGranted } from "./grantedNamespaces.ts";
export * from "./kinds.ts";
export * from "./manifestbundle.ts";
export * from "./match.ts";
export * from "./membercluster.ts";
export { type MemberAddress, type MemberCondition, MOST_REPORTED } from "./memberReport.ts";
export {
  firstFitting,
  listedAfter,
  pointOf,
  shortMessage,
  shortName,
  shortPath,
  shortPoint,
  type Told,
  told,
} from "./message.ts";
export * from "./meta.ts";
export { approvalProblems, type ApproversProven, type RolloutApprovals, rolloutApprovalsIn } from "./approvals.ts";
export { shareOf } from "./share.ts";
export { notCarriedOut } from "./notCarriedOut.ts";
export * from "./overridepolicy.ts";
export * from "./ownership.ts";
export * from "./parse.ts";
export { DNS_SUBDOMAIN, IMAGE } from "./patterns.ts";
export type { FieldProblem } from "./parseSpec.ts";
export * from "./placement.ts";
export { isSamePolicy, policyKey, type PolicyName } from "./policyKey.ts";
export { isReservedKey, protectedChange } from "./protectedFields.ts";
export { isOpenable, isProtectedNamespace } from "./protectedNamespaces.ts";
export * from "./quantity.ts";
export { isPodReason, type Reason, REASONS } from "./reasons.ts";
export * from "./replicaBounds.ts";
export { LONGEST_IMAGE, MOST_VERSIONS, type Running, type RunningThere, type Version } from "./running.ts";
export { holdsOldApprovals, type RolloutCommand, rolloutCommandIn } from "./rolloutCommand.ts";
export * from "./resourcebinding.ts";
export { sameValue } from "./sameValue.ts";
export * from "./selectors.ts";
export { microTimestamp, timestamp } from "./time.ts";
export { isRecord, valueAt } from "./valueAt.ts";
export { setMember } from "./setMember.ts";
export * from "./record.ts";
export { trimEnd } from "./trimEnd.ts";
export * from "./wellknown.ts";
export { counted, unknownClusterWords } from "./words.ts";
