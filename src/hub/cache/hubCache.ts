import {
  type KubeObject,
  type MemberCluster,
  type ObjectRef,
  type OverridePolicy,
  parseApiVersion,
  type Placement,
  policyKey,
  recordedKind,
  type ResourceBinding,
} from "../../apis/index.ts";
import type { GroupKind } from "../../interpreter/index.ts";
import type { Logger, Metrics } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  Emitter,
  type Informer,
  MEMBERCLUSTERS,
  NAMESPACES,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
  withSignal,
} from "../../runtime/index.ts";
import type { ClusterSnapshot } from "../../scheduler/index.ts";
import { BundleContents } from "./bundleContents.ts";
import { Bindings } from "./bindings.ts";
import { clusterSnapshot } from "./clusterSnapshot.ts";
import { changedFacts, changedSpec, type HubEvent, isDeparture, type Policy } from "./events.ts";
import { namespaceFacts, type NamespaceFacts, NODE_PORT_INDEX, objectIndexers, withoutBookkeeping } from "./kept.ts";
import { HubInformers, type Keeping } from "./hubInformers.ts";
import { KindCatalog, KindDeletions } from "../kinds/index.ts";
import { ownerKey, type PlacedKind, PlacedKinds } from "./placedKinds.ts";
import { PlannedObjects } from "./planned.ts";
import { NAMESPACE_INDEX, selectedBy } from "./selection.ts";
import { Statuses } from "./statuses.ts";
import { TaintTimes } from "./taintTimes.ts";

export interface HubCacheOptions {
  /** Must live as long as the cache. */
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  /** Besides those that are always protected. */
  protectedNamespaces?: readonly string[];
}

type PolicyInformer = Informer<Placement> | Informer<OverridePolicy>;

/** Cache of the hub, kept current by watches: one for everything in the process that plans, judges or answers. */
export class HubCache {
  readonly catalog: KindCatalog;
  readonly kindDeletions: KindDeletions;
  readonly clusters: Informer<MemberCluster>;
  readonly placements: readonly [Informer<Placement>, Informer<Placement>];
  readonly overrides: readonly [Informer<OverridePolicy>, Informer<OverridePolicy>];
  readonly bindings: Bindings;
  readonly statuses: Statuses;
  readonly namespaces: Informer<NamespaceFacts>;
  readonly planned: PlannedObjects;
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #taints: TaintTimes;
  readonly #bundles: BundleContents;
  readonly #placed: PlacedKinds;
  readonly #policies: Readonly<Record<Policy["kind"], PolicyInformer>>;
  #deletionsHeld = false;
  #wasSynced = false;
  readonly #waiting = new Set<() => void>();
  #revision = 0;
  #allPlacements: readonly Placement[] | undefined;
  #allOverrides: readonly OverridePolicy[] | undefined;
  #snapshots: readonly ClusterSnapshot[] | undefined;

  constructor({ client, clock, random, logger, metrics, protectedNamespaces = [] }: HubCacheOptions) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#taints = new TaintTimes(clock);
    this.#bundles = new BundleContents(clock);
    this.catalog = new KindCatalog({ client, clock, random, logger });
    this.kindDeletions = new KindDeletions({ client, clock, logger });
    const informers = new HubInformers({
      client,
      clock,
      random,
      logger,
      wentBack: (type) => this.wentBack.emit(type),
      heldChanged: () => this.#reviewHeld(),
    });
    this.clusters = informers.followed<MemberCluster>(MEMBERCLUSTERS);
    this.placements = [informers.followed(PLACEMENTS), informers.followed(CLUSTERPLACEMENTS)];
    this.overrides = [informers.followed(OVERRIDEPOLICIES), informers.followed(CLUSTEROVERRIDEPOLICIES)];
    this.namespaces = informers.of(NAMESPACES, { transform: namespaceFacts });
    this.bindings = new Bindings((type) => informers.followed<ResourceBinding>(type));
    this.planned = new PlannedObjects({
      placements: () => this.allPlacements(),
      bindings: this.bindings,
      namespaces: this.namespaces,
      protectedNamespaces,
    });
    this.#policies = {
      Placement: this.placements[0],
      ClusterPlacement: this.placements[1],
      OverridePolicy: this.overrides[0],
      ClusterOverridePolicy: this.overrides[1],
    };
    this.#placed = new PlacedKinds({
      catalog: this.catalog,
      logger,
      informer: (type, more) =>
        informers.holding(type, informers.of(type, { ...more, ...this.#keeping(type), indexers: objectIndexers })),
      changed: () => {
        this.#reviewHeld();
        this.#settleWaiting();
      },
      departs: (type) => this.kindDeletions.saw(type),
      rescaled: (type) => this.rescaled.emit(type),
      read: (type) => this.kindReads.emit(type),
      denialsChanged: () => this.denials.emit(),
    });
    this.onObject(({ type, object }) => {
      if (type === "Deleted") this.#bundles.forget(object);
    });
    this.statuses = new Statuses(this);
    // First, so that the other handlers see the effects of an event.
    this.clusters.onEvent((event) => {
      if (isDeparture(event)) this.kindDeletions.saw(MEMBERCLUSTERS);
      if (!changedFacts(event)) return;
      this.#taints.take(event);
      this.#snapshots = undefined;
      this.#revision += 1;
    });
    // Copies of a kind with a binding must be removed even if no policy selects the kind any more.
    for (const informer of this.bindings.informers)
      informer.onEvent(({ object }) => this.catalog.select([object.spec.resource]));
    for (const informer of this.placements) informer.onEvent((event) => this.#policyChanged(event));
    for (const informer of this.overrides) informer.onEvent((event) => this.#policyChanged(event));
    for (const informer of [...this.#fixed(), this.namespaces])
      void informer.waitForSync().then(() => this.#settleWaiting());
  }

  /** Resolves after the signal, when every watch has ended. */
  async run(signal: AbortSignal): Promise<void> {
    using _reads = this.kindDeletions;
    await Promise.all([
      this.catalog.run(signal),
      this.#placed.run(signal),
      this.namespaces.run(signal),
      ...this.#fixed().map((informer) => informer.run(signal)),
    ]);
  }

  /** True when all that plans read is known; false also while the hub does not serve a required kind. */
  get synced(): boolean {
    return this.#placed.synced && this.namespaces.synced && this.#fixed().every((informer) => informer.synced);
  }

  /** Rejects with the signal's reason. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.synced) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await withSignal(promise, signal);
    } finally {
      this.#waiting.delete(resolve);
    }
  }

  /** True while too many hub objects vanished at once and no second read has confirmed that. */
  get deletionsHeld(): boolean {
    return this.#deletionsHeld;
  }

  /** Placed and watched now. */
  get kinds(): readonly PlacedKind[] {
    return this.#placed.list;
  }

  /** Kinds that policies select and the manager may not read. Nothing is known about their objects. */
  deniedKinds(): Iterable<ResourceType> {
    return this.#placed.denied();
  }

  readonly denials = new Emitter<void>();

  /** Undefined if nothing is known about the kind, which does not mean that it has no objects. */
  kindOf(ref: Pick<ObjectRef, "apiVersion" | "kind">): PlacedKind | undefined {
    return this.#placed.get(parseApiVersion(ref.apiVersion).group, ref.kind);
  }

  /** By its `refKey`. */
  object(owner: string): { object: KubeObject; kind: PlacedKind } | undefined {
    return this.#placed.object(owner);
  }

  *objects(): Iterable<KubeObject> {
    for (const { informer } of this.kinds) yield* informer.list();
  }

  /** Keys (`refKey`) of the {@link objects} that are planned. */
  *owners(): Iterable<string> {
    for (const { type, informer } of this.kinds) {
      for (const key of informer.keys()) {
        const object = informer.get(key);
        if (object !== undefined && this.planned.includes(object)) yield ownerKey(type, key);
      }
    }
  }

  /** Keys (`refKey`) of the objects of one kind. */
  *ownersOf({ group, kind }: Pick<ResourceType, "group" | "kind">): Iterable<string> {
    const placed = this.#placed.get(group, kind);
    if (placed === undefined) return;
    for (const key of placed.informer.keys()) yield ownerKey(placed.type, key);
  }

  *objectsIn(namespace: string): Iterable<KubeObject> {
    for (const { informer } of this.kinds) yield* informer.byIndex(NAMESPACE_INDEX, namespace);
  }

  *ownersIn(namespace: string): Iterable<string> {
    for (const { type, informer } of this.kinds)
      for (const key of informer.keysByIndex(NAMESPACE_INDEX, namespace)) yield ownerKey(type, key);
  }

  *objectsWithNodePort(port: number): Iterable<KubeObject> {
    for (const { informer } of this.kinds) yield* informer.byIndex(NODE_PORT_INDEX, String(port));
  }

  /** Keys of the objects that a policy selects, or selected before. For `map` of a source. */
  selectedBy(event: Pick<HubEvent<Policy>, "object" | "old">): Iterable<string | undefined> {
    return selectedBy(
      event,
      (group, kind) => this.#placed.get(group, kind),
      (object) => this.planned.settingOf(object),
    );
  }

  reportedOn(cluster: string): Iterable<string> {
    return this.statuses.reportedOn(cluster);
  }

  /** Member kinds that recorded objects may have on this cluster, beside the kinds that are watched everywhere. */
  *recordedKindsOn(cluster: string): Iterable<GroupKind> {
    for (const kind of this.kinds) {
      if (kind.interpreter.holdsManifests !== true && kind.interpreter.becomesMore === undefined) continue;
      for (const object of kind.informer.list()) {
        const kinds = this.statuses.of(object, kind)?.kinds;
        if (kinds !== undefined && this.statuses.recordOf(object, kind).names.has(cluster))
          yield* kinds.map(recordedKind);
      }
    }
  }

  /** By its {@link policyKey}. */
  policy(key: string): { policy: Policy; informer: PolicyInformer } | undefined {
    const [kind = "", namespace = "", name = ""] = key.split("/");
    const informer = Object.hasOwn(this.#policies, kind) ? this.#policies[kind as Policy["kind"]] : undefined;
    const policy = informer?.get(namespace === "" ? name : `${namespace}/${name}`);
    return informer === undefined || policy === undefined ? undefined : { policy, informer };
  }

  /** Grows with every change of a policy or of a cluster's planning facts: a plan of this revision knows them all. */
  get revision(): number {
    return this.#revision;
  }

  /** The same array until a placement changes; its statuses may be outdated. */
  allPlacements(): readonly Placement[] {
    this.#allPlacements ??= this.placements.flatMap((informer) => informer.list());
    return this.#allPlacements;
  }

  /** The same array until an override changes; its statuses may be outdated. */
  allOverrides(): readonly OverridePolicy[] {
    this.#allOverrides ??= this.overrides.flatMap((informer) => informer.list());
    return this.#allOverrides;
  }

  /** For plans, epoch milliseconds. Runs on evenly when the machine's clock is set. */
  now(): number {
    return this.#taints.now();
  }

  /** Sorted by name; the same array until planning facts change ({@link changedFacts}). */
  clusterSnapshots(): readonly ClusterSnapshot[] {
    this.#snapshots ??= this.clusters
      .list()
      .map((cluster) => clusterSnapshot(cluster, this.#taints.of(cluster)))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.#snapshots;
  }

  /** The existing objects come first, within this call. */
  onObject(handler: (event: HubEvent<KubeObject>) => void): Disposable {
    return this.#placed.onEvent(handler);
  }

  onPolicy(handler: (event: HubEvent<Policy>) => void): Disposable {
    return this.#policiesTo("onEvent", handler);
  }

  onCluster(handler: (event: HubEvent<MemberCluster>) => void): Disposable {
    return this.clusters.onEvent(handler);
  }

  /** For {@link from}: what exists already comes in time slices. */
  readonly objectEvents = { follow: (handler: (event: HubEvent<KubeObject>) => void) => this.#placed.follow(handler) };
  readonly policyEvents = {
    follow: (handler: (event: HubEvent<Policy>) => void) => this.#policiesTo("follow", handler),
  };
  /** {@link synced} has become true, for the first time or again. */
  readonly syncs = new Emitter<void>();
  /** Every object of a kind is known, also of one that was selected later. */
  readonly kindReads = new Emitter<ResourceType>();
  /** The replica paths of a kind have changed. */
  readonly rescaled = new Emitter<ResourceType>();
  /** {@link deletionsHeld} has changed: what depends on it must be decided again, above all removals. */
  readonly holds = new Emitter<boolean>();
  /** The hub shows an earlier state of a kind than before: it was restored from a backup. */
  readonly wentBack = new Emitter<ResourceType>();
  /** For when the cache lacks an object that exists, or existed a moment ago. Lists the kind again if it is behind. */
  async relistIfBehind(ref: ObjectRef, signal: AbortSignal): Promise<void> {
    const kind = this.kindOf(ref);
    if (kind === undefined || (await kind.informer.agreesWithServer(signal))) return;
    this.#logger.warn(
      { resource: kind.type.plural, event_reason: "DeletionsHeld" },
      "the hub has objects that its list did not show; nothing of theirs is deleted, and they are listed anew",
    );
  }

  #policiesTo(how: "onEvent" | "follow", handler: (event: HubEvent<Policy>) => void): Disposable {
    const subscriptions = new DisposableStack();
    const keyed = (event: HubEvent<Policy>): void => handler({ ...event, key: policyKey(event.object) });
    for (const informer of this.placements) subscriptions.use(informer[how](keyed));
    for (const informer of this.overrides) subscriptions.use(informer[how](keyed));
    return subscriptions;
  }

  #policyChanged(event: HubEvent<Policy>): void {
    if (!changedSpec(event)) return;
    this.#revision += 1;
    if (event.object.kind === "OverridePolicy" || event.object.kind === "ClusterOverridePolicy") {
      this.#allOverrides = undefined;
      return;
    }
    this.#allPlacements = undefined;
    const selectors = event.object.spec.resourceSelectors;
    if (event.type === "Deleted") this.catalog.place([], selectors);
    else this.catalog.place(selectors, event.old?.spec.resourceSelectors ?? []);
    this.#settleWaiting();
  }

  /** Always followed, and plans depend on them. */
  #fixed(): (Informer<MemberCluster> | PolicyInformer | Informer<ResourceBinding>)[] {
    return [this.clusters, ...this.placements, ...this.overrides, ...this.bindings.informers];
  }

  #keeping(type: ResourceType): Keeping<KubeObject> {
    if (this.catalog.holdsManifests(type)) return this.#bundles;
    return { transform: this.catalog.keepsManagedFields(type) ? (object) => object : withoutBookkeeping };
  }

  #reviewHeld(): void {
    const held = [...this.#fixed(), ...this.kinds.map(({ informer }) => informer)].some(
      (informer) => informer.deletionsHeld,
    );
    if (held === this.#deletionsHeld) return;
    this.#deletionsHeld = held;
    this.#metrics.setDeletionsHeld("hub", held);
    this.holds.emit(held);
  }

  #settleWaiting(): void {
    const isNews = this.synced !== this.#wasSynced;
    this.#wasSynced = this.synced;
    if (!this.#wasSynced) return;
    for (const resolve of this.#waiting) resolve();
    if (isNews) this.syncs.emit();
  }
}
