import type { KubeObject } from "../../apis/index.ts";
import { type Client, isConflict, isNotFound, type ResourceType } from "../../runtime/index.ts";

/** Attempts on conflict. The member's controllers write statuses all the time. */
const ATTEMPTS = 5;

/** Sends the merge patch that `patchOf` computes from the object's metadata, if any; again on a conflict. */
export async function changeMetadata(
  client: Client,
  type: ResourceType,
  { namespace, name }: { namespace?: string; name: string },
  signal: AbortSignal,
  patchOf: (live: KubeObject) => { metadata: object } | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const patch = patchOf(await client.get(type, namespace, name, { metadataOnly: true, signal }));
      if (patch !== undefined)
        await client.patch(type, namespace, name, "application/merge-patch+json", patch, { signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
