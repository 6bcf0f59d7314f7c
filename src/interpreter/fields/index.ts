/**
 * Who owns which field: what a user set, what the hub wrote, what a member took over.
 *
 * Promises: only what a person or a client set is sent; what nobody wrote is not enforced.
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
