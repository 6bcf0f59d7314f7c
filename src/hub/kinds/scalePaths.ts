import { defined } from "../../apis/index.ts";
import { replicaPath, type ReplicaPaths } from "../../interpreter/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Client, CRDS, isApiError, isNotFound, type ResourceType } from "../../runtime/index.ts";

export interface ScalePathsOptions {
  client: Client;
  logger: Logger;
}

interface Known {
  generation: number | undefined;
  /** Replica paths by version. */
  paths: ReadonlyMap<string, ReplicaPaths>;
}

const NOTHING: Known = { generation: undefined, paths: new Map() };

/**
 * Replica paths of custom kinds with a scale subresource, which only the CRD has. A CRD may be a megabyte, so it is
 * read whole only when its generation has changed.
 */
export class ScalePaths {
  readonly #options: ScalePathsOptions;
  /** By the CRD's name. */
  readonly #known = new Map<string, Known>();
  readonly #refused = new Set<string>();

  constructor(options: ScalePathsOptions) {
    this.#options = options;
  }

  /** Throws the errors of the client, unless the CRD is missing or may not be read. */
  async of(type: ResourceType, signal: AbortSignal): Promise<ResourceType> {
    const { scale: _, ...bare } = type;
    if (!hasScale(type)) return type.scale === undefined ? type : bare;
    const scale = (await this.#read(`${type.plural}.${type.group}`, signal)).paths.get(type.version);
    return { ...bare, ...defined({ scale }) };
  }

  async #read(crd: string, signal: AbortSignal): Promise<Known> {
    const { client, logger } = this.#options;
    try {
      const { metadata } = await client.get(CRDS, undefined, crd, { metadataOnly: true, signal });
      const known = this.#known.get(crd);
      if (known !== undefined && known.generation === metadata.generation) return known;
      const whole = await client.get(CRDS, undefined, crd, { signal });
      const read: Known = { generation: whole.metadata.generation, paths: pathsIn(whole["spec"]) };
      this.#known.set(crd, read);
      this.#refused.delete(crd);
      return read;
    } catch (error) {
      this.#known.delete(crd);
      // An aggregated API has no CRD.
      if (isNotFound(error)) return NOTHING;
      if (!isApiError(error) || error.status !== 403) throw error;
      if (!this.#refused.has(crd))
        logger.warn(
          { crd, event_reason: "CrdUnreadable" },
          "Meridian may not get this CRD, so it does not know where the kind keeps its replicas; allow it, or set replicaScheduling.path",
        );
      this.#refused.add(crd);
      return NOTHING;
    }
  }
}

/** Kinds of Kubernetes itself, whose groups have no dot, are known without a CRD. */
export function hasScale({ group, subresources = [] }: ResourceType): boolean {
  return group.includes(".") && subresources.includes("scale");
}

interface CrdSpec {
  versions?: { name?: string; subresources?: { scale?: { specReplicasPath?: string; statusReplicasPath?: string } } }[];
}

function pathsIn(spec: unknown): ReadonlyMap<string, ReplicaPaths> {
  const paths = new Map<string, ReplicaPaths>();
  for (const { name, subresources } of (spec as CrdSpec | undefined)?.versions ?? []) {
    const [asked, seen] = [subresources?.scale?.specReplicasPath, subresources?.scale?.statusReplicasPath].map(
      replicaPath,
    );
    if (name === undefined || asked === undefined) continue;
    paths.set(name, { spec: asked, ...defined({ status: seen }) });
  }
  return paths;
}
