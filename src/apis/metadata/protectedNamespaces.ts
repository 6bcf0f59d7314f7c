import { DEFAULT_SYSTEM_NAMESPACE } from "./wellknown.ts";

/** Kubernetes keeps these names to itself. */
const OF_KUBERNETES = "kube-";

/** Whether administrators may open the namespace for a kind by name, one by one: those of Kubernetes, and never Meridian's own. */
export function isOpenable(name: string): boolean {
  return name.startsWith(OF_KUBERNETES) && name.length > OF_KUBERNETES.length;
}

/** Whether whoever writes into the namespace can become more than a tenant: Kubernetes' own, Meridian's, and those that are named. */
export function isProtectedNamespace(name: string, named: readonly string[] = []): boolean {
  return name.startsWith(OF_KUBERNETES) || name === DEFAULT_SYSTEM_NAMESPACE || named.includes(name);
}
