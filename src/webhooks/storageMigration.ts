import { type KubeObject, PAAS_GROUP } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  CRDS,
  DEMOAPPLICATIONS,
  Informer,
  isConflict,
  isInvalid,
  isNotFound,
} from "../runtime/index.ts";

export interface StorageMigrationOptions {
  client: Client;
  clock: Clock;
  logger: Logger;
}

interface StoredVersions {
  resourceVersion: string | undefined;
  /** The version that is stored from now on. */
  storage: string;
  /** Versions in which objects may lie in etcd. */
  stored: string[];
  converts: boolean;
}

const CRD_NAME = `demoapplications.${PAAS_GROUP}`;
const PAGE = 200;
const RETRY_MS = 30_000;

/**
 * Brings every DemoApplication to the version that is stored now, and then says so in the CRD, so that an older version can be dropped
 * some day. An empty patch is enough: the server writes an object anew when it would store it otherwise, and else does nothing.
 * Only with conversion by webhook, since without it fields would be lost. Interrupted, it begins again; twice at once does no harm.
 */
export async function migrateStorage(options: StorageMigrationOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, logger } = options;
  const crds = new Informer<StoredVersions>({
    client,
    type: CRDS,
    fieldSelector: `metadata.name=${CRD_NAME}`,
    name: "webhooks/storage-versions",
    transform: readStoredVersions,
    clock,
    logger,
  });
  let wake = Promise.withResolvers<void>();
  using _changes = crds.onEvent(() => wake.resolve());
  const watching = crds.run(signal);
  const ended = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  while (!signal.aborted) {
    await Promise.race([wake.promise, ended.promise]);
    wake = Promise.withResolvers<void>();
    const versions = crds.get(CRD_NAME);
    if (signal.aborted || versions === undefined || !needsMigration(versions)) continue;
    try {
      const objects = await rewriteAll(client, signal);
      await dropVersions(client, versions, signal);
      logger.info({ objects, version: versions.storage }, "every DemoApplication is stored in one version");
    } catch (error) {
      if (signal.aborted) break;
      logger.warn({ err: error, retry_after_ms: RETRY_MS }, "stored DemoApplications could not all be rewritten");
      const again = wake;
      clock.after(RETRY_MS, () => again.resolve());
    }
  }
  await watching;
}

function readStoredVersions(crd: KubeObject): StoredVersions {
  const spec = (crd["spec"] ?? {}) as {
    versions?: { name: string; storage: boolean }[];
    conversion?: { strategy?: string };
  };
  const { storedVersions } = (crd["status"] ?? {}) as { storedVersions?: string[] | null };
  return {
    resourceVersion: crd.metadata.resourceVersion,
    storage: spec.versions?.find(({ storage }) => storage)?.name ?? "",
    stored: storedVersions ?? [],
    converts: spec.conversion?.strategy === "Webhook",
  };
}

function needsMigration({ storage, stored, converts }: StoredVersions): boolean {
  return converts && storage !== "" && stored.some((version) => version !== storage);
}

/** How many objects were read. */
async function rewriteAll(client: Client, signal: AbortSignal): Promise<number> {
  let count = 0;
  let next: string | undefined;
  do {
    const page = await client.list(DEMOAPPLICATIONS, {
      limit: PAGE,
      metadataOnly: true,
      signal,
      ...(next === undefined ? {} : { continue: next }),
    });
    for (const { metadata } of page.items) await rewrite(client, metadata, signal);
    count += page.items.length;
    next = page.continue;
  } while (next !== undefined && next !== "");
  return count;
}

async function rewrite(
  client: Client,
  { namespace, name }: KubeObject["metadata"],
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.patch(DEMOAPPLICATIONS, namespace, name, "application/merge-patch+json", {}, { signal });
  } catch (error) {
    // Whoever else wrote or deleted it has done the work.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** Only if the CRD is still the one that was seen: a version that came back into use meanwhile must not be forgotten. */
async function dropVersions(client: Client, versions: StoredVersions, signal: AbortSignal): Promise<void> {
  const patch = [
    { op: "test", path: "/status/storedVersions", value: versions.stored },
    { op: "replace", path: "/status/storedVersions", value: [versions.storage] },
    ...(versions.resourceVersion === undefined
      ? []
      : [{ op: "replace", path: "/metadata/resourceVersion", value: versions.resourceVersion }]),
  ];
  try {
    await client.patch(CRDS, undefined, CRD_NAME, "application/json-patch+json", patch, {
      signal,
      subresource: "status",
    });
  } catch (error) {
    // The CRD changed; its new state comes by watch, and is checked anew.
    if (!isConflict(error) && !isInvalid(error)) throw error;
  }
}
