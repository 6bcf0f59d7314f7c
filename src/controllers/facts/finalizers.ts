import { finalizersPatch, type KubeObject, type ObjectMeta } from "../../apis/index.ts";
import { type Client, isConflict, isInvalid, isNotFound, type ResourceType } from "../../runtime/index.ts";

/**
 * When a finalizer could not be set because the object changed: a change of its finalizers comes by watch and wakes the reconciler by
 * itself; this retry is for every other change.
 */
export const RETRY_FINALIZER_MS = 1_000;

/**
 * Writes the finalizers, provided that the UID, the deletionTimestamp and the finalizers of the object are those that were seen: other
 * changes, a status write of our own above all, do not get in the way. Undefined when any of the three has changed or the object is gone:
 * then the object is to be planned again.
 */
export async function setFinalizers(
  client: Client,
  type: ResourceType,
  object: { metadata: ObjectMeta },
  next: readonly string[],
  signal: AbortSignal,
  /** Written along; without a value the annotation is removed. */
  annotation?: { name: string; value: string | undefined },
): Promise<KubeObject | undefined> {
  const { namespace, name, deletionTimestamp = null, annotations } = object.metadata;
  const patch = [
    { op: "test", path: "/metadata/deletionTimestamp", value: deletionTimestamp },
    ...finalizersPatch(object.metadata, next),
    ...(annotation === undefined ? [] : annotate(annotations, annotation)),
  ];
  try {
    return await client.patch(type, namespace, name, "application/json-patch+json", patch, { signal });
  } catch (error) {
    // A failed test is answered with 422.
    if (isInvalid(error) || isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * A JSON patch adds nothing to what is not there: an object without annotations gets the map of them first. The hub's cache keeps the map, empty
 * it may be, of an object that has any.
 */
function annotate(
  annotations: ObjectMeta["annotations"],
  { name, value }: { name: string; value: string | undefined },
): object[] {
  const path = "/metadata/annotations";
  const entry = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const before = annotations?.[name];
  if (value === undefined) {
    if (before === undefined) return [];
    return [
      { op: "test", path: entry, value: before },
      { op: "remove", path: entry },
    ];
  }
  if (annotations !== undefined) return [{ op: "add", path: entry, value }];
  return [
    { op: "test", path, value: null },
    { op: "add", path, value: { [name]: value } },
  ];
}
