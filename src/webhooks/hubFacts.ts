import {
  type DemoApplication,
  type KubeObject,
  type MemberCluster,
  type Placement,
  REGION_LABEL,
} from "../apis/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  Discovery,
  Informer,
  isApiError,
  isNotFound,
  isTransportError,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  type ResourceType,
  SECRETS,
} from "../runtime/index.ts";
import { isProtected } from "./admission/deletion.ts";
import { DEFAULT_REPLICA_BOUNDS, parseReplicaBounds } from "./admission/replicas.ts";
import type { AdmissionFacts, AdmissionRequest, ApplicationFacts, Endpoint, ServedKind } from "./admission/types.ts";
import { serverOf } from "./kubeconfigServer.ts";
import { REPLICA_BOUNDS_ANNOTATION } from "./wellknown.ts";

export interface HubFactsOptions {
  client: Client;
  /** Meridian's own, where the kubeconfigs of members lie. */
  namespace: string;
  clock: Clock;
  logger: Logger;
}

interface NamespaceFacts {
  bounds: string | undefined;
}

const NODE_PORT = "nodePort";
const CLUSTER = "cluster";
const REGION = "region";
const PROTECTED = "protected";
/** A call is answered by then, with what is known, or not at all: the API server waits no longer either. */
const SYNC_WITHIN_MS = 1_500;
/** What the hub serves changes with its CRDs. A kind that is not known makes it be asked again, but not more often than this. */
const SERVED_FOR_MS = 60_000;
const SERVED_AGAIN_MS = 1_000;

/** What admission has to know of the hub, by watch: no call waits for a list. */
export class HubFacts {
  readonly #options: HubFactsOptions;
  readonly #discovery: Discovery;
  readonly #applications: Informer<ApplicationFacts>;
  readonly #placements: readonly Informer<Placement>[];
  readonly #clusters: Informer<MemberCluster>;
  readonly #namespaces: Informer<NamespaceFacts>;
  #servedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HubFactsOptions) {
    this.#options = options;
    const { client, clock, logger } = options;
    this.#discovery = new Discovery(client, clock);
    const informer = <T>(
      type: ResourceType,
      transform: (object: KubeObject) => T,
      indexers: Record<string, (object: T) => string[]> = {},
    ): Informer<T> =>
      new Informer<T>({ client, type, transform, indexers, clock, logger, name: `webhooks/${type.plural}` });
    this.#applications = informer(DEMOAPPLICATIONS, applicationFacts, {
      [NODE_PORT]: ({ ports }) => ports.map(({ nodePort }) => String(nodePort)),
      [CLUSTER]: ({ clusters }) => [...clusters],
      [REGION]: ({ summarised }) => [...summarised],
      [PROTECTED]: ({ metadata }) => (isProtected(metadata.labels) ? [metadata.namespace ?? ""] : []),
    });
    const policy = (object: KubeObject): Placement => slim(object) as unknown as Placement;
    this.#placements = [informer(PLACEMENTS, policy), informer(CLUSTERPLACEMENTS, policy)];
    this.#clusters = informer(MEMBERCLUSTERS, (object) => slim(object) as unknown as MemberCluster);
    this.#namespaces = informer(NAMESPACES, ({ metadata }) => ({
      bounds: metadata.annotations?.[REPLICA_BOUNDS_ANNOTATION],
    }));
  }

  /** Follows the hub until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const all = [this.#applications, ...this.#placements, this.#clusters, this.#namespaces];
    await Promise.all(all.map((informer) => informer.run(signal)));
  }

  /** Everything that this request may turn on. Rejects when the hub has not been read in time. */
  async gather(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionFacts> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(SYNC_WITHIN_MS)]);
    const needed = [this.#applications, ...this.#placements, this.#clusters];
    await Promise.all(needed.map((informer) => informer.waitForSync(end)));
    const [bounds, servedKinds, endpoints] = await Promise.all([
      this.#bounds(request.namespace, end),
      this.#served(request, end),
      this.#endpoints(request, end),
    ]);
    const parsed = bounds === undefined ? undefined : parseReplicaBounds(bounds);
    return {
      replicaBounds: parsed ?? DEFAULT_REPLICA_BOUNDS,
      ...(bounds === undefined || parsed !== undefined ? {} : { unreadableBounds: bounds }),
      servedKinds,
      placements: this.#placements.flatMap((informer) => informer.list()),
      clusters: this.#clusters.list(),
      applicationsWithNodePort: (nodePort) => this.#applications.byIndex(NODE_PORT, String(nodePort)),
      applicationsOn: (cluster) => this.#applicationsOn(cluster),
      protectedIn: (namespace) => this.#applications.byIndex(PROTECTED, namespace),
      endpoint: (cluster) => endpoints.get(secretKeyOf(cluster)) ?? { kind: "Unknown" },
    };
  }

  #applicationsOn(cluster: string): ApplicationFacts[] {
    const named = this.#applications.byIndex(CLUSTER, cluster);
    const region = this.#clusters.get(cluster)?.metadata.labels?.[REGION_LABEL] ?? "";
    const perhaps = this.#applications.byIndex(REGION, region).filter((application) => !named.includes(application));
    return [...named, ...perhaps];
  }

  /** A namespace that was made a moment ago may not have come by watch yet. */
  async #bounds(namespace: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (namespace === undefined || namespace === "") return undefined;
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known.bounds;
    try {
      const { metadata } = await this.#options.client.get(NAMESPACES, undefined, namespace, {
        metadataOnly: true,
        signal,
      });
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
    const { logger } = this.#options;
    const selectors = selectorsIn(request.object);
    const holdsAll = (all: readonly ServedKind[]): boolean =>
      selectors.every(({ group, version, kind }) =>
        all.some((one) => one.group === group && one.version === version && one.kind === kind),
      );
    try {
      const known = await this.#read(SERVED_FOR_MS, signal);
      if (holdsAll(known)) return known;
      const fresh = await this.#read(SERVED_AGAIN_MS, signal);
      // A part of the API that is away may serve just what is asked for.
      return !holdsAll(fresh) && (await this.#discovery.unavailable()).size > 0 ? undefined : fresh;
    } catch (error) {
      if (!isApiError(error) && !isTransportError(error)) throw error;
      logger.warn({ err: error }, "the hub does not tell what it serves; selectors are taken as they are");
      return undefined;
    }
  }

  /** What the hub serves, not older than this. */
  async #read(maximumAgeMs: number, signal: AbortSignal): Promise<readonly ServedKind[]> {
    const now = this.#options.clock.monotonic();
    if (now - this.#servedAt > maximumAgeMs) {
      this.#discovery.invalidate();
      this.#servedAt = now;
    }
    return await withSignal(this.#discovery.list(), signal);
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
      const server = encoded === undefined ? undefined : serverOf(Buffer.from(encoded, "base64").toString("utf8"));
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
  return (resourceSelectors as { apiVersion?: unknown; kind?: unknown }[]).map(({ apiVersion, kind }) => {
    const [group, version] = String(apiVersion).includes("/")
      ? String(apiVersion).split("/")
      : ["", String(apiVersion)];
    return { group: group ?? "", version: version ?? "", kind: String(kind) };
  });
}

/** Policies and clusters are kept whole but for what no decision reads. */
function slim(object: KubeObject): KubeObject {
  const { name, namespace, labels, deletionTimestamp } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: object["spec"],
  };
}

function applicationFacts(object: KubeObject): ApplicationFacts {
  const { apiVersion, kind, spec, status } = object as unknown as DemoApplication;
  const { name, namespace, uid, labels } = object.metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(labels === undefined ? {} : { labels }),
    },
    ports: (spec.ports ?? []).flatMap(({ nodePort, protocol }) =>
      nodePort === undefined ? [] : [{ nodePort, protocol }],
    ),
    clusters: (status?.clusters ?? []).map((entry) => entry.name),
    summarised: (status?.summary ?? []).filter(({ clusters }) => clusters > 0).map(({ region }) => region),
  };
}

async function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
