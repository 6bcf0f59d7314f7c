/**
 * The namespaces that Meridian made on a member: their labels and their end.
 *
 * Promises: a namespace goes only when Meridian made it and nothing is left in it.
 */
export { NamespaceCleaner } from "./namespaceCleaner.ts";
export { NamespaceLabeller } from "./namespaceLabels.ts";
