import type { KubeObject, ResourceName } from "../types.ts";
import { History, type StoreEvent } from "./history.ts";

/** `namespace/name`, or the name alone for a cluster-scoped object. Lists are sorted by this key, as in etcd. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

interface NamespaceObjects {
  objects: Map<string, KubeObject>;
  /** Sorted; undefined after an object was added or removed. */
  names: string[] | undefined;
}

/** The objects of one resource. Only the {@link Store} changes them. */
export class Collection {
  readonly resource: ResourceName;
  readonly history: History;
  readonly #namespaces = new Map<string, NamespaceObjects>();
  #handlers: ((event: StoreEvent) => void)[] = [];
  #size = 0;

  /** `revision`: the store's revision when the collection begins. */
  constructor(resource: ResourceName, revision: number) {
    this.resource = resource;
    this.history = new History(revision);
  }

  get size(): number {
    return this.#size;
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#namespaces.get(namespace ?? "")?.objects.get(name);
  }

  /** All objects, or the objects of a namespace, sorted by {@link objectKey}. */
  list(namespace?: string): KubeObject[] {
    if (namespace !== undefined) return listOf(this.#namespaces.get(namespace));
    // The slash counts, as in the keys: `team-a/` sorts before `team/`.
    const all = [...this.#namespaces].toSorted(([one], [other]) => compare(`${one}/`, `${other}/`));
    return all.length === 1 ? listOf(all[0]?.[1]) : all.flatMap(([, objects]) => listOf(objects));
  }

  /** The result that {@link list} had at that revision: undoes all later changes. Throws {@link RevisionExpired}. */
  listAt(revision: number, namespace?: string): KubeObject[] {
    const events = this.history.since(revision);
    if (events.length === 0) return this.list(namespace);
    const objects = new Map(this.list(namespace).map((object) => [keyOf(object), object]));
    for (const { object, old } of events.toReversed()) {
      if (namespace !== undefined && object.metadata.namespace !== namespace) continue;
      if (old === undefined) objects.delete(keyOf(object));
      else objects.set(keyOf(object), old);
    }
    return [...objects].toSorted(([one], [other]) => compare(one, other)).map(([, object]) => object);
  }

  /** Called after each change, in order. */
  onEvent(handler: (event: StoreEvent) => void): Disposable {
    this.#handlers = [...this.#handlers, handler];
    return {
      [Symbol.dispose]: () => {
        this.#handlers = this.#handlers.filter((other) => other !== handler);
      },
    };
  }

  /** Sets an object without an event: when a store is loaded from disk, and as part of a change. */
  place(object: KubeObject): void {
    const { namespace = "", name } = object.metadata;
    let inside = this.#namespaces.get(namespace);
    if (inside === undefined) {
      inside = { objects: new Map(), names: undefined };
      this.#namespaces.set(namespace, inside);
    }
    if (!inside.objects.has(name)) {
      inside.names = undefined;
      this.#size++;
    }
    inside.objects.set(name, object);
  }

  /** Removes an object without an event. */
  displace(namespace: string | undefined, name: string): void {
    const inside = this.#namespaces.get(namespace ?? "");
    if (inside?.objects.delete(name) !== true) return;
    inside.names = undefined;
    this.#size--;
    if (inside.objects.size === 0) this.#namespaces.delete(namespace ?? "");
  }

  notify(event: StoreEvent): void {
    for (const handler of this.#handlers) handler(event);
  }
}

function listOf(inside: NamespaceObjects | undefined): KubeObject[] {
  if (inside === undefined) return [];
  inside.names ??= [...inside.objects.keys()].sort(compare);
  const list: KubeObject[] = [];
  for (const name of inside.names) {
    const object = inside.objects.get(name);
    if (object !== undefined) list.push(object);
  }
  return list;
}

function keyOf({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
