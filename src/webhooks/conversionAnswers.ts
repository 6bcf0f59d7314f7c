import type { KindDefinition } from "../apis/index.ts";
import { type Client, isApiError, typeOf } from "../runtime/index.ts";

/**
 * Returns whether the conversion webhook that the CRDs of these kinds name answers. Tests this as clients do, by
 * reading an object in a version that is not stored. Returns true also when the test shows nothing: a kind has no other
 * version or no object, or the hub fails for another reason.
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
