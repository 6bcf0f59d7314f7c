/**
 * Create, update, patch, delete and the subresources.
 *
 * Promises: admission, validation, quota and finalizers apply in the order of kube-apiserver.
 */
export { createObject } from "./create.ts";
export { deleteObject, deleteOptionsOf } from "./delete.ts";
export { finalizeNamespace } from "./finalize.ts";
export { type Body, decoded, decodedOver, ofKind, readBody } from "./input.ts";
export { APPLY, applyObject, patchObject, patchOf } from "./patch.ts";
export { bindPod, bindTo, evictPod, podLog, SUCCESS } from "./pods.ts";
export { createReview, isReview } from "./reviews.ts";
export { readScale, scalePatch, scaleReplacement, writeScale } from "./scale.ts";
export { createToken } from "./serviceAccountToken.ts";
export { changeObject, checkName, replaceObject, tracked } from "./update.ts";
