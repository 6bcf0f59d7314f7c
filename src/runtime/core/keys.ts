import type { KubeObject } from "../../apis/index.ts";

/** The key of an object among those of its kind in one cluster: `namespace/name`, or `name` where there is no namespace. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

export function keyOf(object: KubeObject): string {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

/**
 * Orders two resourceVersions of one kind in one cluster: negative when `a` is older. They are decimal numbers without leading
 * zeros that may exceed what a double holds, so the longer one is the greater.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
