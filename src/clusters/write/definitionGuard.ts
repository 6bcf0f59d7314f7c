import { isRecord, type KubeObject, type ObjectRef } from "../../apis/index.ts";
import { ApiError, type Client, ifFound, isMissing, type ObjectList, type ResourceType } from "../../runtime/index.ts";

/**
 * Refuses to remove a definition while objects of its kind may exist on the member, since the server would delete them
 * all. Rejects with `CustomObjectsExist` or with the client's errors.
 */
export async function refuseWhileInUse(
  client: Client,
  definitions: ResourceType,
  { name }: ObjectRef,
  signal: AbortSignal,
): Promise<void> {
  const definition = await ifFound(client.get(definitions, undefined, name, { signal }));
  if (definition === undefined || !wasEstablished(definition)) return;
  const type = servedBy(definition);
  const list = type && (await listed(client, type, signal));
  // The server may store objects of a kind that it does not serve.
  if (type === undefined || list === undefined) throw perhapsInUse(name);
  const [one] = list.items;
  if (one !== undefined) throw inUse(name, type, one);
}

/** Undefined when the server does not serve the kind. */
async function listed(client: Client, type: ResourceType, signal: AbortSignal): Promise<ObjectList | undefined> {
  try {
    return await client.list(type, { metadataOnly: true, limit: 1, signal });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Before `Established`, which never becomes false again, no objects exist. */
function wasEstablished({ status }: KubeObject): boolean {
  const conditions = isRecord(status) ? status["conditions"] : undefined;
  if (!Array.isArray(conditions)) return false;
  return conditions.filter(isRecord).some(({ type, status: is }) => type === "Established" && is === "True");
}

function perhapsInUse(definition: string): ApiError {
  const text = `whether objects of ${definition} exist is not known while no version is served: serve one, or annotate the owner: allow-crd-removal=${definition}`;
  return new ApiError(409, "CustomObjectsExist", text);
}

function inUse(definition: string, { kind }: ResourceType, { metadata }: KubeObject): ApiError {
  const one = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const text = `${kind} ${one} would be deleted with it; delete it first, or annotate the owner: allow-crd-removal=${definition}`;
  return new ApiError(409, "CustomObjectsExist", text);
}

/** The kind in the first served version; undefined when no version is served. */
function servedBy(definition: KubeObject): ResourceType | undefined {
  const spec = isRecord(definition["spec"]) ? definition["spec"] : {};
  const names = isRecord(spec["names"]) ? spec["names"] : {};
  const versions = Array.isArray(spec["versions"]) ? spec["versions"].filter(isRecord) : [];
  const { group, scope } = spec;
  const version = versions.find(({ served }) => served === true)?.["name"];
  const { plural, kind } = names;
  const isComplete = [group, version, plural, kind].every((text) => typeof text === "string");
  if (!isComplete) return undefined;
  return {
    group: group as string,
    version: version as string,
    kind: kind as string,
    plural: plural as string,
    namespaced: scope !== "Cluster",
  };
}
