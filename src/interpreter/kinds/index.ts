/**
 * Which kinds can be placed, which may travel in a bundle, and what the hub itself puts on objects.
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
