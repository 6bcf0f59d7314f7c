import type { KubeObject } from "../../apis/index.ts";
import { type Client, isConflict, isNotFound, type ResourceType } from "../../runtime/index.ts";

/** Maximum of attempts on conflict. The member's controllers write statuses all the time. */
const ATTEMPTS = 5;

/**
 * Reads the object's metadata and sends the merge patch that `patchOf` computes, if any. On a conflict both steps are
 * repeated. An object that is gone is left alone. Throws the client's errors.
 */
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
