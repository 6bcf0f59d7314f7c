/**
 * The namespaces that Meridian created on a member: their labels and their removal.
 *
 * Promises: a namespace is removed only if Meridian created it and it is empty.
 */
export { NamespaceCleaner } from "./namespaceCleaner.ts";
export { NamespaceLabeller } from "./namespaceLabels.ts";
