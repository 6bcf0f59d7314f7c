import type { KubeObject } from "../../apis/index.ts";

/** Key of an object among the objects of its kind in one cluster: `namespace/name`, or `name` without a namespace. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

export function keyOf(object: KubeObject): string {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

/**
 * Orders two resourceVersions of one kind in one cluster: negative when `a` is older. Versions are decimal numbers
 * without leading zeros and may exceed a double, so the longer text is the greater number.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
