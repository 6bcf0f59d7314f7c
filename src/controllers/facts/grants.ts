import { isGranted, namespaceNotGranted } from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";

/** Why nothing in that namespace of the cluster is Meridian's to see or to write; undefined where it is. */
export function whyNotGranted(
  { clusters }: Pick<HubCache, "clusters">,
  cluster: string,
  namespace: string | undefined,
): Why | undefined {
  const namespaces = clusters.get(cluster)?.spec.namespaces;
  if (namespaces === undefined || isGranted(namespaces, namespace)) return undefined;
  return namespaceNotGranted(cluster, namespaces, namespace);
}
