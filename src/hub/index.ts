/**
 * Hub side of every replica: the cache of placed objects, policies and clusters; the kinds to watch; and the place
 * where the status of a hub object is stored.
 *
 * Promises: one cache serves the process through all changes of leadership. Handlers get the existing objects, then
 * every change in order. Inputs of plans are computed again only after a change that plans depend on. Objects never
 * count as deleted because their kind went away. The hub side writes only statuses ({@link StatusStore}) and bindings.
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
export * from "./revisionProof.ts";
export { StatusStore } from "./statusStore.ts";
