import type { ObjectIdentity } from "../../query/types.ts";

export interface PairName {
  object: ObjectIdentity;
  cluster: string;
}

/** `Kind.group/namespace/name`, with an empty namespace for a cluster-scoped object: the same in links and maps. */
export function keyOfObject({ kind, group, namespace = "", name }: ObjectIdentity): string {
  return `${group === "" ? kind : `${kind}.${group}`}/${namespace}/${name}`;
}

/** Undefined: the text is no key. */
export function objectOfKey(key: string): ObjectIdentity | undefined {
  const [, kind, group = "", namespace, name] =
    /^([A-Za-z0-9]+)(?:\.([a-z0-9.-]+))?\/([^/]*)\/([^/]+)$/.exec(key) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  return { kind, group, name, ...(namespace === undefined || namespace === "" ? {} : { namespace }) };
}

/** As people say it: `shop/web`, with the kind where it is not the common one. */
export function shortName({ kind, namespace, name }: ObjectIdentity): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return kind === "DemoApplication" ? place : `${kind} ${place}`;
}
