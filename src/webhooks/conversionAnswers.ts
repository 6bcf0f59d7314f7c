import { type Client, DEMOAPPLICATIONS, isApiError } from "../runtime/index.ts";

const V1BETA1 = { ...DEMOAPPLICATIONS, version: "v1beta1" };

/**
 * Whether whoever the CRD names converts, as clients find out: by reading an object in the version that is not stored. True also when the
 * hub does not know, since it holds no object or does not answer itself.
 */
export async function conversionAnswers(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.list(V1BETA1, { limit: 1, metadataOnly: true, signal });
    return true;
  } catch (error) {
    if (!isApiError(error)) throw error;
    return !error.apiMessage.includes("conversion webhook");
  }
}
