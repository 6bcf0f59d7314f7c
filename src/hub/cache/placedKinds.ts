import { kindKey, type KubeObject, sameValue } from "../../apis/index.ts";
import { type HubKind, placeableKindOf } from "../../interpreter/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Informer,
  type InformerEvent,
  type InformerOptions,
  isForbidden,
  isMissing,
  keyOf,
  type ResourceType,
} from "../../runtime/index.ts";
import { type HubEvent, isDeparture } from "./events.ts";
import { type KindCatalog } from "../kinds/index.ts";

export interface PlacedKind {
  type: ResourceType;
  interpreter: HubKind;
  informer: Informer<KubeObject>;
  /** Objects are sent unchanged. Their status does not belong to Meridian, so the binding has Meridian's. */
  propagated: boolean;
}

export interface PlacedKindsOptions {
  catalog: KindCatalog;
  logger: Logger;
  informer: (type: ResourceType, more: Partial<InformerOptions<KubeObject>>) => Informer<KubeObject>;
  /** A kind has synced, was added or was removed. */
  changed: () => void;
  /** Every object of the kind is known for the first time. */
  read: (type: ResourceType) => void;
  rescaled: (type: ResourceType) => void;
  /** An object is gone or its deletion begins. Called before any handler has the event. */
  departs: (type: ResourceType) => void;
  denialsChanged: () => void;
}

interface Followed extends PlacedKind {
  stop: AbortController;
  /** The hub does not serve the kind any more, but objects are left that were never seen deleted. */
  retired: boolean;
  /** Last event, as received and as all subscribers get it. */
  lastEvent: { from: InformerEvent<KubeObject>; event: HubEvent<KubeObject> } | undefined;
}

interface Subscriber {
  /** How the objects that are known already come. */
  how: "onEvent" | "follow";
  handler: (event: HubEvent<KubeObject>) => void;
  subscriptions: Map<Followed, Disposable>;
}

/**
 * Watches of the kinds that the catalog names, while the hub serves them. If a kind goes away, objects and watch stay
 * until the objects are seen deleted: a deleted CRD does not permit the removal of member objects. A kind that the
 * manager may not read is left out until the right is granted, and its objects do not count as gone.
 */
export class PlacedKinds {
  readonly #options: PlacedKindsOptions;
  readonly #followed = new Map<string, Followed>();
  /** Kinds that the manager may not read; in {@link #followed} as well if their objects are known already. */
  readonly #denied = new Map<string, Followed>();
  readonly #subscribers = new Set<Subscriber>();
  #list: readonly PlacedKind[] = [];
  /** Also of removed kinds. */
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(options: PlacedKindsOptions) {
    this.#options = options;
    this.#follow();
  }

  get list(): readonly PlacedKind[] {
    return this.#list;
  }

  *denied(): Iterable<ResourceType> {
    for (const { type } of this.#denied.values()) yield type;
  }

  get(group: string, kind: string): PlacedKind | undefined {
    return this.#followed.get(kindKey({ group, kind }));
  }

  /** By its `refKey`. */
  object(owner: string): { object: KubeObject; kind: PlacedKind } | undefined {
    const { kind: name, key } = parseOwnerKey(owner);
    const kind = this.#followed.get(name);
    const object = kind?.informer.get(key);
    return kind === undefined || object === undefined ? undefined : { object, kind };
  }

  /** The hub has answered for every kind, serves the required ones, and the objects of every kind are known. */
  get synced(): boolean {
    const { catalog } = this.#options;
    if (!catalog.complete || !catalog.settled) return false;
    for (const { informer } of this.#followed.values()) if (!informer.synced) return false;
    return true;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    using _changes = this.#options.catalog.onChange(() => this.#update());
    using _settlements = this.#options.catalog.settlements.subscribe(() => this.#options.changed());
    for (const followed of this.#followed.values()) this.#start(followed, signal);
    const ended = Promise.withResolvers<void>();
    const onAbort = (): void => ended.resolve();
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    await ended.promise;
    await Promise.all(this.#running);
  }

  /** The existing objects come first, within this call; kinds that come later are included. */
  onEvent(handler: (event: HubEvent<KubeObject>) => void): Disposable {
    return this.#subscribe("onEvent", handler);
  }

  /** As {@link onEvent}, but the existing objects come in time slices, as with an informer. */
  follow(handler: (event: HubEvent<KubeObject>) => void): Disposable {
    return this.#subscribe("follow", handler);
  }

  #subscribe(how: Subscriber["how"], handler: Subscriber["handler"]): Disposable {
    const subscriber: Subscriber = { how, handler, subscriptions: new Map() };
    this.#subscribers.add(subscriber);
    // The objects of denied kinds come when the right is granted.
    for (const followed of new Set([...this.#followed.values(), ...this.#denied.values()]))
      subscribeTo(followed, subscriber);
    return {
      [Symbol.dispose]: () => {
        this.#subscribers.delete(subscriber);
        for (const subscription of subscriber.subscriptions.values()) subscription[Symbol.dispose]();
      },
    };
  }

  #follow(): void {
    const served = new Map(this.#options.catalog.hubKinds().map((type) => [kindKey(type), type]));
    for (const [name, followed] of this.#followed) {
      const type = served.get(name);
      if (type === undefined) this.#retire(name, followed);
      else if (type.version !== followed.type.version) this.#replace(name, followed, type);
      else {
        if (followed.retired) followed.informer.retryNow();
        followed.retired = false;
        this.#rescale(followed, type);
      }
    }
    for (const [name, followed] of this.#denied)
      if (!this.#followed.has(name) && served.get(name)?.version !== followed.type.version)
        this.#remove(name, followed);
    for (const [name, type] of served) if (!this.#followed.has(name) && !this.#denied.has(name)) this.#add(name, type);
    this.#list = [...this.#followed.values()];
  }

  #update(): void {
    this.#follow();
    this.#options.changed();
  }

  #add(name: string, type: ResourceType, known: readonly KubeObject[] = []): void {
    const { catalog, informer: informerOf, changed, read } = this.#options;
    const informer = informerOf(type, {
      known: known.map((object) => [keyOf(object), { uid: object.metadata.uid ?? "", object }] as const),
      onContact: (_ok, error) => {
        if (isMissing(error)) catalog.notFound(type);
        this.#setDenied(name, followed, isForbidden(error));
      },
    });
    const followed: Followed = {
      type,
      interpreter: placeableKindOf(type.group, type.kind),
      informer,
      propagated: !catalog.isRequired(type),
      stop: new AbortController(),
      retired: false,
      lastEvent: undefined,
    };
    informer.onEvent((event) => {
      const { type: change } = event;
      if (isDeparture(event)) this.#options.departs(type);
      // Deferred until every handler has had the event: the update may end subscriptions.
      if (change === "Deleted" && followed.retired) queueMicrotask(() => this.#update());
    });
    this.#followed.set(name, followed);
    for (const subscriber of this.#subscribers) subscribeTo(followed, subscriber);
    void informer.waitForSync().then(() => {
      changed();
      read(type);
    });
    if (this.#signal !== undefined) this.#start(followed, this.#signal);
  }

  #start(followed: Followed, signal: AbortSignal): void {
    if (signal.aborted) return;
    const running = followed.informer.run(AbortSignal.any([signal, followed.stop.signal]));
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  #setDenied(name: string, followed: Followed, isDenied: boolean): void {
    const { catalog, logger, changed, denialsChanged } = this.#options;
    const { type, informer } = followed;
    const isPresent = (this.#followed.get(name) ?? this.#denied.get(name)) === followed;
    if (!isPresent || isDenied === this.#denied.has(name) || catalog.isRequired(type)) return;
    if (isDenied) {
      this.#denied.set(name, followed);
      if (!informer.synced) this.#followed.delete(name);
      logger.warn(
        { resource: type.plural, event_reason: "KindNotGranted" },
        "the manager may not read this kind on the hub; its objects are left as they are until it may",
      );
    } else {
      this.#denied.delete(name);
      this.#followed.set(name, followed);
    }
    this.#list = [...this.#followed.values()];
    changed();
    denialsChanged();
  }

  #retire(name: string, followed: Followed): void {
    const { size } = followed.informer;
    if (size === 0) {
      this.#remove(name, followed);
      return;
    }
    if (followed.retired) return;
    followed.retired = true;
    this.#options.logger.warn(
      { resource: followed.type.plural, objects: size, event_reason: "KindNotServed" },
      "the hub serves this kind no longer, but its objects were not seen deleted; what is on the members stays as it is",
    );
  }

  #rescale(followed: Followed, type: ResourceType): void {
    const isNews = !sameValue(followed.type.scale, type.scale);
    followed.type = type;
    if (isNews) this.#options.rescaled(type);
  }

  #replace(name: string, followed: Followed, type: ResourceType): void {
    this.#remove(name, followed);
    this.#add(name, type, followed.informer.list());
  }

  #remove(name: string, followed: Followed): void {
    followed.stop.abort();
    this.#followed.delete(name);
    if (this.#denied.delete(name)) this.#options.denialsChanged();
    for (const { subscriptions } of this.#subscribers) {
      subscriptions.get(followed)?.[Symbol.dispose]();
      subscriptions.delete(followed);
    }
  }
}

function subscribeTo(followed: Followed, { how, handler, subscriptions }: Subscriber): void {
  const subscription = followed.informer[how]((event) => handler(hubEventOf(followed, event)));
  subscriptions.set(followed, subscription);
}

function hubEventOf(followed: Followed, from: InformerEvent<KubeObject>): HubEvent<KubeObject> {
  if (followed.lastEvent?.from !== from)
    followed.lastEvent = { from, event: { ...from, key: ownerKey(followed.type, from.key) } };
  return followed.lastEvent.event;
}

/** Key among the objects of all kinds (`refKey`), from the key within its kind. */
export function ownerKey({ group, kind, namespaced }: ResourceType, key: string): string {
  return namespaced ? `${group}/${kind}/${key}` : `${group}/${kind}//${key}`;
}

/** The reverse of {@link ownerKey}. */
function parseOwnerKey(owner: string): { kind: string; key: string } {
  const end = owner.indexOf("/", owner.indexOf("/") + 1);
  const isClusterScoped = owner[end + 1] === "/";
  return { kind: owner.slice(0, end), key: owner.slice(isClusterScoped ? end + 2 : end + 1) };
}
