/**
 * Patches of documents: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and Kubernetes' strategic merge patch.
 *
 * Promises what kube-apiserver 1.35 makes of the same document and patch, also where that is not what the RFC says (a replace of an absent member adds
 * it), and refuses with the server's own Status. Never changes a document or a patch that it is given; results share parts with them.
 * Knows nothing of kinds: whether the result is a good object is for others to say.
 */
export { jsonPatch } from "./jsonPatch.ts";
export { mergePatch } from "./mergePatch.ts";
export { strategicMergePatch } from "./strategicMergePatch.ts";
