/**
 * Kinds that can be placed, kinds that may travel in a bundle, and marks of the hub on its objects.
 *
 * Promises: a kind that must not travel is refused with the reason.
 */
export { staysOnHub } from "./hubMarks.ts";
export {
  givesRights,
  type GroupKind,
  groupKindOf,
  holdsFreeForm,
  isClusterScopedBuiltIn,
  isCustomGroup,
  isDefinition,
  phaseOf,
  whyNeverInBundle,
} from "./kinds.ts";
export { neverPlacedAs, whyByNameOnly, whyNeverPlaced } from "./placeableKinds.ts";
