/**
 * The hub's side of every replica: one copy of the objects that are placed, the policies and the clusters, followed by watch; which kinds
 * there are to follow; and where the status of a hub object lives.
 *
 * Promises: one copy for the whole process, whoever reads it and however often leadership comes and goes; handlers are given what is there
 * first and then every change in order; what plans read is computed again only when something has changed that a plan turns on; a kind is
 * watched while the hub serves it, and its objects are never taken for deleted because their kind went away.
 * Never writes, but for the status that {@link StatusStore} is given and the binding that holds it, and never decides what is to be on a member.
 */
export {
  changedFacts,
  changedSpec,
  clusterSnapshot,
  compressedIn,
  HubCache,
  type HubEvent,
  type PlacedKind,
  type Policy,
  settingIn,
  unpack,
  unpackBundle,
  unpackBundleAtOnce,
  type Unpacked,
  unpackedSpec,
} from "./cache/index.ts";
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
export { digestOf, provenRevision, type ReadRevision, unprovenRevision } from "./revisionProof.ts";
export { StatusStore } from "./statusStore.ts";
