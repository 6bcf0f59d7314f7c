import {
  type FederatedStatus,
  type KubeObject,
  type MemberCluster,
  type ObjectRef,
  type OverridePolicy,
  PAAS_GROUP,
  parseApiVersion,
  type Placement,
  refKey,
  refOf,
} from "../apis/index.ts";
import type { HubKind } from "../interpreter/index.ts";
import { hubKindOf } from "../interpreter/index.ts";
import type { Logger, Metrics } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  Informer,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
} from "../runtime/index.ts";

/** One kind whose objects Meridian places. */
export interface PlacedKind {
  type: ResourceType;
  interpreter: HubKind;
  informer: Informer<KubeObject>;
}

export interface HubOptions {
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  /** Deletions were held, and are not any more. */
  deletionsReleased: () => void;
}

const PLACED_TYPES: readonly ResourceType[] = [DEMOAPPLICATIONS];

/** The hub as the controllers see it: caches of everything that a plan depends on, by watch. */
export class Hub {
  readonly client: Client;
  readonly kinds: readonly PlacedKind[];
  readonly clusters: Informer<MemberCluster>;
  readonly placements: readonly Informer<Placement>[];
  readonly overrides: readonly Informer<OverridePolicy>[];
  readonly #held = new Set<string>();
  readonly #logger: Logger;

  constructor(options: HubOptions) {
    this.client = options.client;
    this.#logger = options.logger;
    const informer = <T>(type: ResourceType): Informer<T> => {
      const made = new Informer<T>({
        client: options.client,
        type,
        clock: options.clock,
        random: options.random,
        logger: options.logger,
        name: `hub/${type.plural}`,
        transform: (object) => strip(object) as unknown as T,
      });
      made.onDeletionsHeld(({ held, vanished, known }) => {
        if (held) this.#held.add(type.plural);
        else this.#held.delete(type.plural);
        options.metrics.setDeletionsHeld("hub", this.#held.size > 0);
        if (!held && this.#held.size === 0) options.deletionsReleased();
        if (!held) return;
        options.logger.warn(
          { resource: type.plural, vanished, known, event_reason: "DeletionsHeld" },
          "many objects vanished from the hub at once; deletes are held until a second read agrees",
        );
      });
      return made;
    };
    this.kinds = PLACED_TYPES.map((type) => ({
      type,
      interpreter: interpreterOf(type),
      informer: informer<KubeObject>(type),
    }));
    this.clusters = informer<MemberCluster>(MEMBERCLUSTERS);
    this.placements = [informer<Placement>(PLACEMENTS), informer<Placement>(CLUSTERPLACEMENTS)];
    this.overrides = [informer<OverridePolicy>(OVERRIDEPOLICIES), informer<OverridePolicy>(CLUSTEROVERRIDEPOLICIES)];
  }

  /** Runs every watch until the signal; resolves when all have ended. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.run(signal)));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.waitForSync(signal)));
  }

  get synced(): boolean {
    return this.#all().every((informer) => informer.synced);
  }

  /** Too much vanished from the hub at once, and no second read has confirmed it yet. */
  get deletionsHeld(): boolean {
    return this.#held.size > 0;
  }

  kindOf(ref: ObjectRef): PlacedKind | undefined {
    const { group } = parseApiVersion(ref.apiVersion);
    return this.kinds.find(({ type }) => type.group === group && type.kind === ref.kind);
  }

  /** A hub object by the key that workqueues and the table use ({@link refKey}). */
  object(owner: string): { object: KubeObject; kind: PlacedKind } | undefined {
    for (const kind of this.kinds) {
      const prefix = `${kind.type.group}/${kind.type.kind}/`;
      if (!owner.startsWith(prefix)) continue;
      const object = kind.informer.get(owner.slice(prefix.length));
      return object === undefined ? undefined : { object, kind };
    }
    return undefined;
  }

  *objects(): Iterable<KubeObject> {
    for (const kind of this.kinds) yield* kind.informer.list();
  }

  /** An object is there, or was a moment ago, of which the cache does not know: lists its kind anew when the cache is the one that is wrong. */
  async lookAgain(ref: ObjectRef, signal: AbortSignal): Promise<void> {
    const kind = this.kindOf(ref);
    if (kind === undefined || (await kind.informer.agreesWithServer(signal))) return;
    this.#logger.warn(
      { resource: kind.type.plural, event_reason: "DeletionsHeld" },
      "the hub has objects that its list did not show; nothing of theirs is deleted, and they are listed anew",
    );
  }

  /** Objects whose status says that something of them is on that cluster, where the status names clusters one by one. */
  *reportedOn(cluster: string): Iterable<string> {
    for (const object of this.objects()) {
      const status = object["status"] as FederatedStatus | undefined;
      const entry = status?.clusters?.find(({ name }) => name === cluster);
      if (entry?.observedHash !== undefined) yield refKey(refOf(object));
    }
  }

  allPlacements(): Placement[] {
    return this.placements.flatMap((informer) => [...informer.list()]);
  }

  allOverrides(): OverridePolicy[] {
    return this.overrides.flatMap((informer) => [...informer.list()]);
  }

  #all(): {
    run(signal: AbortSignal): Promise<void>;
    waitForSync(signal: AbortSignal): Promise<void>;
    readonly synced: boolean;
  }[] {
    return [...this.kinds.map((kind) => kind.informer), this.clusters, ...this.placements, ...this.overrides];
  }
}

function interpreterOf(type: ResourceType): HubKind {
  const interpreter = hubKindOf(type.group, type.kind);
  if (interpreter === undefined) throw new Error(`no interpreter for ${type.kind} of ${type.group || PAAS_GROUP}`);
  return interpreter;
}

/** Plans need neither the owners of fields nor what kubectl remembers of its last apply. */
function strip(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
