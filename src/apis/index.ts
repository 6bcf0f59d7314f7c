/**
 * The kinds of Meridian: for each one zod schema, which gives the TypeScript type, the parser at the boundary and the
 * generated CRD; conversion between versions, matching of selectors, and one canonical text and hash for a value.
 * Also the words that every module shares: the reasons of
 * statuses, the ownership of objects, short messages and times.
 *
 * It promises that the parser accepts exactly the objects that the API server accepts, except where only a server can know (rules over
 * an object's former value). It never reads a clock, a file or a cluster, and never changes its arguments.
 */
export { excess, excessOf, type Extent, extentOf, OBJECT_BOUNDS } from "./schema/bounds.ts";
export * from "./values/canonical.ts";
export { jsonForYaml, parseJson } from "./values/json.ts";
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
} from "./reasons/causes.ts";
export { joinCommand, renewCommand } from "./reasons/joinCommands.ts";
export { nextStep } from "./reasons/nextSteps.ts";
export { asCount, isCount, MOST_COUNTED } from "./schema/conditions.ts";
export { type Contact, isOutOfContact } from "./records/contact.ts";
export { ConversionError } from "./conversion/conversion.ts";
export { convertObject } from "./served/convert.ts";
export * from "./served/crds.ts";
export { isLaterVersion } from "./values/versionOrder.ts";
export * from "./kinds/demoapplication.ts";
export { ageText, durationMs, lastedText } from "./values/duration.ts";
export * from "./values/endpoint.ts";
export * from "./kinds/finished.ts";
export { isGranted, namespaceNotGranted } from "./reasons/grantedNamespaces.ts";
export * from "./served/kinds.ts";
export * from "./kinds/manifestbundle.ts";
export * from "./schema/match.ts";
export * from "./kinds/membercluster.ts";
export { type MemberAddress, type MemberCondition, MOST_REPORTED } from "./kinds/memberReport.ts";
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
} from "./reasons/message.ts";
export * from "./metadata/meta.ts";
export {
  approvalProblems,
  type ApproversProven,
  type RolloutApprovals,
  rolloutApprovalsIn,
} from "./records/approvals.ts";
export { shareOf } from "./values/share.ts";
export { notCarriedOut } from "./records/notCarriedOut.ts";
export * from "./kinds/overridepolicy.ts";
export * from "./metadata/ownership.ts";
export * from "./served/parse.ts";
export { DNS_SUBDOMAIN, IMAGE } from "./schema/patterns.ts";
export type { FieldProblem } from "./schema/parseSpec.ts";
export * from "./kinds/placement.ts";
export { isSamePolicy, policyKey, type PolicyName } from "./metadata/policyKey.ts";
export { isReservedKey, protectedChange } from "./metadata/protectedFields.ts";
export { isOpenable, isProtectedNamespace } from "./metadata/protectedNamespaces.ts";
export * from "./values/quantity.ts";
export { isPodReason, type Reason, REASONS } from "./reasons/reasons.ts";
export * from "./metadata/replicaBounds.ts";
export { LONGEST_IMAGE, MOST_VERSIONS, type Running, type RunningThere, type Version } from "./kinds/running.ts";
export { holdsOldApprovals, type RolloutCommand, rolloutCommandIn } from "./records/rolloutCommand.ts";
export * from "./kinds/resourcebinding.ts";
export { sameValue } from "./values/sameValue.ts";
export * from "./schema/selectors.ts";
export { microTimestamp, timestamp } from "./values/time.ts";
export { isRecord, valueAt } from "./values/valueAt.ts";
export { setMember } from "./values/setMember.ts";
export * from "./records/record.ts";
export { trimEnd } from "./values/trimEnd.ts";
export * from "./metadata/wellknown.ts";
export { counted, unknownClusterWords } from "./values/words.ts";
