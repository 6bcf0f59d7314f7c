import type { KubeObject } from "../../../apis/index.ts";
import { builtInTypeOf, type Client } from "../../../runtime/index.ts";
import { find } from "../../shared/index.ts";

/** The field manager of `kubectl apply --server-side`, so that people can continue with that command. */
const FIELD_MANAGER = "kubectl";

export function recordName({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

export interface Applied {
  created: KubeObject[];
  /** Made by others before, and left as they are. */
  found: KubeObject[];
}

/** Applies the objects that neither an earlier run nor anybody else has applied. */
export async function applySample(
  hub: Client,
  objects: readonly KubeObject[],
  earlier: readonly string[],
  signal: AbortSignal,
): Promise<Applied> {
  const applied: Applied = { created: [], found: [] };
  for (const object of objects) {
    if (earlier.includes(recordName(object))) continue;
    const type = builtInTypeOf(object);
    const { namespace, name } = object.metadata;
    if ((await find(hub, type, namespace, name, signal)) === undefined) {
      applied.created.push(await hub.apply(type, object, { fieldManager: FIELD_MANAGER, signal }));
    } else applied.found.push(object);
  }
  return applied;
}
