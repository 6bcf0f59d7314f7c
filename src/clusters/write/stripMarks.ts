import { FEDERATION_GROUP, FIELD_MANAGER, type KubeObject } from "../../apis/index.ts";
import type { Client, ResourceType } from "../../runtime/index.ts";
import { changeMetadata } from "./metadataPatch.ts";
import { ownerOf } from "../model/index.ts";

const OURS = `${FEDERATION_GROUP}/`;
/** `managedFields` of an object of which nobody owns a field: the server takes an empty list for none at all, and keeps what it has. */
const NOBODY_OWNS: readonly object[] = [{}];

/** One life of an object on a member. */
export interface Life {
  namespace?: string;
  name: string;
  uid: string;
}

/** Takes everything of Meridian off that life of an object. Nothing happens when it is gone. Throws what the client throws. */
export async function stripMarks(client: Client, type: ResourceType, life: Life, signal: AbortSignal): Promise<void> {
  const patchOf = (live: KubeObject) => (live.metadata.uid === life.uid ? marksPatch(live) : undefined);
  await changeMetadata(client, type, life, signal, patchOf);
}

/**
 * The merge patch that makes a member object anybody's: without Meridian's labels and annotations, without an owner on the hub, and without
 * Meridian among the owners of its fields. The patch holds for that version of the object only. Undefined when nothing of Meridian is left.
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
