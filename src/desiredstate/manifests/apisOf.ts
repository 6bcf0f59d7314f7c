import { type KubeObject, parseApiVersion } from "../../apis/index.ts";

const NONE: readonly string[] = [];
const known = new Map<string, readonly string[]>();

/** `group/version` of what a cluster has to serve for these objects; not those that a definition among them brings along. */
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
  // The same few lists again and again: one of each.
  const key = needed.join();
  let same = known.get(key);
  if (same === undefined && known.size < 1024) known.set(key, (same = needed));
  return same ?? needed;
}
