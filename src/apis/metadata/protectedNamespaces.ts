import { DEFAULT_SYSTEM_NAMESPACE } from "./wellknown.ts";

/** Prefix of the namespaces that Kubernetes reserves for itself. */
const OF_KUBERNETES = "kube-";

/**
 * Returns whether administrators may open the namespace for single kinds, by name. Kubernetes' namespaces can be
 * opened, Meridian's own cannot.
 */
export function isOpenable(name: string): boolean {
  return name.startsWith(OF_KUBERNETES) && name.length > OF_KUBERNETES.length;
}

/**
 * Returns whether writing into the namespace can give more rights than a tenant has. True for Kubernetes' namespaces,
 * Meridian's own, and those in `named`.
 */
export function isProtectedNamespace(name: string, named: readonly string[] = []): boolean {
  return name.startsWith(OF_KUBERNETES) || name === DEFAULT_SYSTEM_NAMESPACE || named.includes(name);
}
