import { crdNameOf, isConverted, type KindDefinition, type KubeObject, versionsOf } from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  CRDS,
  Informer,
  isConflict,
  isInvalid,
  isNotFound,
  type ResourceType,
  typeOf,
  listPages,
} from "../runtime/index.ts";

export interface StorageMigrationOptions {
  client: Client;
  kinds: readonly KindDefinition[];
  clock: Clock;
  logger: Logger;
}

interface StoredVersions {
  resourceVersion: string | undefined;
  /** The present storage version. */
  storage: string;
  /** Versions in which objects may be stored in etcd. */
  stored: string[];
  converts: boolean;
}

const PAGE = 200;
const RETRY_MS = 30_000;

/**
 * Rewrites every object in the storage version of its kind and records this in the CRD, so that an older version can be
 * dropped some day. An empty patch is enough: the server writes an object whose stored form would change. Runs only
 * with conversion by webhook, since fields would be lost without it. Two runs at once do no harm.
 */
export async function migrateStorage(options: StorageMigrationOptions, signal: AbortSignal): Promise<void> {
  // Objects of a kind with a single version are all stored in that version.
  const several = options.kinds.filter(({ versions }) => versions.length > 1);
  await Promise.all(several.map((kind) => migrate(kind, options, signal)));
}

async function migrate(
  kind: KindDefinition,
  { client, clock, logger }: StorageMigrationOptions,
  signal: AbortSignal,
): Promise<void> {
  const name = crdNameOf(kind);
  const crds = new Informer<StoredVersions>({
    client,
    type: CRDS,
    fieldSelector: `metadata.name=${name}`,
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
    const versions = crds.get(name);
    if (signal.aborted || versions === undefined || !needsMigration(versions)) continue;
    try {
      const objects = await rewriteAll(client, typeOf(kind), signal);
      await dropVersions(client, name, versions, signal);
      logger.info(
        { kind: kind.kind, objects, version: versions.storage },
        "every object of the kind is stored in one version",
      );
    } catch (error) {
      if (signal.aborted) break;
      logger.warn(
        { err: error, kind: kind.kind, retry_after_ms: RETRY_MS },
        "stored objects could not all be rewritten",
      );
      const again = wake;
      clock.after(RETRY_MS, () => again.resolve());
    }
  }
  await watching;
}

function readStoredVersions(crd: KubeObject): StoredVersions {
  const { storedVersions } = (crd["status"] ?? {}) as { storedVersions?: string[] | null };
  return {
    resourceVersion: crd.metadata.resourceVersion,
    storage: versionsOf(crd).find(({ storage }) => storage)?.name ?? "",
    stored: storedVersions ?? [],
    converts: isConverted(crd),
  };
}

function needsMigration({ storage, stored, converts }: StoredVersions): boolean {
  return converts && storage !== "" && stored.some((version) => version !== storage);
}

/** Rewrites all objects of the type. Returns their number. */
async function rewriteAll(client: Client, type: ResourceType, signal: AbortSignal): Promise<number> {
  let count = 0;
  // No time limit: each page is written before the next one is read, which may take long.
  const options = { metadataOnly: true, signal, limit: PAGE, longestMs: Infinity };
  for await (const { items } of listPages({ client, type }, options)) {
    for (const { metadata } of items) await rewrite(client, type, metadata, signal);
    count += items.length;
  }
  return count;
}

async function rewrite(
  client: Client,
  type: ResourceType,
  { namespace, name }: KubeObject["metadata"],
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.patch(type, namespace, name, "application/merge-patch+json", {}, { signal });
  } catch (error) {
    // Somebody else wrote or deleted the object, so nothing is left to do.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** Only if the CRD is unchanged: a version that came back into use in the meantime must stay. */
async function dropVersions(
  client: Client,
  name: string,
  versions: StoredVersions,
  signal: AbortSignal,
): Promise<void> {
  const patch = [
    { op: "test", path: "/status/storedVersions", value: versions.stored },
    { op: "replace", path: "/status/storedVersions", value: [versions.storage] },
    ...(versions.resourceVersion === undefined
      ? []
      : [{ op: "replace", path: "/metadata/resourceVersion", value: versions.resourceVersion }]),
  ];
  try {
    await client.patch(CRDS, undefined, name, "application/json-patch+json", patch, {
      signal,
      subresource: "status",
    });
  } catch (error) {
    // The CRD has changed. Its new state comes by watch and is checked again.
    if (!isConflict(error) && !isInvalid(error)) throw error;
  }
}
