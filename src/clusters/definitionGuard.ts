import { isRecord, type KubeObject, type ObjectRef } from "../apis/index.ts";
import { ApiError, type Client, isNotFound, type ResourceType } from "../runtime/index.ts";

/**
 * Refuses to remove a definition while objects of it exist on the member: the server would delete every one of them along with it, whoever
 * made the object. Rejects with `CustomObjectsExist`, or with what the client rejects with.
 */
export async function refuseWhileInUse(
  client: Client,
  definitions: ResourceType,
  { name }: ObjectRef,
  signal: AbortSignal,
): Promise<void> {
  try {
    const type = servedBy(await client.get(definitions, undefined, name, { signal }));
    if (type === undefined) return;
    const { items } = await client.list(type, { metadataOnly: true, limit: 1, signal });
    if (items[0] !== undefined) throw inUse(name, type, items[0]);
  } catch (error) {
    // Neither it nor its objects are served (any more): there is nothing to lose.
    if (!isNotFound(error)) throw error;
  }
}

function inUse(definition: string, { kind }: ResourceType, { metadata }: KubeObject): ApiError {
  const one = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const text = `${kind} ${one} would be deleted with it; delete it first, or annotate the owner: allow-crd-removal=${definition}`;
  return new ApiError(409, "CustomObjectsExist", text);
}

/** What a definition has a server serve; undefined while it has the server serve nothing. */
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
