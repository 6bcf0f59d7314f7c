/**
 * Hub side of every replica: one cache of placed objects, policies and clusters, kept current by watches; the kinds
 * to watch; and the place where the status of a hub object is stored.
 *
 * Promises: one cache serves the whole process, through all changes of leadership. Handlers first get the existing
 * objects, and then every change in order. Inputs of plans are computed again only after a change that plans depend
 * on. A kind is watched while the hub serves the kind, and its objects never count as deleted because their kind went
 * away.
 * The hub side writes only statuses ({@link StatusStore}) and their bindings, and never decides the content of a
 * member.
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
