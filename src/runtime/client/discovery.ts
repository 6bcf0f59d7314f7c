import { ApiError, type Clock, KindNotServedError } from "../core/index.ts";
import { type DiscoveredResources, loadResources } from "./discoveryDocuments.ts";
import { apiVersionOf } from "./resources.ts";
import type { Client, ResourceType } from "../types.ts";

/** Default version: the one that the server prefers. */
export interface WantedKind {
  group: string;
  version?: string;
  kind: string;
}

/** Between two reads that are caused by unknown kinds. */
const REFRESH_MS = 5_000;

interface Index {
  byKind: Map<string, ResourceType>;
  resources: ResourceType[];
  apiVersions: string[];
  unavailable: ReadonlySet<string>;
  loadedAt: number;
}

/** API resources of one cluster, read once, and again for an unknown kind or after {@link Discovery.invalidate}. */
export class Discovery {
  readonly #client: Client;
  readonly #clock: Clock;
  #index: Index | undefined;
  #loading: Promise<Index> | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Throws {@link KindNotServedError} if a fresh read does not find the kind, and {@link ApiError} (503) if the part of
   * the API that may serve the kind is unavailable.
   */
  async resolve(wanted: WantedKind): Promise<ResourceType> {
    const known = this.resolveCached(wanted);
    if (known !== undefined) return known;
    const before = this.#index;
    const index =
      before !== undefined && this.#clock.monotonic() - before.loadedAt < REFRESH_MS ? before : await this.#load();
    const found = index.byKind.get(keyOf(wanted));
    if (found !== undefined) return found;
    if (isUnavailable(index, wanted)) {
      const what = wanted.group === "" ? wanted.kind : `${wanted.kind}.${wanted.group}`;
      throw new ApiError(
        503,
        "ServiceUnavailable",
        `cluster ${this.#client.cluster} cannot say now whether it serves ${what}: that part of its API is away`,
      );
    }
    throw new KindNotServedError(this.#client.cluster, wanted);
  }

  /** By the last read. */
  resolveCached(wanted: WantedKind): ResourceType | undefined {
    return this.#index?.byKind.get(keyOf(wanted));
  }

  /** Every resource in every version, without subresources. */
  async list(): Promise<ResourceType[]> {
    return (this.#index ?? (await this.#load())).resources;
  }

  /** Sorted: `v1`, `apps/v1`… */
  async apiVersions(): Promise<string[]> {
    return (this.#index ?? (await this.#load())).apiVersions;
  }

  /** apiVersions in a part of the API that is unavailable now. */
  async unavailable(): Promise<ReadonlySet<string>> {
    return (this.#index ?? (await this.#load())).unavailable;
  }

  /** The next call reads again: CRDs or the server's version changed. */
  invalidate(): void {
    this.#index = undefined;
    this.#loading = undefined;
  }

  #load(): Promise<Index> {
    if (this.#loading !== undefined) return this.#loading;
    const loading: Promise<Index> = loadResources(this.#client).then(
      (discovered) => {
        const index = indexOf(discovered, this.#clock.monotonic());
        // After an `invalidate` during the read, the result may be old, so the cache does not keep it.
        if (this.#loading === loading) {
          this.#index = index;
          this.#loading = undefined;
        }
        return index;
      },
      (error: unknown) => {
        if (this.#loading === loading) this.#loading = undefined;
        throw error;
      },
    );
    this.#loading = loading;
    return loading;
  }
}

function indexOf({ resources, unavailable }: DiscoveredResources, loadedAt: number): Index {
  const byKind = new Map<string, ResourceType>();
  for (const resource of resources) {
    const { group, version, kind } = resource;
    // The first version of a group is the preferred one; the first resource of a kind is the main one.
    for (const key of [keyOf({ group, kind }), keyOf({ group, version, kind })]) {
      if (!byKind.has(key)) byKind.set(key, resource);
    }
  }
  const apiVersions = [...new Set(resources.map(apiVersionOf))].toSorted();
  return { byKind, resources, apiVersions, unavailable, loadedAt };
}

function isUnavailable(index: Index, { group, version }: WantedKind): boolean {
  if (version !== undefined) return index.unavailable.has(apiVersionOf({ group, version }));
  return [...index.unavailable].some((apiVersion) => apiVersion.startsWith(`${group}/`));
}

function keyOf({ group, version, kind }: WantedKind): string {
  return `${group}/${version ?? ""}/${kind}`;
}
