import { FEDERATION_GROUP, FIELD_MANAGER, type KubeObject } from "../../apis/index.ts";
import type { Client, ResourceType } from "../../runtime/index.ts";
import { changeMetadata } from "./metadataPatch.ts";
import { ownerOf } from "../model/index.ts";

const OURS = `${FEDERATION_GROUP}/`;
/** Value of `managedFields` that clears all owners. The server ignores an empty list and keeps the old entries. */
const NOBODY_OWNS: readonly object[] = [{}];

/** An object on a member, by UID. */
export interface Life {
  namespace?: string;
  name: string;
  uid: string;
}

/** Removes all marks of Meridian from the object with this UID, if it is there. Throws the client's errors. */
export async function stripMarks(client: Client, type: ResourceType, life: Life, signal: AbortSignal): Promise<void> {
  const patchOf = (live: KubeObject) => (live.metadata.uid === life.uid ? marksPatch(live) : undefined);
  await changeMetadata(client, type, life, signal, patchOf);
}

/**
 * Merge patch that removes Meridian from this version of the object: labels, annotations, the ownerReference to the hub
 * object, and its entries in `managedFields`. Undefined when there are none.
 */
export function marksPatch(object: KubeObject): { metadata: object } | undefined {
  const { uid, resourceVersion, labels, annotations, ownerReferences = [], managedFields = [] } = object.metadata;
  const owner = ownerOf(object)?.uid;
  const references = ownerReferences.filter((reference) => reference.uid !== owner);
  const others = managedFields.filter(({ manager }) => manager !== FIELD_MANAGER);
  const patch = {
    ...without("labels", labels),
    ...without("annotations", annotations),
    ...(references.length === ownerReferences.length ? {} : { ownerReferences: references }),
    ...(others.length === managedFields.length ? {} : { managedFields: others.length === 0 ? NOBODY_OWNS : others }),
  };
  if (Object.keys(patch).length === 0) return undefined;
  return { metadata: { uid, resourceVersion, ...patch } };
}

function without(field: "labels" | "annotations", entries: Readonly<Record<string, string>> = {}): object {
  const ours = Object.keys(entries).filter((key) => key.startsWith(OURS));
  return ours.length === 0 ? {} : { [field]: Object.fromEntries(ours.map((key) => [key, null])) };
}
