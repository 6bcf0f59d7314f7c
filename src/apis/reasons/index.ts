/**
 * Reasons: the reasons of conditions and entries, next steps, causes over many objects, and messages of bounded length.
 *
 * Promises: a reason that a user can meet has an explanation and, where a person can act, a next step.
 */
export {
  byImpact,
  type CountedReason,
  countedReasonsText,
  countReasons,
  impactOf,
  IMPACTS,
  isHarmful,
  isUnderWay,
} from "./causes.ts";
export { isGranted, namespaceNotGranted } from "./grantedNamespaces.ts";
export { joinCommand, renewCommand } from "./joinCommands.ts";
export {
  conditionMessage,
  fullMessage,
  inFull,
  isSameMessage,
  type Message,
  type MessageParts,
  prefixed,
  withCause,
  withLead,
} from "./message.ts";
export { namesText, pointOf, shortMessage, shortName } from "./text.ts";
export { nextStep } from "./nextSteps.ts";
export { isContactReason, isPodReason, type Reason, REASON_GROUPS, reasonDescription, REASONS } from "./reasons.ts";
