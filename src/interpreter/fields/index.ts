/**
 * Ownership of fields: set by a user, written by the hub, or taken over by a member.
 *
 * Promises: only fields that a person or a client set are sent; fields that nobody wrote are not enforced.
 */
export { alteredFields, evidenceOf } from "./effect.ts";
export { associativeKey, matchesKey } from "./fieldPaths.ts";
export { withoutGivenUp } from "./givenUp.ts";
export { fieldsLeftOut } from "./leftOut.ts";
export {
  appliedAtOf,
  fieldOfPlace,
  hasApplied,
  lostFields,
  lostPlaces,
  ownsAnnotation,
  valueAtElements,
} from "./ownership.ts";
export { keptFields, onlyKept, standingFields, withKept } from "./standing.ts";
export { holdsPlace, sameIn, unwrittenFields, withoutPath } from "./unwritten.ts";
export { isWrittenByHub, userSetObject, whyOwnersUnknown } from "./userFields.ts";
export { isPlaceholder, withoutPlaces } from "./yielding.ts";
