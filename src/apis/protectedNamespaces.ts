import { DEFAULT_SYSTEM_NAMESPACE } from "./wellknown.ts";

/** Kubernetes keeps these names to itself. */
const OF_KUBERNETES = "kube-";

/** Whether whoever writes into the namespace can become more than a tenant: Kubernetes' own, Meridian's, and those that are named. */
export function isProtectedNamespace(name: string, named: readonly string[] = []): boolean {
  return name.startsWith(OF_KUBERNETES) || name === DEFAULT_SYSTEM_NAMESPACE || named.includes(name);
}
