/** The namespaces that Meridian created on a member: their labels, and their removal once they are empty. */
export { NamespaceCleaner } from "./namespaceCleaner.ts";
export { NamespaceLabeller } from "./namespaceLabels.ts";
