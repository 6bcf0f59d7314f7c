/**
 * Patches of documents: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and Kubernetes' strategic merge patch.
 *
 * Promises the results of kube-apiserver 1.35 for the same document and patch, also where they differ from the RFC (a
 * replace of an absent member adds it), and the server's Status for a refusal. Never changes a document or a patch;
 * results share parts with them. Knows nothing of kinds: others validate the result.
 */
export { jsonPatch } from "./jsonPatch.ts";
export { mergePatch } from "./mergePatch.ts";
export { strategicMergePatch } from "./strategicMergePatch.ts";
