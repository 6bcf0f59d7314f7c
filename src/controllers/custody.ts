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
  type OwnerRef,
  refKey,
  refOf,
  type Standing,
  standingOf,
} from "../apis/index.ts";
import type { Entry, NamespaceCustody } from "../clusters/index.ts";
import type { Hub } from "./hub.ts";

/** How long the manager of the default class leaves to others what is on a member without an object on the hub. */
const OTHERS_FIRST_MS = 30_000;

export interface CustodyOptions {
  hub: Hub;
  /** That this manager serves. */
  classes: Classes;
  /** Ask {@link Custody.confirm} after so many milliseconds. */
  confirmAfter: (owner: OwnerRef, ms: number) => void;
  /** What was withheld may go now. */
  released: (entry: Entry) => void;
  /** Nothing on the hub is another manager's any more. */
  alone: () => void;
}

/**
 * What is this manager's and what another's, of several on one hub. All of them watch the same objects of the members, since these carry
 * the mark of the hub and of no manager: an object that this one did not ask for may be another's, or belong to an object of the hub
 * that has not come by watch yet.
 */
export class Custody implements NamespaceCustody {
  readonly #options: CustodyOptions;
  /** Keys of what others carry, or are to carry. */
  readonly #others = new Set<string>();
  /** UIDs of hub objects of which the hub itself has said that they are gone. */
  readonly #gone = new Set<string>();
  /** UIDs of hub objects that this manager parted with, and of which something is left. */
  readonly #left = new Set<string>();
  readonly #asked = new Set<string>();
  /** Dependencies that nobody here asks for, and that objects of others may need. */
  readonly #withheld = new Set<Entry>();

  constructor(options: CustodyOptions) {
    this.#options = options;
    const { hub } = options;
    const follow = (base: string, { type, object }: { type: string; object: KubeObject }): void => {
      const key = refKey(refOf(object));
      if (type !== "Deleted" && this.#concernsOthers(base, object.metadata)) this.#others.add(key);
      else if (this.#others.delete(key) && this.#others.size === 0) options.alone();
    };
    for (const { informer } of hub.kinds) informer.onEvent((event) => follow(OBJECT_FINALIZER, event));
    hub.clusters.onEvent(({ type, object }) =>
      follow(CLUSTER_FINALIZER, { type, object: object as unknown as KubeObject }),
    );
  }

  standing({ metadata }: Pick<KubeObject, "metadata">): Standing {
    return standingOf(OBJECT_FINALIZER, metadata, this.#options.classes);
  }

  clusterStanding({ metadata }: Pick<MemberCluster, "metadata">): Standing {
    return standingOf(CLUSTER_FINALIZER, metadata, this.#options.classes);
  }

  /** Whose status is this manager's to write; policies change hands by their label alone. */
  isOurPolicy({ metadata }: { metadata: ObjectMeta }): boolean {
    return this.#options.classes.has(classOf(metadata));
  }

  isAlone(cluster: string): boolean {
    const member = this.#options.hub.clusters.get(cluster);
    return this.#others.size === 0 && member !== undefined && isResponsible(this.clusterStanding(member));
  }

  async isOthers(namespace: string, signal: AbortSignal): Promise<boolean> {
    const { hub } = this.#options;
    for (const { type } of hub.kinds) {
      const { items } = await hub.client.list(type, { namespace, metadataOnly: true, signal });
      if (items.some((item) => this.#concernsOthers(OBJECT_FINALIZER, item.metadata))) return true;
    }
    return false;
  }

  /** Whether a member object that no plan of this manager asks for is its to remove. */
  mayRemove(entry: Entry): boolean {
    const owner = entry.observed?.owner;
    const mine = owner === undefined ? this.#isOurStray(entry) : this.#isOursToClean(owner);
    if (!mine) return false;
    if (!this.#neededByOthers(entry.ref)) return true;
    this.#withheld.add(entry);
    return false;
  }

  /** Whether an object that another manager carries goes with that dependency. */
  keeps(owner: OwnerRef, ref: ObjectRef): boolean {
    const found = this.#options.hub.object(refKey(owner));
    return found?.object.metadata.uid === owner.uid && this.#needs(found.object, ref);
  }

  /** An object of another manager has changed or is gone: what was withheld for it is looked at again. */
  othersChanged(): void {
    const withheld = [...this.#withheld];
    this.#withheld.clear();
    for (const entry of withheld) this.#options.released(entry);
  }

  /** This manager carried that object, which is gone from the hub: what is left of it is for this manager to remove. */
  partedWith(uid: string): void {
    this.#left.add(uid);
  }

  /** Asks the hub itself whether an object is gone. True when it is, and what it left may go. */
  async confirm(owner: OwnerRef, signal: AbortSignal): Promise<boolean> {
    const { hub } = this.#options;
    this.#asked.delete(owner.uid);
    const kind = hub.kindOf(owner);
    if (kind === undefined) return false;
    const { items } = await hub.client.list(kind.type, {
      ...(owner.namespace === undefined ? {} : { namespace: owner.namespace }),
      fieldSelector: `metadata.name=${owner.name}`,
      metadataOnly: true,
      signal,
    });
    // A UID never comes back. Objects of that name that came later are planned for themselves.
    if (items.some(({ metadata }) => metadata.uid === owner.uid)) return false;
    this.#gone.add(owner.uid);
    return true;
  }

  #isOursToClean(owner: OwnerRef): boolean {
    const { hub, classes, confirmAfter } = this.#options;
    const found = hub.object(refKey(owner));
    if (found !== undefined) return isResponsible(this.standing(found.object));
    if (this.#gone.has(owner.uid)) return true;
    const isLeft = this.#left.has(owner.uid);
    const isAlone = this.#others.size === 0;
    if ((!isAlone && !isLeft && !classes.has(DEFAULT_CLASS)) || this.#asked.has(owner.uid)) return false;
    this.#asked.add(owner.uid);
    confirmAfter(owner, isAlone || isLeft ? 0 : OTHERS_FIRST_MS);
    return false;
  }

  /** It names no owner: somebody took that off. Then it is ours if we wrote it, or if there is nobody else. */
  #isOurStray({ links }: Entry): boolean {
    if (this.#others.size === 0) return true;
    for (const owner of links) {
      const found = this.#options.hub.object(owner);
      if (found !== undefined && isResponsible(this.standing(found.object))) return true;
    }
    return false;
  }

  #neededByOthers(ref: ObjectRef): boolean {
    if (this.#others.size === 0) return false;
    const { hub } = this.#options;
    for (const key of this.#others) {
      const object = hub.object(key)?.object;
      if (object !== undefined && object.metadata.namespace === ref.namespace && this.#needs(object, ref)) return true;
    }
    return false;
  }

  /** Another manager carries that object, and that is among what goes with it. */
  #needs(object: KubeObject, ref: ObjectRef): boolean {
    if (object.metadata.deletionTimestamp !== undefined || isResponsible(this.standing(object))) return false;
    const kind = this.#options.hub.kindOf(refOf(object));
    const key = refKey(ref);
    return kind?.interpreter.dependencies(object).some((needed) => refKey(needed.ref) === key) === true;
  }

  #concernsOthers(base: string, metadata: ObjectMeta): boolean {
    const { classes } = this.#options;
    return [classOf(metadata), ...holdersOf(base, metadata)].some((name) => !classes.has(name));
  }
}
