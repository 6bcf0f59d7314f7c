import { kindKey, kindKeyOf, type KubeObject } from "../../../apis/index.ts";
import type { Resource, ResourceName, WatchEvent } from "../../types.ts";
import { controllerOf, resourceId, uidOf } from "./objects.ts";

/** Resources whose objects are many and whose owners do not matter. */
const NOT_COLLECTED = new Set(["events", "events.events.k8s.io", "leases.coordination.k8s.io"]);

/** Resources whose objects a controller may adopt. */
const ADOPTABLE = new Set(["pods", "replicasets.apps", "controllerrevisions.apps"]);

export interface Dependent {
  resource: ResourceName;
  object: KubeObject;
}

/**
 * The owner graph by UID: the dependents of an owner, and the objects of a namespace without a controller. Holds
 * references to objects of the store. Objects without owners have an entry only if they can be adopted.
 */
export class OwnerGraph {
  readonly #dependents = new Map<string, Map<string, Dependent>>();
  readonly #orphans = new Map<string, Map<string, KubeObject>>();
  readonly #resources = new Map<string, Resource>();

  static collects(resource: ResourceName): boolean {
    return !NOT_COLLECTED.has(resourceId(resource));
  }

  /** Sets the served resources, for {@link resourceOfKind}. */
  serve(resources: readonly Resource[]): void {
    this.#resources.clear();
    for (const resource of resources) this.#resources.set(kindKey(resource), resource);
  }

  /** The resource of an owner reference; undefined if it is not served. */
  resourceOfKind(apiVersion: string, kind: string): Resource | undefined {
    return this.#resources.get(kindKeyOf({ apiVersion, kind }));
  }

  take(resource: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const uid = uidOf(object);
    const gone = type === "DELETED";
    const owners = gone ? [] : (object.metadata.ownerReferences ?? []);
    for (const owner of old?.metadata.ownerReferences ?? object.metadata.ownerReferences ?? []) {
      if (!owners.some((kept) => kept.uid === owner.uid)) remove(this.#dependents, owner.uid, uid);
    }
    for (const owner of owners) put(this.#dependents, owner.uid, uid, { resource, object });
    if (!ADOPTABLE.has(resourceId(resource))) return;
    const place = orphanage(resource, object.metadata.namespace);
    if (gone || controllerOf(object) !== undefined) remove(this.#orphans, place, uid);
    else put(this.#orphans, place, uid, object);
  }

  /** Every object that names the UID as an owner. */
  dependents(uid: string): readonly Dependent[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** The objects of a resource that an owner controls. */
  controlled<T extends KubeObject>(owner: KubeObject, { group, plural }: ResourceName): T[] {
    const uid = uidOf(owner);
    const found: T[] = [];
    for (const { resource, object } of this.#dependents.get(uid)?.values() ?? []) {
      if (resource.plural !== plural || resource.group !== group) continue;
      if (controllerOf(object)?.uid === uid) found.push(object as T);
    }
    return found;
  }

  /** The objects of a namespace without a controller. */
  orphans<T extends KubeObject>(resource: ResourceName, namespace: string | undefined): T[] {
    return [...(this.#orphans.get(orphanage(resource, namespace))?.values() ?? [])] as T[];
  }
}

function orphanage(resource: ResourceName, namespace: string | undefined): string {
  return `${resourceId(resource)}/${namespace ?? ""}`;
}

function put<V>(map: Map<string, Map<string, V>>, key: string, member: string, value: V): void {
  const members = map.get(key);
  if (members === undefined) map.set(key, new Map([[member, value]]));
  else members.set(member, value);
}

function remove<V>(map: Map<string, Map<string, V>>, key: string, member: string): void {
  const members = map.get(key);
  if (members === undefined) return;
  members.delete(member);
  if (members.size === 0) map.delete(key);
}
