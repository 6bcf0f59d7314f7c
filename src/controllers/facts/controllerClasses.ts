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

/** How long the manager of the default class leaves to the others what is on a member and has no object on the hub. */
const OTHERS_FIRST_MS = 30_000;

export interface ControllerClassesOptions {
  hub: HubCache;
  client: Client;
  /** That this manager serves. */
  classes: Classes;
}

/** Whose the copies of an object are that is gone. Milliseconds: ask again after so long. `version`: the state of the hub that says so, when it was asked. */
export interface OfGone {
  verdict: "Ours" | "Present" | number;
  version?: string;
}

/**
 * What is this manager's and what another's, of several on one hub. All of them watch the same objects of the members, since these have
 * the mark of the hub and of no manager: a copy that this manager did not ask for may be another's, or belong to a hub object that has
 * not come by watch yet.
 */
export class ControllerClasses implements DependentsOfOthers, Disposable {
  /** An object of another class, or a MemberCluster of one, has changed or is gone. */
  readonly othersChanged = new Emitter<undefined>();
  /** A dependency that more objects of other classes need now, or fewer. */
  readonly needs = new Emitter<ObjectRef>();
  readonly classes: Classes;
  readonly #hub: HubCache;
  readonly #client: Client;
  readonly #subscriptions = new DisposableStack();
  /** Keys of objects and MemberClusters that another class owns or is to own. */
  readonly #others = new Set<string>();
  /** What each object of another class needs on the members, by its key; and those objects by the key of what they need. */
  readonly #needed = new Map<string, readonly ObjectRef[]>();
  readonly #dependents = new Map<string, Map<string, OwnerRef>>();
  /** UIDs of hub objects of which the hub itself has said that they are gone. */
  readonly #gone = new Set<string>();
  /** UIDs of hub objects that this manager owned, and of which copies are left. */
  readonly #left = new Set<string>();
  /** UIDs, and the monotonic milliseconds at which the other classes have had their time. */
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
    // What an object needs beside it is also for the policy to say that places the object.
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

  /** Whose status is this manager's to write; policies change hands by their label alone. */
  isOurPolicy({ metadata }: { metadata: ObjectMeta }): boolean {
    return this.classes.has(classOf(metadata));
  }

  /** Nothing on the hub concerns another class, as far as is known. */
  get areAlone(): boolean {
    return this.#others.size === 0;
  }

  /** Asks the hub itself whether an object of another class is in that namespace. */
  async isOthersNamespace(namespace: string, signal: AbortSignal): Promise<boolean> {
    // Nobody knows what is there of a kind that may not be read.
    for (const _ of this.#hub.deniedKinds()) return true;
    for (const type of this.#hub.catalog.hubKinds()) {
      const selection = { client: this.#client, type, namespace };
      for await (const { items } of listPages(selection, { metadataOnly: true, signal }))
        if (items.some((item) => this.#concernsOthers(OBJECT_FINALIZER, item.metadata))) return true;
    }
    return false;
  }

  /** The hub objects that another class owns and that need that dependency on the members. */
  needing(ref: ObjectRef): Iterable<OwnerRef> {
    return this.#dependents.get(refKey(ref))?.values() ?? [];
  }

  /** This manager owned that object, which is gone from the hub: its copies are this manager's to remove. */
  leftBehind(uid: string): void {
    this.#left.add(uid);
  }

  /**
   * Whether the copies of hub objects that the cache does not have are this manager's to remove. For objects that this manager did not
   * own itself the hub is asked; the others' managers come first.
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
    const concerned = concerns ? this.#others.has(key) : this.#others.delete(key);
    if (concerns) this.#others.add(key);
    if (concerns || concerned) this.othersChanged.emit(undefined);
  }

  #waitFor(uid: string, now: number): number {
    if (this.areAlone || this.#left.has(uid)) return 0;
    // Of several managers the one of the default class cleans up what nobody remembers.
    if (!this.classes.has(DEFAULT_CLASS)) return Number.POSITIVE_INFINITY;
    const due = this.#waits.get(uid) ?? now + OTHERS_FIRST_MS;
    this.#waits.set(uid, due);
    return due - now;
  }

  /** Asks the hub itself. A UID never comes back: an object of that name with another UID is planned for itself. */
  async #read(owner: OwnerRef, signal: AbortSignal): Promise<{ exists: boolean; version?: string }> {
    const kind = this.#hub.kindOf(owner);
    // Nobody can be asked about a kind that is not served here.
    if (kind === undefined) return { exists: true };
    const { items, resourceVersion } = await this.#client.list(kind.type, {
      ...defined({ namespace: owner.namespace }),
      fieldSelector: `metadata.name=${owner.name}`,
      metadataOnly: true,
      signal,
    });
    return { exists: items.some(({ metadata }) => metadata.uid === owner.uid), version: resourceVersion };
  }

  /** Keeps account of what an object of another class needs. */
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

/** Another thing than every policy that says nothing. */
function saysWhatIsNeeded({ spec }: Policy): boolean {
  const { dependencies } = spec as Partial<PlacementSpec>;
  return dependencies !== undefined && (dependencies.mode !== "Auto" || dependencies.fields !== undefined);
}

/** The class that owns the object, and the one that the object names: the one that is to own it. */
export function classesOf({ metadata }: KubeObject): { ownerClass: string; namedClass: string } {
  const namedClass = classOf(metadata);
  return { ownerClass: holdersOf(OBJECT_FINALIZER, metadata)[0] ?? namedClass, namedClass };
}
