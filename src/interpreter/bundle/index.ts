/**
 * Checks and renders the manifests of a ManifestBundle.
 *
 * Promises: packed and unpacked manifests give the same objects; a manifest that cannot be sent is named.
 */
export { manifestBundleKind } from "./manifestBundle.ts";
export { judgeManifests, titleOf, unpackedSpecOf } from "./manifests.ts";
