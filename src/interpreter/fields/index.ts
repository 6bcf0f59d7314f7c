/**
 * Ownership of fields: set by a user, written by the hub, or taken over by a member. Sets of fields have the form of
 * `fieldsV1`.
 *
 * Promises: only fields that a person or a client owns on the hub are sent. A field that its owner never wrote, such as
 * a server's default, is sent too, but is left to any field manager of a member that takes the field.
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
export { keptFields, onlyKept, hubOwnedFields, withKept } from "./hubOwned.ts";
export { holdsPlace, sameIn, unwrittenFields, withoutPath } from "./unwritten.ts";
export { isWrittenByHub, userSetObject, whyOwnersUnknown } from "./userFields.ts";
export { isPlaceholder, withoutPlaces } from "./yielding.ts";
