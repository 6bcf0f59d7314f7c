/**
 * The facts of one hub object: the {@link Snapshot} that its target follows from, its copies, and what their removal rests on. They are put together
 * here and nowhere else, from a {@link HubState}: the manager's tables are one, what `meridian plan` has read is another.
 *
 * Promises: the same hub gives the same facts, whoever asks; what nobody knows is left out rather than guessed.
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
