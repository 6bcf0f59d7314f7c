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
  isTrouble,
  isUnderWay,
} from "./causes.ts";
export * from "./grantedNamespaces.ts";
export * from "./joinCommands.ts";
export * from "./message.ts";
export { namesText, pointOf, shortMessage, shortName } from "./text.ts";
export * from "./nextSteps.ts";
export * from "./reasons.ts";
