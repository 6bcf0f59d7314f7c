import { finalizersPatch, type KubeObject, type ObjectMeta } from "../../apis/index.ts";
import { type Client, isConflict, isInvalid, isNotFound, type ResourceType } from "../../runtime/index.ts";

/** Delay of the retry when a finalizer could not be set because the object changed. */
export const RETRY_FINALIZER_MS = 1_000;

/**
 * Writes the finalizers if UID, deletionTimestamp and finalizers of the object are unchanged. Otherwise, or if the
 * object is gone, returns undefined: the object must be planned again.
 */
export async function setFinalizers(
  client: Client,
  type: ResourceType,
  object: { metadata: ObjectMeta },
  next: readonly string[],
  signal: AbortSignal,
  /** Annotation that the same patch writes, or removes if there is no value. */
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
    // The API server answers a failed test with 422.
    if (isInvalid(error) || isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** A JSON patch cannot add an entry to a missing map: an object without annotations gets the map first. */
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
