/**
 * What a ManifestBundle holds.
 *
 * Promises: packed and unpacked manifests are the same; a manifest that cannot be sent is named.
 */
export { manifestBundleKind } from "./manifestBundle.ts";
export { judgeManifests, titleOf, unpackedSpecOf } from "./manifests.ts";
