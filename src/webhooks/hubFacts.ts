import {
  DEFAULT_REPLICA_BOUNDS,
  defined,
  type DemoApplication,
  type FederatedStatus,
  type KubeObject,
  type MemberCluster,
  namesIn,
  type OverridePolicy,
  parseReplicaBounds,
  REGION_LABEL,
  REPLICA_BOUNDS_ANNOTATION,
} from "../apis/index.ts";
import { compressedIn, type HubCache, unpack, type Unpacked } from "../hub/index.ts";
import { namespaceTerms } from "../desiredstate/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  isApiError,
  isNotFound,
  isTransportError,
  NAMESPACES,
  SECRETS,
  serverOfKubeconfig,
} from "../runtime/index.ts";
import { isProtected } from "./admission/deletion.ts";
import type { AdmissionFacts, AdmissionRequest, ApplicationFacts, Endpoint, ServedKind } from "./admission/types.ts";

export interface HubFactsOptions {
  hub: HubCache;
  client: Client;
  /** Meridian's own namespace, with the kubeconfigs of members. */
  namespace: string;
  clock: Clock;
  logger: Logger;
}

/** The API server waits no longer for an answer either. */
const SYNC_WITHIN_MS = 1_500;
/** The served kinds are read again after this time; for an unknown kind after the second one. */
const SERVED_FOR_MS = 60_000;
const SERVED_AGAIN_MS = 1_000;

/** Maximum of the schema of policies. */
const MOST_SELECTORS = 64;

/**
 * Facts for admission, from the process's cache, so that no call waits for a list, and from reads of single objects.
 */
export class HubFacts {
  readonly #options: HubFactsOptions;

  constructor(options: HubFactsOptions) {
    this.#options = options;
  }

  /** Rejects when the hub's caches have not synced in time. */
  async read(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionFacts> {
    const { hub } = this.#options;
    const end = AbortSignal.any([signal, AbortSignal.timeout(SYNC_WITHIN_MS)]);
    await hub.waitForSync(end);
    const [bounds, servedKinds, endpoints, unpacked] = await Promise.all([
      this.#bounds(request.namespace, end),
      this.#served(request, end),
      this.#endpoints(request, end),
      this.#unpacked(request),
    ]);
    const parsed = bounds === undefined ? undefined : parseReplicaBounds(bounds);
    const facts = (object: KubeObject): ApplicationFacts => applicationFacts(object, hub.statuses.of(object));
    return {
      replicaBounds: parsed ?? DEFAULT_REPLICA_BOUNDS,
      ...(bounds === undefined || parsed !== undefined ? {} : { unreadableBounds: bounds }),
      ...this.#terms(request),
      servedKinds,
      placements: hub.allPlacements(),
      settingOf: (object) => hub.planned.settingOf(object),
      clusters: hub.clusterSnapshots(),
      applicationsWithNodePort: (nodePort) => Array.from(hub.objectsWithNodePort(nodePort), facts),
      selectedBy: (policy) => firstSelected(hub, policy),
      applicationsOn: (cluster) => applicationsOn(hub, cluster),
      protectedIn: (namespace) =>
        [...hub.objectsIn(namespace)].filter(({ metadata }) => isProtected(metadata.labels)).map(facts),
      endpoint: (cluster) => endpoints.get(secretKeyOf(cluster)) ?? { kind: "Unknown" },
      unpacked,
    };
  }

  /** None for a namespace that has not come by watch yet: the status of the bundle tells of missing grants. */
  #terms({ resource, namespace = "" }: AdmissionRequest): Pick<AdmissionFacts, "namespaceTerms"> {
    const known = resource.resource === "manifestbundles" ? this.#options.hub.namespaces.get(namespace) : undefined;
    return known === undefined ? {} : { namespaceTerms: namespaceTerms(known.metadata, false) };
  }

  /** Reads the namespace from the server if it has not come by watch yet. */
  async #bounds(namespace: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (namespace === undefined || namespace === "") return undefined;
    const { hub, client } = this.#options;
    const known = hub.namespaces.get(namespace);
    if (known !== undefined) return known.metadata.annotations?.[REPLICA_BOUNDS_ANNOTATION];
    try {
      const { metadata } = await client.get(NAMESPACES, undefined, namespace, { metadataOnly: true, signal });
      return metadata.annotations?.[REPLICA_BOUNDS_ANNOTATION];
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #served(request: AdmissionRequest, signal: AbortSignal): Promise<readonly ServedKind[] | undefined> {
    if (!/placements$|overridepolicies$/.test(request.resource.resource) || request.operation === "DELETE") {
      return undefined;
    }
    const { hub, logger } = this.#options;
    const selectors = selectorsIn(request.object);
    const holdsAll = (all: readonly ServedKind[]): boolean =>
      selectors.every(({ group, version, kind }) =>
        all.some((one) => one.group === group && one.version === version && one.kind === kind),
      );
    try {
      const known = await hub.catalog.served(SERVED_FOR_MS, signal);
      if (holdsAll(known.resources)) return known.resources;
      const fresh = await hub.catalog.served(SERVED_AGAIN_MS, signal);
      // An unavailable part of the API may serve the missing kind.
      return !holdsAll(fresh.resources) && fresh.unavailable.size > 0 ? undefined : fresh.resources;
    } catch (error) {
      if (!isApiError(error) && !isTransportError(error)) throw error;
      logger.warn({ err: error }, "the hub does not say what it serves; selectors are taken as they are");
      return undefined;
    }
  }

  async #unpacked({ resource, operation, object, oldObject }: AdmissionRequest): Promise<Map<unknown, Unpacked>> {
    const unpacked = new Map<unknown, Unpacked>();
    if (resource.resource !== "manifestbundles" || operation === "DELETE") return unpacked;
    for (const bundle of [object, oldObject]) {
      const compressed = compressedIn(bundle?.["spec"]);
      if (compressed !== undefined && !unpacked.has(compressed))
        unpacked.set(compressed, await unpack(compressed, this.#options.clock));
    }
    return unpacked;
  }

  async #endpoints(request: AdmissionRequest, signal: AbortSignal): Promise<Map<string, Endpoint>> {
    const found = new Map<string, Endpoint>();
    if (request.resource.resource !== "memberclusters" || request.operation === "DELETE") return found;
    for (const object of [request.object, request.oldObject]) {
      const cluster = object as unknown as MemberCluster | null | undefined;
      const reference = cluster?.spec?.connection?.kubeconfigSecretRef;
      if (!cluster || reference === undefined || found.has(secretKeyOf(cluster))) continue;
      found.set(secretKeyOf(cluster), await this.#endpoint(reference.name, reference.key ?? "kubeconfig", signal));
    }
    return found;
  }

  async #endpoint(name: string, key: string, signal: AbortSignal): Promise<Endpoint> {
    const { client, namespace } = this.#options;
    try {
      const secret = await client.get(SECRETS, namespace, name, { signal });
      const encoded = ((secret["data"] ?? {}) as Record<string, string>)[key];
      const server =
        encoded === undefined ? undefined : serverOfKubeconfig(Buffer.from(encoded, "base64").toString("utf8"));
      return server === undefined ? { kind: "Unknown" } : { kind: "Server", server };
    } catch (error) {
      if (isNotFound(error)) return { kind: "Missing", secret: name };
      throw error;
    }
  }
}

function secretKeyOf(cluster: MemberCluster): string {
  const { name = "", key = "kubeconfig" } = cluster.spec?.connection?.kubeconfigSecretRef ?? {};
  return `${name}/${key}`;
}

function selectorsIn(object: KubeObject | null | undefined): { group: string; version: string; kind: string }[] {
  const { resourceSelectors } = (object?.["spec"] ?? {}) as { resourceSelectors?: unknown };
  if (!Array.isArray(resourceSelectors)) return [];
  // The schema refuses more selectors anyway.
  const selectors = (resourceSelectors as { apiVersion?: unknown; kind?: unknown }[]).slice(0, MOST_SELECTORS);
  return selectors.map(({ apiVersion, kind }) => {
    const [group, version] = String(apiVersion).includes("/")
      ? String(apiVersion).split("/")
      : ["", String(apiVersion)];
    return { group: group ?? "", version: version ?? "", kind: String(kind) };
  });
}

function firstSelected(hub: HubCache, object: OverridePolicy): readonly KubeObject[] {
  for (const key of hub.selectedBy({ object })) {
    const found = key === undefined ? undefined : hub.object(key);
    if (found !== undefined) return [found.object];
  }
  return [];
}

/** Reads all objects, which is acceptable since MemberClusters are rarely deleted. */
function applicationsOn(hub: HubCache, cluster: string): ApplicationFacts[] {
  const region = hub.clusters.get(cluster)?.metadata.labels?.[REGION_LABEL] ?? "";
  const named: ApplicationFacts[] = [];
  const perhaps: ApplicationFacts[] = [];
  for (const object of hub.objects()) {
    const status = hub.statuses.of(object);
    if (namesIn(status).has(cluster)) named.push(applicationFacts(object, status));
    else if (
      status?.unlistedClusters === undefined &&
      status?.summary?.some((one) => one.clusters > 0 && one.region === region) === true
    )
      perhaps.push(applicationFacts(object, status));
  }
  return [...named, ...perhaps];
}

function applicationFacts(object: KubeObject, status: FederatedStatus | undefined): ApplicationFacts {
  const { apiVersion, kind } = object as Pick<ApplicationFacts, "apiVersion" | "kind">;
  const { ports } = (object["spec"] ?? {}) as Partial<DemoApplication["spec"]>;
  const { name, namespace, uid, labels } = object.metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...defined({ namespace, uid, labels }),
    },
    ports: (Array.isArray(ports) ? ports : []).flatMap(({ nodePort, protocol }) =>
      nodePort === undefined ? [] : [{ nodePort, protocol }],
    ),
    clusters: [...namesIn(status)],
    summarised: (status?.unlistedClusters === undefined ? (status?.summary ?? []) : [])
      .filter(({ clusters }) => clusters > 0)
      .map(({ region }) => region),
  };
}
