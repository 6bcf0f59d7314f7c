/** Assembles the facts of one hub object from a {@link HubState}. Unknown facts are left out, never guessed. */
export {
  asksFor,
  copiesOf,
  copiesToPlan,
  isFoundOnJoin,
  isReleasedFrom,
  isNeededByOthers,
  isRemoval,
  leavingOf,
  recordedClusters,
  wasFoundOnJoin,
} from "./copies.ts";
export type { ContactFacts, HubState } from "./hubState.ts";
export { acceptedIn, heldConditionOf, type MissingHold, rememberedHold, whyHeldAsMissing } from "./missingHold.ts";
export { assembleRemovalFacts, heldBySuspension, isCustom, leftBehind, type Removal } from "./removalFacts.ts";
export { assembleSnapshot, isUnrecorded, previousOf, type ResolvedNeeds } from "./snapshot.ts";
