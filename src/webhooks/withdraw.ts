import { crdNameOf, isConverted, KINDS, type KubeObject, versionsOf } from "../apis/index.ts";
import { type Client, CRDS, isNotFound, listAll } from "../runtime/index.ts";
import { ADMISSION_TYPES } from "./publisher.ts";
import { conversionLike, leadsTo } from "./wanted.ts";

/**
 * Withdraws the webhook configurations, unless a chart brought them, and the conversion of the CRDs: without a manager
 * leftover configurations would refuse every change. Another release on the hub converts from then on, without a gap.
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
  const others = await otherConfigurations(client, configurationName, signal);
  for (const kind of KINDS) {
    const name = crdNameOf(kind);
    const crd = await find(client, name, signal);
    if (crd === undefined || !isConverted(crd)) continue;
    const heir = heirOf(crd, others);
    if (heir === "converts already") continue;
    // A chart's own fields would come back with the chart's next upgrade, but here they must go at once.
    const patch = heir === undefined ? unconverted(crd) : { spec: { conversion: heir } };
    if (!dryRun) await client.patch(CRDS, undefined, name, "application/merge-patch+json", patch, { signal });
    done.push(`customresourcedefinition/${name}`);
  }
  return done;
}

async function find(client: Client, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await client.get(CRDS, undefined, name, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Only the stored version is served. The patch writes all versions, so it holds the resourceVersion that was read. */
function unconverted(crd: KubeObject): object {
  const { resourceVersion } = crd.metadata;
  const versions = versionsOf(crd).map((version) => ({ ...version, served: version.storage }));
  return {
    metadata: { resourceVersion },
    spec: { conversion: { strategy: "None", webhook: null }, ...(versions.length === 0 ? {} : { versions }) },
  };
}

/** `spec.conversion` of another release, if one has its configurations on the hub. */
function heirOf(crd: KubeObject, others: readonly KubeObject[]): object | "converts already" | undefined {
  if (others.some((other) => leadsTo(crd, other))) return "converts already";
  for (const other of others) {
    const conversion = conversionLike(other);
    if (conversion !== undefined) return withoutTheOther(conversion);
  }
  return undefined;
}

/** One webhook configuration of each other release. */
async function otherConfigurations(client: Client, own: string, signal: AbortSignal): Promise<KubeObject[]> {
  const [type] = ADMISSION_TYPES;
  if (type === undefined) return [];
  const items = await listAll({ client, type, labelSelector: "app.kubernetes.io/part-of=meridian" }, { signal });
  return items.filter(({ metadata }) => metadata.name !== own);
}

/** With a null for the other form of address: the server never accepts both. */
function withoutTheOther(conversion: object): object {
  const { webhook, ...rest } = conversion as { webhook: { clientConfig: { url?: string } } };
  const gone = webhook.clientConfig.url === undefined ? { url: null } : { service: null };
  return { ...rest, webhook: { ...webhook, clientConfig: { ...webhook.clientConfig, ...gone } } };
}
