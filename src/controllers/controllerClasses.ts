import {
  CLUSTER_FINALIZER,
  classOf,
  type Classes,
  DEFAULT_CLASS,
  holdersOf,
  isResponsible,
  type KubeObject,
  type MemberCluster,
  OBJECT_FINALIZER,
  type ObjectMeta,
  type ObjectRef,
  type Ownership,
  ownershipOf,
  type OwnerRef,
  refKey,
  refOf,
} from "../apis/index.ts";
import type { HubCache } from "../hub/index.ts";
import { type Client, Emitter } from "../runtime/index.ts";

/** How long the manager of the default class leaves to the others what is on a member and has no object on the hub. */
const OTHERS_FIRST_MS = 30_000;

export interface ControllerClassesOptions {
  hub: HubCache;
  client: Client;
  /** That this manager serves. */
  classes: Classes;
}

/**
 * What is this manager's and what another's, of several on one hub. All of them watch the same objects of the members, since these carry
 * the mark of the hub and of no manager: a copy that this manager did not ask for may be another's, or belong to a hub object that has
 * not come by watch yet.
 */
export class ControllerClasses implements Disposable {
  /** An object of another class, or a MemberCluster of one, has changed or is gone. */
  readonly othersChanged = new Emitter<undefined>();
  readonly classes: Classes;
  readonly #hub: HubCache;
  readonly #client: Client;
  readonly #subscriptions = new DisposableStack();
  /** Keys of objects and MemberClusters that another class owns or is to own. */
  readonly #others = new Set<string>();
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
    const follow = (base: string, { type, object }: { type: string; object: Pick<KubeObject, "metadata"> }): void => {
      const key = refKey(refOf(object as KubeObject));
      const concerns = type !== "Deleted" && this.#concernsOthers(base, object.metadata);
      const concerned = concerns ? this.#others.has(key) : this.#others.delete(key);
      if (concerns) this.#others.add(key);
      if (concerns || concerned) this.othersChanged.emit(undefined);
    };
    this.#subscriptions.use(hub.onObject((event) => follow(OBJECT_FINALIZER, event)));
    this.#subscriptions.use(hub.onCluster((event) => follow(CLUSTER_FINALIZER, event)));
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
    for (const type of this.#hub.catalog.hubKinds()) {
      const { items } = await this.#client.list(type, { namespace, metadataOnly: true, signal });
      if (items.some((item) => this.#concernsOthers(OBJECT_FINALIZER, item.metadata))) return true;
    }
    return false;
  }

  /** Whether that hub object is owned by another class, and needs that dependency on the members. */
  isNeededBy(owner: OwnerRef, ref: ObjectRef): boolean {
    const found = this.#hub.object(refKey(owner));
    return found?.object.metadata.uid === owner.uid && this.#needs(found.object, ref);
  }

  /** Whether any object that another class owns needs that dependency. */
  isNeededByOthers(ref: ObjectRef): boolean {
    for (const key of this.#others) {
      const object = this.#hub.object(key)?.object;
      if (object !== undefined && object.metadata.namespace === ref.namespace && this.#needs(object, ref)) return true;
    }
    return false;
  }

  /** This manager owned that object, which is gone from the hub: its copies are this manager's to remove. */
  leftBehind(uid: string): void {
    this.#left.add(uid);
  }

  /**
   * Whether the copies of hub objects that the cache does not have are this manager's to remove. For objects that this manager did not
   * own itself the hub is asked; the others' managers come first. Milliseconds: ask again after so long.
   */
  async ofGone(owners: readonly OwnerRef[], now: number, signal: AbortSignal): Promise<"Ours" | "Present" | number> {
    let later: number | undefined;
    for (const owner of owners) {
      if (this.#gone.has(owner.uid)) continue;
      const waitMs = this.#waitFor(owner.uid, now);
      if (waitMs > 0) later = Math.min(later ?? waitMs, waitMs);
      else if (await this.#exists(owner, signal)) return "Present";
      else this.#gone.add(owner.uid);
    }
    return later ?? "Ours";
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
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
  async #exists(owner: OwnerRef, signal: AbortSignal): Promise<boolean> {
    const kind = this.#hub.kindOf(owner);
    // Nobody can be asked about a kind that is not served here.
    if (kind === undefined) return true;
    const { items } = await this.#client.list(kind.type, {
      ...(owner.namespace === undefined ? {} : { namespace: owner.namespace }),
      fieldSelector: `metadata.name=${owner.name}`,
      metadataOnly: true,
      signal,
    });
    return items.some(({ metadata }) => metadata.uid === owner.uid);
  }

  /** Another class owns that object, and the dependency is among what the object needs. */
  #needs(object: KubeObject, ref: ObjectRef): boolean {
    if (object.metadata.deletionTimestamp !== undefined || isResponsible(this.of(object))) return false;
    const kind = this.#hub.kindOf(refOf(object));
    const key = refKey(ref);
    return kind?.interpreter.dependencies(object).some((needed) => refKey(needed.ref) === key) === true;
  }

  #concernsOthers(base: string, metadata: ObjectMeta): boolean {
    return [classOf(metadata), ...holdersOf(base, metadata)].some((name) => !this.classes.has(name));
  }
}
