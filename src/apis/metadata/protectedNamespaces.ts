import { DEFAULT_SYSTEM_NAMESPACE } from "./wellknown.ts";

const OF_KUBERNETES = "kube-";

/** Administrators may open Kubernetes' namespaces for single kinds, by name, and Meridian's own never. */
export function isOpenable(name: string): boolean {
  return name.startsWith(OF_KUBERNETES) && name.length > OF_KUBERNETES.length;
}

/**
 * Writing there can give more rights than a tenant has. True for Kubernetes' namespaces, Meridian's own, and `named`.
 */
export function isProtectedNamespace(name: string, named: readonly string[] = []): boolean {
  return name.startsWith(OF_KUBERNETES) || name === DEFAULT_SYSTEM_NAMESPACE || named.includes(name);
}
