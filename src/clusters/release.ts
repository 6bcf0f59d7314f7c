import {
  DELETION_POLICY_ANNOTATION,
  FIELD_MANAGER,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
} from "../apis/index.ts";
import { ownerOf } from "./observed.ts";

/** Told to keep no entry, a server takes a list of one empty entry for that; an empty list means nothing to it. */
const NOBODY = [{}];

/**
 * The JSON merge patch that makes a member object anybody's: it takes off every mark, the owner reference to the hub object, and Meridian's
 * entries in `managedFields`, so that nothing says or proves afterwards that the object was Meridian's. All values stay. It holds for this
 * version of this life of the object only.
 */
export function releasePatch(live: KubeObject): { metadata: Record<string, unknown> } {
  const { uid, resourceVersion, ownerReferences = [], managedFields = [] } = live.metadata;
  const owner = ownerOf(live)?.uid;
  const references = ownerReferences.filter((reference) => reference.uid !== owner);
  const others = managedFields.filter(({ manager }) => manager !== FIELD_MANAGER);
  return {
    metadata: {
      uid,
      resourceVersion,
      labels: { [MANAGED_BY_LABEL]: null },
      annotations: {
        [OWNER_ANNOTATION]: null,
        [OBJECT_ANNOTATION]: null,
        [DELETION_POLICY_ANNOTATION]: null,
        [HASH_ANNOTATION]: null,
      },
      ...(references.length === ownerReferences.length
        ? {}
        : { ownerReferences: references.length === 0 ? null : references }),
      managedFields: others.length === 0 ? NOBODY : others,
    },
  };
}
