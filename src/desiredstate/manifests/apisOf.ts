import { type KubeObject, parseApiVersion } from "../../apis/index.ts";

const NONE: readonly string[] = [];
const known = new Map<string, readonly string[]>();

/** APIs (`group/version`) that a cluster must serve for these objects, without the groups of CRDs among them. */
export function apisOf(objects: readonly KubeObject[]): readonly string[] {
  const apis = new Set<string>();
  const brought = new Set<string>();
  for (const object of objects) {
    apis.add(object.apiVersion);
    if (object.kind !== "CustomResourceDefinition") continue;
    const { group } = (object["spec"] ?? {}) as { group?: unknown };
    if (typeof group === "string") brought.add(group);
  }
  if (apis.size === 0) return NONE;
  const needed = [...apis].filter((api) => !brought.has(parseApiVersion(api).group)).sort();
  // Many objects need the same few lists, so equal lists are shared.
  const key = needed.join();
  let same = known.get(key);
  if (same === undefined && known.size < 1024) known.set(key, (same = needed));
  return same ?? needed;
}
