import {
  type Classes,
  classOf,
  CLUSTER_FINALIZER,
  DEFAULT_CLASS,
  defined,
  holdersOf,
  isResponsible,
  type KubeObject,
  type MemberCluster,
  OBJECT_FINALIZER,
  type ObjectMeta,
  type ObjectRef,
  type OwnerRef,
  type Ownership,
  ownershipOf,
  type PlacementSpec,
  refKey,
  refOf,
} from "../../apis/index.ts";
import { choosePlacement, needsOf, ownerRefOf } from "../../desiredstate/index.ts";
import { changedSpec, type HubCache, type Policy } from "../../hub/index.ts";
import { type Client, Emitter, listPages } from "../../runtime/index.ts";
import { type DependentsOfOthers } from "../tables/index.ts";

/** Head start of the other classes' managers in claiming copies whose hub object is gone. */
const OTHERS_FIRST_MS = 30_000;

export interface ControllerClassesOptions {
  hub: HubCache;
  client: Client;
  classes: Classes;
}

/**
 * Says if this manager removes copies of missing hub objects; a number: ask again after so many milliseconds.
 * `version`: of the hub's answer, if the hub was asked.
 */
export interface OfGone {
  verdict: "Ours" | "Present" | number;
  version?: string;
}

/**
 * Tells the objects of this manager from those of other managers on the same hub. A member object has the mark of the
 * hub, not of a manager: a copy that nobody here asked for may belong to another manager.
 */
export class ControllerClasses implements DependentsOfOthers, Disposable {
  /** An object or a MemberCluster of another class has changed or is gone. */
  readonly othersChanged = new Emitter<undefined>();
  /** A dependency that more or fewer objects of other classes need now. */
  readonly needs = new Emitter<ObjectRef>();
  readonly classes: Classes;
  readonly #hub: HubCache;
  readonly #client: Client;
  readonly #subscriptions = new DisposableStack();
  /** Keys of objects and MemberClusters that another class owns or is to own. */
  readonly #others = new Set<string>();
  /** Dependencies of the objects of other classes, by object key; and these objects, by the key of the dependency. */
  readonly #needed = new Map<string, readonly ObjectRef[]>();
  readonly #dependents = new Map<string, Map<string, OwnerRef>>();
  /** UIDs of hub objects whose absence the hub itself has confirmed. */
  readonly #gone = new Set<string>();
  /** UIDs of deleted hub objects that this manager owned and that still have copies. */
  readonly #left = new Set<string>();
  /** By UID: the end of the time that the other classes have, in monotonic milliseconds. */
  readonly #waits = new Map<string, number>();

  constructor({ hub, client, classes }: ControllerClassesOptions) {
    this.classes = classes;
    this.#hub = hub;
    this.#client = client;
    this.#subscriptions.use(
      hub.onObject((event) => {
        if (!changedSpec(event)) return;
        const object = event.type === "Deleted" ? undefined : event.object;
        this.#followNeeds(event.key, object);
        this.#follow(event.key, OBJECT_FINALIZER, object);
      }),
    );
    // The policy that places an object also decides which dependencies the object needs.
    this.#subscriptions.use(
      hub.onPolicy((event) => {
        if (event.initial ? !saysWhatIsNeeded(event.object) : !changedSpec(event)) return;
        for (const key of this.#others) {
          const object = hub.object(key)?.object;
          if (object !== undefined) this.#followNeeds(key, object);
        }
      }),
    );
    this.#subscriptions.use(
      hub.onCluster((event) => {
        if (!changedSpec(event)) return;
        this.#follow(`cluster ${event.key}`, CLUSTER_FINALIZER, event.type === "Deleted" ? undefined : event.object);
      }),
    );
  }

  of({ metadata }: Pick<KubeObject, "metadata">): Ownership {
    return ownershipOf(OBJECT_FINALIZER, metadata, this.classes);
  }

  ofCluster({ metadata }: Pick<MemberCluster, "metadata">): Ownership {
    return ownershipOf(CLUSTER_FINALIZER, metadata, this.classes);
  }

  ownsCluster(name: string): boolean {
    const cluster = this.#hub.clusters.get(name);
    return cluster !== undefined && isResponsible(this.ofCluster(cluster));
  }

  /** True if this manager writes the status of the policy. A policy changes its class by its label alone. */
  isOurPolicy({ metadata }: { metadata: ObjectMeta }): boolean {
    return this.classes.has(classOf(metadata));
  }

  /** No known object or MemberCluster concerns another class. */
  get areAlone(): boolean {
    return this.#others.size === 0;
  }

  /** Asks the hub itself whether the namespace holds an object of another class. */
  async isOthersNamespace(namespace: string, signal: AbortSignal): Promise<boolean> {
    // A kind that Meridian may not read could hold objects of another class.
    for (const _ of this.#hub.deniedKinds()) return true;
    for (const type of this.#hub.catalog.hubKinds()) {
      const selection = { client: this.#client, type, namespace };
      for await (const { items } of listPages(selection, { metadataOnly: true, signal }))
        if (items.some((item) => this.#concernsOthers(OBJECT_FINALIZER, item.metadata))) return true;
    }
    return false;
  }

  needing(ref: ObjectRef): Iterable<OwnerRef> {
    return this.#dependents.get(refKey(ref))?.values() ?? [];
  }

  /** Records that this manager owned the deleted object, and so removes its copies. */
  leftBehind(uid: string): void {
    this.#left.add(uid);
  }

  /**
   * Whether this manager removes the copies of hub objects that the cache does not have. Other classes' managers come
   * first for objects that this manager did not own.
   */
  async ofGone(owners: readonly OwnerRef[], now: number, signal: AbortSignal): Promise<OfGone> {
    let later: number | undefined;
    let version: string | undefined;
    for (const owner of owners) {
      if (this.#gone.has(owner.uid)) continue;
      const waitMs = this.#waitFor(owner.uid, now);
      if (waitMs > 0) later = Math.min(later ?? waitMs, waitMs);
      else {
        const read = await this.#read(owner, signal);
        if (read.exists) return { verdict: "Present" };
        this.#gone.add(owner.uid);
        ({ version } = read);
      }
    }
    return { verdict: later ?? "Ours", ...defined({ version }) };
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  #follow(key: string, base: string, object: { metadata: ObjectMeta } | undefined): void {
    const concerns = object !== undefined && this.#concernsOthers(base, object.metadata);
    const wasOthers = concerns ? this.#others.has(key) : this.#others.delete(key);
    if (concerns) this.#others.add(key);
    if (concerns || wasOthers) this.othersChanged.emit(undefined);
  }

  #waitFor(uid: string, now: number): number {
    if (this.areAlone || this.#left.has(uid)) return 0;
    // Only the manager of the default class removes copies whose owner no manager remembers.
    if (!this.classes.has(DEFAULT_CLASS)) return Number.POSITIVE_INFINITY;
    const due = this.#waits.get(uid) ?? now + OTHERS_FIRST_MS;
    this.#waits.set(uid, due);
    return due - now;
  }

  /** Asks the hub whether the owner exists. An object of the same name with another UID is not the owner. */
  async #read(owner: OwnerRef, signal: AbortSignal): Promise<{ exists: boolean; version?: string }> {
    const kind = this.#hub.kindOf(owner);
    // The hub does not serve the kind, so the absence of the owner cannot be confirmed.
    if (kind === undefined) return { exists: true };
    const { items, resourceVersion } = await this.#client.list(kind.type, {
      ...defined({ namespace: owner.namespace }),
      fieldSelector: `metadata.name=${owner.name}`,
      metadataOnly: true,
      signal,
    });
    return { exists: items.some(({ metadata }) => metadata.uid === owner.uid), version: resourceVersion };
  }

  #followNeeds(key: string, object: KubeObject | undefined): void {
    const isOthers =
      object !== undefined && object.metadata.deletionTimestamp === undefined && !isResponsible(this.of(object));
    const needed = isOthers ? this.#neededBy(object) : [];
    const before = this.#needed.get(key) ?? [];
    if (needed.length === 0) this.#needed.delete(key);
    else this.#needed.set(key, needed);
    for (const ref of before) this.#dependents.get(refKey(ref))?.delete(key);
    for (const ref of needed) {
      const dependents = this.#dependents.get(refKey(ref)) ?? new Map<string, OwnerRef>();
      if (object !== undefined) dependents.set(key, ownerRefOf(object));
      this.#dependents.set(refKey(ref), dependents);
    }
    for (const ref of before) if (this.#dependents.get(refKey(ref))?.size === 0) this.#dependents.delete(refKey(ref));
    for (const ref of new Map([...before, ...needed].map((one) => [refKey(one), one])).values()) this.needs.emit(ref);
  }

  #neededBy(object: KubeObject): ObjectRef[] {
    const kind = this.#hub.kindOf(refOf(object));
    if (kind === undefined) return [];
    const hub = this.#hub;
    const { placement } = choosePlacement(object, hub.allPlacements(), hub.planned.settingOf(object));
    return needsOf(kind.interpreter, object, placement, true).dependencies.map(({ ref }) => ref);
  }

  #concernsOthers(base: string, metadata: ObjectMeta): boolean {
    return [classOf(metadata), ...holdersOf(base, metadata)].some((name) => !this.classes.has(name));
  }
}

/** True if the policy sets dependencies that differ from the default. */
function saysWhatIsNeeded({ spec }: Policy): boolean {
  const { dependencies } = spec as Partial<PlacementSpec>;
  return dependencies !== undefined && (dependencies.mode !== "Auto" || dependencies.fields !== undefined);
}

/** The class that owns the object, and the class that the object names as its future owner. */
export function classesOf({ metadata }: KubeObject): { ownerClass: string; namedClass: string } {
  const namedClass = classOf(metadata);
  return { ownerClass: holdersOf(OBJECT_FINALIZER, metadata)[0] ?? namedClass, namedClass };
}
