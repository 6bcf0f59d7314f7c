/**
 * Hub side of every replica: the cache of placed objects, policies and clusters; the kinds to watch; the place where
 * the status of a hub object is stored; and the Secrets with the members' credentials.
 *
 * Promises: one cache serves the process through all changes of leadership. Handlers get the existing objects, then
 * every change in order. Inputs of plans are computed again only after a change that plans depend on. Objects never
 * count as deleted because their kind went away. The hub side writes only statuses ({@link StatusStore}), bindings, and renewed tokens
 * ({@link MemberSecrets}).
 */
export * from "./cache/index.ts";
export {
  heldUnder,
  isOfEarlierCrd,
  type KindTerms,
  kindTerms,
  memberRights,
  memberRightsInNamespace,
  rightsOn,
  ScalePaths,
} from "./kinds/index.ts";
export { MemberSecrets } from "./memberSecrets.ts";
export * from "./revisionProof.ts";
export { type Decision, type PlacedObject, type Recorded, StatusStore } from "./statusStore.ts";
