import type { KindDefinition } from "../apis/index.ts";
import { type Client, isApiError, typeOf } from "../runtime/index.ts";

/**
 * Whether whoever the CRDs of these kinds name converts, as clients find out: by reading an object in a version that is not stored. True also
 * when the hub does not know, since there is no such version, it holds no object or does not answer itself.
 */
export async function conversionAnswers(
  client: Client,
  kinds: readonly KindDefinition[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const kind of kinds) {
    const [, ...others] = kind.versions;
    for (const { name } of others) {
      try {
        await client.list(typeOf(kind, name), { limit: 1, metadataOnly: true, signal });
      } catch (error) {
        if (!isApiError(error)) throw error;
        if (error.apiMessage.includes("conversion webhook")) return false;
      }
    }
  }
  return true;
}
