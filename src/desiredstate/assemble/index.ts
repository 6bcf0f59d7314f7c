/**
 * Assembles the facts of one hub object from a {@link HubState}: the {@link Snapshot} for its target, its copies, and
 * the facts that their removal depends on. The manager's tables are one implementation of HubState, the data that
 * `meridian plan` has read is another.
 *
 * Promises: the same hub gives the same facts to every caller. Unknown facts are left out, never guessed.
 */
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
export { assembleRemovalFacts, isCustom, leftBehind, type Removal } from "./removalFacts.ts";
export { heldBySuspension } from "./suspension.ts";
export { assembleSnapshot, isUnrecorded, previousOf, type ResolvedNeeds } from "./snapshot.ts";
