import type { KubeObject } from "../../../apis/index.ts";
import {
  type Client,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
} from "../../../runtime/index.ts";
import { find } from "../../shared/index.ts";

/** The kinds that a sample may hold. */
const TYPES: readonly ResourceType[] = [
  PLACEMENTS,
  CLUSTERPLACEMENTS,
  OVERRIDEPOLICIES,
  CLUSTEROVERRIDEPOLICIES,
  DEMOAPPLICATIONS,
];

/** Field manager of `kubectl apply --server-side`, so that people can continue with that command on these files. */
const FIELD_MANAGER = "kubectl";

/** Name of an object in the record of applied objects. */
export function recordName({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

export interface Applied {
  /** Objects that this run created. */
  created: KubeObject[];
  /** Objects that somebody else had made before; they stay unchanged. */
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
    const type = typeOf(object);
    const { namespace, name } = object.metadata;
    if ((await find(hub, type, namespace, name, signal)) === undefined) {
      applied.created.push(await hub.apply(type, object, { fieldManager: FIELD_MANAGER, signal }));
    } else applied.found.push(object);
  }
  return applied;
}

export function typeOf({ kind }: KubeObject): ResourceType {
  const type = TYPES.find((candidate) => candidate.kind === kind);
  if (type === undefined) throw new Error(`the sample holds a ${kind}, which quickstart does not know`);
  return type;
}
