/**
 * Informers of the hub: objects, policies, clusters, bindings, and their changes.
 *
 * Promises: synced means that every informer has listed once; nothing is removed before that.
 */
export {
  compressedIn,
  unpack,
  unpackBundle,
  unpackBundleAtOnce,
  type Unpacked,
  unpackedSpec,
} from "./bundleContents.ts";
export { clusterSnapshot } from "./clusterSnapshot.ts";
export { changedFacts, changedSpec, type HubEvent, type Policy } from "./events.ts";
export { HubCache } from "./hubCache.ts";
export { type PlacedKind } from "./placedKinds.ts";
export { settingIn } from "./planned.ts";
