import { PAAS_GROUP } from "../apis/index.ts";
import { type Client, CRDS, isNotFound } from "../runtime/index.ts";
import { ADMISSION_TYPES } from "./publisher.ts";

/**
 * Takes back what the webhooks wrote of themselves: their configurations, unless a chart brought them, and the conversion of the CRD. For
 * when no manager will serve them any more: what stays would refuse every change. Doing it again does no harm.
 */
export async function withdrawWebhooks(
  client: Client,
  configurationName: string,
  signal: AbortSignal,
  dryRun = false,
): Promise<string[]> {
  const done: string[] = [];
  for (const type of ADMISSION_TYPES) {
    try {
      const live = await client.get(type, undefined, configurationName, { metadataOnly: true, signal });
      if (live.metadata.labels?.["app.kubernetes.io/managed-by"] === "Helm") continue;
      if (!dryRun) await client.delete(type, undefined, configurationName, { signal });
      done.push(`${type.kind.toLowerCase()}/${configurationName}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  const name = `demoapplications.${PAAS_GROUP}`;
  try {
    const crd = await client.get(CRDS, undefined, name, { signal });
    const { conversion } = (crd["spec"] ?? {}) as { conversion?: { strategy?: string } };
    if (conversion?.strategy !== "Webhook") return done;
    // A chart's own words would come back with its next upgrade; here they must go at once.
    const patch = { spec: { conversion: { strategy: "None", webhook: null } } };
    if (!dryRun) {
      await client.patch(CRDS, undefined, name, "application/merge-patch+json", patch, {
        signal,
      });
    }
    done.push(`customresourcedefinition/${name}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return done;
}
