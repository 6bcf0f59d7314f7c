import { FEDERATION_GROUP, FIELD_MANAGER, type KubeObject } from "../apis/index.ts";
import { type Client, isConflict, isNotFound, type ResourceType } from "../runtime/index.ts";
import { ownerOf } from "./observed.ts";

const OURS = `${FEDERATION_GROUP}/`;
/** `managedFields` of an object of which nobody owns a field: the server takes an empty list for none at all, and keeps what it has. */
const NOBODY_OWNS: readonly object[] = [{}];
/** How often an object that changes meanwhile is read again. The member's controllers write statuses all the time. */
const ATTEMPTS = 5;

/** One life of an object on a member. */
export interface Life {
  namespace?: string;
  name: string;
  uid: string;
}

/** Takes everything of Meridian off that life of an object. Nothing happens when it is gone. Throws what the client throws. */
export async function letGo(client: Client, type: ResourceType, life: Life, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid } = life;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const current = await client.get(type, namespace, name, { metadataOnly: true, signal });
      const patch = current.metadata.uid === uid ? lettingGo(current) : undefined;
      if (patch !== undefined)
        await client.patch(type, namespace, name, "application/merge-patch+json", patch, { signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * The merge patch that makes a member object anybody's: without Meridian's labels and annotations, without an owner on the hub, and without
 * Meridian among the owners of its fields. The patch holds for that version of the object only. Undefined when nothing of Meridian is left.
 */
export function lettingGo(object: KubeObject): object | undefined {
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
