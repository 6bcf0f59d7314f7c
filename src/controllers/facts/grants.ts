import { isGranted, namespaceNotGranted } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";

/** Why Meridian may not read or write the namespace on the cluster; undefined if the namespace is granted. */
export function whyNotGranted(
  { clusters }: Pick<HubCache, "clusters">,
  cluster: string,
  namespace: string | undefined,
): Why | undefined {
  const namespaces = clusters.get(cluster)?.spec.namespaces;
  if (namespaces === undefined || isGranted(namespaces, namespace)) return undefined;
  return namespaceNotGranted(cluster, namespaces, namespace);
}
