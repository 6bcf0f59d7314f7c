import { isRecord, type KubeObject } from "../../apis/index.ts";
import {
  ApiError,
  type Client,
  isForbidden,
  ifFound,
  listAll,
  PERSISTENTVOLUMECLAIMS,
  type ResourceType,
} from "../../runtime/index.ts";
import type { Life } from "./stripMarks.ts";

/**
 * Makes sure that the volume claims of a StatefulSet survive its deletion. With `whenDeleted: Delete` the garbage
 * collector deletes them too. So the field is set to `Retain` first, and the removal is refused (`Conflict`, to be
 * retried) until no claim names the StatefulSet as owner. Rejects with the client's errors.
 */
export async function keepClaims(
  client: Client,
  statefulSets: ResourceType,
  life: Life,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = life;
  const live = await ifFound(client.get(statefulSets, life.namespace, life.name, { signal }));
  if (live === undefined || live.metadata.uid !== uid || !hasTemplates(live)) return;
  if (takesClaimsAlong(live)) {
    const { resourceVersion } = live.metadata;
    const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } };
    const patch = { metadata: { uid, resourceVersion }, spec };
    await client.patch(statefulSets, namespace, name, "application/merge-patch+json", patch, { signal });
    throw notYet("its controller has not let go of its volume claims yet");
  }
  const claims = await claimsIn(client, namespace, signal);
  if (claims === undefined && !isSeenByController(live))
    throw notYet("its controller has not seen its last change yet");
  const owned = claims?.find(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  if (owned !== undefined) throw notYet(`PersistentVolumeClaim ${owned.metadata.name} would be deleted with it`);
}

function notYet(why: string): ApiError {
  return new ApiError(409, "Conflict", `it stays until its claims can stay without it: ${why}`);
}

/** Undefined when the account may not list claims. */
async function claimsIn(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  try {
    const inThere = namespace === undefined ? {} : { namespace };
    return await listAll({ client, type: PERSISTENTVOLUMECLAIMS, ...inThere }, { metadataOnly: true, signal });
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function specOf({ spec }: KubeObject): Record<string, unknown> {
  return isRecord(spec) ? spec : {};
}

function hasTemplates(statefulSet: KubeObject): boolean {
  const templates = specOf(statefulSet)["volumeClaimTemplates"];
  return Array.isArray(templates) && templates.length > 0;
}

function takesClaimsAlong(statefulSet: KubeObject): boolean {
  const policy = specOf(statefulSet)["persistentVolumeClaimRetentionPolicy"];
  return isRecord(policy) && policy["whenDeleted"] === "Delete";
}

function isSeenByController({ metadata, status }: KubeObject): boolean {
  const seen = isRecord(status) ? status["observedGeneration"] : undefined;
  return typeof seen === "number" && seen >= (metadata.generation ?? 0);
}
