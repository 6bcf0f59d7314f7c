import type { KubeObject, OwnerReference } from "../../../apis/index.ts";
import type { DeleteOptions, Resource, ResourceName, WatchEvent } from "../../types.ts";
import {
  type Context,
  type Controller,
  isStale,
  isTerminating,
  OwnerGraph,
  ownersPatch,
  type Result,
  sameValue,
  uidOf,
} from "../shared/index.ts";

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";

/** Number of deleted owners that the collector remembers. */
const REMEMBERED = 500;

/**
 * Deletes objects whose last owner is gone, completes foreground deletion when the dependents are gone, and removes the
 * owner reference from orphaned dependents. Ignores objects whose owner's kind is not served.
 */
export class GarbageCollector implements Controller {
  readonly name = "garbage-collector-controller";
  /** Empty, because the collector gets the events of all resources through {@link observe}. */
  readonly resources: readonly ResourceName[] = [];
  readonly #context: Context;
  readonly #resources = new Map<string, Resource>();
  /** Objects whose owner's kind is not served. */
  readonly #unresolved = new Map<string, KubeObject>();
  /** Recently deleted owners. Their kind may be gone as well. */
  readonly #gone = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Sets the served kinds. Objects whose owner's kind was not served are checked again. */
  serve(resources: readonly Resource[]): void {
    this.#resources.clear();
    for (const resource of resources) this.#resources.set(`${resource.group}/${resource.plural}`, resource);
    for (const object of this.#unresolved.values()) this.#visit(object);
    this.#unresolved.clear();
  }

  observe(resource: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    if (!OwnerGraph.collects(resource)) return;
    const { graph } = this.#context;
    const uid = uidOf(object);
    if (type === "DELETED") {
      this.#unresolved.delete(uid);
      if (graph.hasDependents(uid)) this.#bury(uid);
      for (const dependent of graph.dependents(uid)) this.#visit(dependent.object);
      for (const owner of object.metadata.ownerReferences ?? []) this.#visitWaiting(object, owner);
      return;
    }
    if (isTerminating(object)) {
      const isNews =
        old === undefined || !isTerminating(old) || !sameValue(old.metadata.finalizers, object.metadata.finalizers);
      if (isNews && (hasFinalizer(object, FOREGROUND) || hasFinalizer(object, ORPHAN))) this.#visit(object);
    }
    const owners = object.metadata.ownerReferences;
    if (owners === old?.metadata.ownerReferences || sameValue(owners, old?.metadata.ownerReferences)) return;
    for (const owner of old?.metadata.ownerReferences ?? []) this.#visitWaiting(object, owner);
    if (owners?.some((owner) => typeof this.#ownerOf(object, owner) !== "object") === true) this.#visit(object);
    for (const owner of owners ?? []) this.#visitWaiting(object, owner);
  }

  /** `name`: resource and object name, such as `deployments.apps|web`. */
  async reconcile(namespace: string | undefined, name: string): Promise<Result> {
    const [id = "", objectName = ""] = name.split("|");
    const resource = this.#resources.get(id);
    const object = resource === undefined ? undefined : this.#context.client.get(resource, namespace, objectName);
    if (resource === undefined || object === undefined) return undefined;
    if (isTerminating(object)) {
      if (hasFinalizer(object, ORPHAN)) return this.#orphanDependents(resource, object);
      if (hasFinalizer(object, FOREGROUND)) return this.#awaitDependents(resource, object);
      return undefined;
    }
    return this.#judge(resource, object);
  }

  /** Deletes an object without remaining owners. */
  async #judge(resource: Resource, object: KubeObject): Promise<Result> {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0) return undefined;
    const solid: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of owners) {
      const owner = this.#ownerOf(object, reference);
      if (owner === "unknown") {
        this.#unresolved.set(uidOf(object), object);
        return undefined;
      }
      if (owner === undefined) continue;
      (isTerminating(owner) && hasFinalizer(owner, FOREGROUND) ? waiting : solid).push(reference);
    }
    const { client, graph } = this.#context;
    const { namespace, name } = object.metadata;
    if (solid.length > 0) {
      if (solid.length < owners.length) await client.patch(resource, namespace, name, ownersPatch(object, solid));
      return undefined;
    }
    const isForeground = waiting.length > 0 && graph.hasDependents(uidOf(object));
    if (isForeground) await this.#breakCycle(resource, object);
    await this.#delete(resource, object, isForeground ? "Foreground" : undefined);
    return undefined;
  }

  /** An object in a cycle of owners would wait for itself. */
  async #breakCycle(resource: Resource, object: KubeObject): Promise<void> {
    const { client, graph } = this.#context;
    const isCycle = graph.dependents(uidOf(object)).some((dependent) => {
      return isTerminating(dependent.object) && hasFinalizer(dependent.object, FOREGROUND);
    });
    if (!isCycle) return;
    const { namespace, name, ownerReferences = [] } = object.metadata;
    const unblocked = ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    await client.patch(resource, namespace, name, ownersPatch(object, unblocked));
  }

  async #delete(resource: Resource, object: KubeObject, policy: DeleteOptions["propagationPolicy"]): Promise<void> {
    const { namespace, name } = object.metadata;
    const own = hasFinalizer(object, ORPHAN)
      ? "Orphan"
      : hasFinalizer(object, FOREGROUND)
        ? "Foreground"
        : "Background";
    try {
      const preconditions = { uid: uidOf(object) };
      await this.#context.client.delete(resource, namespace, name, { propagationPolicy: policy ?? own, preconditions });
    } catch (error) {
      if (!isStale(error)) throw error;
    }
  }

  /** Removes the owner's finalizer when no dependent blocks it, else deletes the blocking dependents. */
  async #awaitDependents(resource: Resource, owner: KubeObject): Promise<Result> {
    const uid = uidOf(owner);
    const blocking = this.#context.graph
      .dependents(uid)
      .filter(({ object }) =>
        object.metadata.ownerReferences?.some((own) => own.uid === uid && own.blockOwnerDeletion === true),
      );
    if (blocking.length === 0) return this.#removeFinalizer(resource, owner, FOREGROUND);
    for (const { object } of blocking) if (!isTerminating(object)) this.#visit(object);
    return undefined;
  }

  async #orphanDependents(resource: Resource, owner: KubeObject): Promise<Result> {
    const uid = uidOf(owner);
    const { client, graph } = this.#context;
    for (const { object, resource: dependents } of graph.dependents(uid)) {
      const { namespace, name, ownerReferences = [] } = object.metadata;
      const others = ownerReferences.filter((reference) => reference.uid !== uid);
      try {
        await client.patch(dependents, namespace, name, ownersPatch(object, others));
      } catch (error) {
        if (!isStale(error) || client.get(dependents, namespace, name) !== undefined) throw error;
      }
    }
    return this.#removeFinalizer(resource, owner, ORPHAN);
  }

  async #removeFinalizer(resource: Resource, { metadata }: KubeObject, finalizer: string): Promise<Result> {
    const { namespace, name, uid = "", resourceVersion = "", finalizers = [] } = metadata;
    const others = finalizers.filter((kept) => kept !== finalizer);
    const patch = { metadata: { uid, resourceVersion, finalizers: others } };
    await this.#context.client.patch(resource, namespace, name, patch);
    return undefined;
  }

  /**
   * The owner; undefined if it is gone. A namespaced owner must be in the object's namespace; for a cluster-scoped
   * object such an owner counts as unknown.
   */
  #ownerOf(object: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): KubeObject | "unknown" | undefined {
    if (this.#gone.has(uid)) return undefined;
    const resource = this.#context.graph.resourceOfKind(apiVersion, kind);
    const { namespace } = object.metadata;
    if (resource === undefined || (resource.namespaced && namespace === undefined)) return "unknown";
    const owner = this.#context.client.get(resource, resource.namespaced ? namespace : undefined, name);
    return owner?.metadata.uid === uid ? owner : undefined;
  }

  #bury(uid: string): void {
    this.#gone.add(uid);
    const [oldest = ""] = this.#gone;
    if (this.#gone.size > REMEMBERED) this.#gone.delete(oldest);
  }

  /**
   * Rechecks an owner in foreground deletion: the object may have been its last dependent, or a new one that must be
   * deleted too.
   */
  #visitWaiting(object: KubeObject, reference: OwnerReference): void {
    const owner = this.#ownerOf(object, reference);
    if (owner === undefined || owner === "unknown") return;
    if (isTerminating(owner) && hasFinalizer(owner, FOREGROUND)) this.#visit(owner);
  }

  #visit(object: KubeObject): void {
    const resource = this.#context.graph.resourceOfKind(object.apiVersion, object.kind);
    if (resource === undefined) return;
    const { namespace, name } = object.metadata;
    this.#context.enqueue(this.name, namespace, `${resource.group}/${resource.plural}|${name}`);
  }
}

function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}
