import { ApiError, type Clock, KindNotServedError } from "../core/index.ts";
import { type DiscoveredResources, loadResources } from "./discoveryDocuments.ts";
import { apiVersionOf } from "./resources.ts";
import type { Client, ResourceType } from "../types.ts";

/** Names a kind; without a version, the one that the server prefers. */
export interface WantedKind {
  group: string;
  version?: string;
  kind: string;
}

/** A kind that is missing makes the server be asked again, but not more often than this. */
const REFRESH_MS = 5_000;

interface Index {
  byKind: Map<string, ResourceType>;
  resources: ResourceType[];
  apiVersions: string[];
  unavailable: ReadonlySet<string>;
  loadedAt: number;
}

/**
 * What one cluster serves, read once and kept until it is invalidated or a kind is asked for that it does not know.
 * Concurrent questions share one read.
 */
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
   * The resource of a kind. Throws {@link KindNotServedError} when a fresh read does not find it either, and
   * {@link ApiError} (503) when the server cannot say now, because the part of the API that would know is away.
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

  /** What is known without asking; undefined when nothing was read yet or the kind is not in it. */
  resolveCached(wanted: WantedKind): ResourceType | undefined {
    return this.#index?.byKind.get(keyOf(wanted));
  }

  /** Every resource in every version, subresources aside. */
  async list(): Promise<ResourceType[]> {
    return (this.#index ?? (await this.#load())).resources;
  }

  /** `v1`, `apps/v1`…: sorted. */
  async apiVersions(): Promise<string[]> {
    return (this.#index ?? (await this.#load())).apiVersions;
  }

  /** apiVersions whose resources the server does not know now: parts of the API that are away. */
  async unavailable(): Promise<ReadonlySet<string>> {
    return (this.#index ?? (await this.#load())).unavailable;
  }

  /** Forget: the next question reads anew. For when CRDs or the server's version changed. */
  invalidate(): void {
    this.#index = undefined;
    this.#loading = undefined;
  }

  #load(): Promise<Index> {
    if (this.#loading !== undefined) return this.#loading;
    const loading: Promise<Index> = loadResources(this.#client).then(
      (discovered) => {
        const index = indexOf(discovered, this.#clock.monotonic());
        // Invalidated meanwhile: the answer may be old, so it is given but not kept.
        if (this.#loading === loading) this.#keep(index);
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

  #keep(index: Index): void {
    this.#index = index;
    this.#loading = undefined;
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
