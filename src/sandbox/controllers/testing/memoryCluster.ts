import type { ManualClock } from "../../testing/manualClock.ts";
import type { KubeObject, ObjectMeta } from "../../../apis/index.ts";
import { alreadyExists, conflict, failure, notFound } from "../../statusError.ts";
import type { DeleteOptions, Json, ListQuery, LocalClient, Resource, ResourceName, WatchEvent } from "../../types.ts";
import { NAMESPACES, resourceId } from "../shared/objects.ts";
import { timestamp } from "../../timestamp.ts";

type Handler = (event: WatchEvent, old: KubeObject | undefined) => void;

/** A write as a test sees it. */
export interface Write {
  manager: string;
  verb: string;
  resource: string;
  name: string;
}

const KINDS: readonly [group: string, kind: string, plural: string, namespaced: boolean][] = [
  ["", "Namespace", "namespaces", false],
  ["", "Node", "nodes", false],
  ["", "Pod", "pods", true],
  ["", "Service", "services", true],
  ["", "ConfigMap", "configmaps", true],
  ["", "Secret", "secrets", true],
  ["", "ServiceAccount", "serviceaccounts", true],
  ["", "PersistentVolumeClaim", "persistentvolumeclaims", true],
  ["", "PersistentVolume", "persistentvolumes", false],
  ["", "ResourceQuota", "resourcequotas", true],
  ["", "Event", "events", true],
  ["apps", "Deployment", "deployments", true],
  ["apps", "ReplicaSet", "replicasets", true],
  ["apps", "StatefulSet", "statefulsets", true],
  ["apps", "DaemonSet", "daemonsets", true],
  ["apps", "ControllerRevision", "controllerrevisions", true],
  ["batch", "Job", "jobs", true],
  ["policy", "PodDisruptionBudget", "poddisruptionbudgets", true],
];

/**
 * What the controllers need of an API server, in memory and in a few lines: versions, generations, uids, finalizers, graceful
 * deletion of bound pods, events. No validation, no defaults.
 */
export class MemoryCluster implements LocalClient {
  readonly writes: Write[] = [];
  /** Throws in place of a write that is to be refused. */
  refuse: (write: Write, object: KubeObject) => void = () => undefined;
  readonly clock: ManualClock;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #resourceHandlers = new Set<(resources: readonly Resource[]) => void>();
  #resources = KINDS.map(resource);
  #version = 0;
  #names = 0;

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  as(manager: string): LocalClient {
    const on = <T extends "create" | "update" | "patch" | "delete">(verb: T) =>
      ((...args: unknown[]) => {
        this.#manager = manager;
        try {
          return (this[verb] as (...args: unknown[]) => unknown)(...args);
        } finally {
          this.#manager = "test";
        }
      }) as MemoryCluster[T];
    return {
      as: (other) => this.as(other),
      get: (...args) => this.get(...args),
      list: (...args) => this.list(...args),
      create: on("create"),
      update: on("update"),
      patch: on("patch"),
      delete: on("delete"),
      onEvent: (...args) => this.onEvent(...args),
      onResources: (...args) => this.onResources(...args),
    };
  }

  #manager = "test";

  /** Adds a kind, or takes it away, as a CRD that comes or goes. */
  serve(group: string, kind: string, plural: string, namespaced: boolean): Disposable {
    const added = resource([group, kind, plural, namespaced]);
    this.#resources = [...this.#resources, added];
    for (const handler of this.#resourceHandlers) handler(this.#resources);
    return {
      [Symbol.dispose]: () => {
        this.#resources = this.#resources.filter((kept) => kept !== added);
        for (const handler of this.#resourceHandlers) handler(this.#resources);
      },
    };
  }

  get(name: ResourceName, namespace: string | undefined, objectName: string): KubeObject | undefined {
    return this.#of(name).get(`${namespace ?? ""}/${objectName}`);
  }

  list(name: ResourceName, { namespace, fieldSelector, labelSelector }: ListQuery = {}): readonly KubeObject[] {
    if (labelSelector !== undefined) throw new Error("the memory cluster has no label selectors");
    const node = fieldSelector === undefined ? undefined : /^spec\.nodeName=(.*)$/.exec(fieldSelector)?.[1];
    return [...this.#of(name).values()].filter(
      ({ metadata, spec }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        (node === undefined || (spec as { nodeName?: string }).nodeName === node),
    );
  }

  async create(name: ResourceName, object: KubeObject, subresource?: "binding"): Promise<KubeObject> {
    const metadata: ObjectMeta = { ...object.metadata };
    metadata.name ??= `${metadata.generateName}${(this.#names++).toString(36).padStart(5, "0")}`;
    this.#note("create", name, metadata.name, object);
    if (subresource === "binding") return this.#bind(object);
    const key = `${metadata.namespace ?? ""}/${metadata.name}`;
    if (this.#of(name).has(key)) throw alreadyExists({ group: name.group, kind: name.plural, name: metadata.name });
    const home = metadata.namespace === undefined ? undefined : this.get(NAMESPACES, undefined, metadata.namespace);
    if (home?.metadata.deletionTimestamp !== undefined) {
      const message = `unable to create new content in namespace ${metadata.namespace} because it is being terminated`;
      throw failure(403, "Forbidden", message, { causes: [{ reason: "NamespaceTerminating", message }] });
    }
    const hasStatus = name.plural === "pods" ? { status: { phase: "Pending" } } : {};
    return this.#put(name, undefined, {
      ...object,
      ...hasStatus,
      ...(name.plural === "namespaces" ? { spec: { finalizers: ["kubernetes"] } } : {}),
      metadata: {
        ...metadata,
        uid: `uid-${(++this.#version).toString(36)}`,
        generation: 1,
        creationTimestamp: timestamp(this.clock.now()),
      },
    });
  }

  async update(name: ResourceName, object: KubeObject, subresource?: "status" | "finalize"): Promise<KubeObject> {
    this.#note(subresource ?? "update", name, object.metadata.name, object);
    const old = this.#find(name, object.metadata.namespace, object.metadata.name);
    const { resourceVersion } = object.metadata;
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      const subject = { group: name.group, kind: name.plural, name: object.metadata.name };
      throw conflict(
        subject,
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    }
    return this.#replace(name, old, object, subresource);
  }

  async patch(
    name: ResourceName,
    namespace: string | undefined,
    objectName: string,
    patch: Json,
    subresource?: "status",
  ): Promise<KubeObject> {
    const old = this.#find(name, namespace, objectName);
    this.#note(subresource ?? "patch", name, objectName, old);
    const changed = merged(old, patch) as KubeObject;
    if (changed.metadata.resourceVersion !== old.metadata.resourceVersion) {
      throw conflict({ group: name.group, kind: name.plural, name: objectName }, "the object has been modified");
    }
    return this.#replace(name, old, changed, subresource);
  }

  async delete(
    name: ResourceName,
    namespace: string | undefined,
    objectName: string,
    { propagationPolicy, gracePeriodSeconds, preconditions }: DeleteOptions = {},
  ): Promise<void> {
    const old = this.#find(name, namespace, objectName);
    this.#note("delete", name, objectName, old);
    if (preconditions?.uid !== undefined && preconditions.uid !== old.metadata.uid) {
      throw conflict(
        { group: name.group, kind: name.plural, name: objectName },
        "the UID in the precondition does not match",
      );
    }
    const own = { Foreground: "foregroundDeletion", Orphan: "orphan", Background: undefined }[
      propagationPolicy ?? "Background"
    ];
    const finalizers = [...(old.metadata.finalizers ?? []), ...(own === undefined ? [] : [own])];
    const isBound = name.plural === "pods" && (old["spec"] as { nodeName?: string }).nodeName !== undefined;
    const grace = isBound && gracePeriodSeconds !== 0 ? 30 : 0;
    const isHeld = finalizers.length > 0 || grace > 0 || hasNamespaceFinalizer(old);
    if (!isHeld) return this.#remove(name, old);
    const { deletionTimestamp = timestamp(this.clock.now()) } = old.metadata;
    if (old.metadata.deletionTimestamp !== undefined && old.metadata.deletionGracePeriodSeconds === grace) return;
    const metadata = { ...old.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace };
    this.#put(name, old, { ...old, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } });
  }

  onEvent(name: ResourceName, handler: Handler): Disposable {
    const id = resourceId(name);
    const handlers = this.#handlers.get(id) ?? new Set();
    this.#handlers.set(id, handlers.add(handler));
    for (const object of this.list(name)) handler({ type: "ADDED", object }, undefined);
    return { [Symbol.dispose]: () => void handlers.delete(handler) };
  }

  onResources(handler: (resources: readonly Resource[]) => void): Disposable {
    this.#resourceHandlers.add(handler);
    handler(this.#resources);
    return { [Symbol.dispose]: () => void this.#resourceHandlers.delete(handler) };
  }

  #of(name: ResourceName): Map<string, KubeObject> {
    const id = resourceId(name);
    const known = this.#objects.get(id) ?? new Map<string, KubeObject>();
    this.#objects.set(id, known);
    return known;
  }

  #find(name: ResourceName, namespace: string | undefined, objectName: string): KubeObject {
    const found = this.get(name, namespace, objectName);
    if (found === undefined) throw notFound({ group: name.group, kind: name.plural, name: objectName });
    return found;
  }

  #note(verb: string, name: ResourceName, objectName: string, object: KubeObject): void {
    const write = { manager: this.#manager, verb, resource: resourceId(name), name: objectName };
    this.refuse(write, object);
    this.writes.push(write);
  }

  async #bind({ metadata, ...binding }: KubeObject): Promise<KubeObject> {
    const pods = { group: "", plural: "pods" };
    const pod = this.#find(pods, metadata.namespace, metadata.name);
    const { name: nodeName } = binding["target"] as { name: string };
    if ((pod["spec"] as { nodeName?: string }).nodeName !== undefined) {
      throw failure(409, "Conflict", `pod ${metadata.name} is already assigned to a node`);
    }
    return this.#put(pods, pod, { ...pod, spec: { ...(pod["spec"] as object), nodeName } });
  }

  #replace(name: ResourceName, old: KubeObject, wanted: KubeObject, subresource: string | undefined): KubeObject {
    const { annotations } = wanted.metadata;
    const changed: KubeObject =
      subresource === "status"
        ? {
            ...old,
            metadata: annotations === undefined ? old.metadata : { ...old.metadata, annotations },
            status: wanted["status"],
          }
        : { ...wanted, status: old["status"] };
    const isSpecChanged = JSON.stringify(changed["spec"]) !== JSON.stringify(old["spec"]);
    const generation = (old.metadata.generation ?? 0) + (isSpecChanged ? 1 : 0);
    const object = { ...changed, metadata: { ...changed.metadata, generation } };
    const isReleased =
      object.metadata.deletionTimestamp !== undefined &&
      (object.metadata.finalizers ?? []).length === 0 &&
      !hasNamespaceFinalizer(object) &&
      (object.metadata.deletionGracePeriodSeconds ?? 0) === 0;
    if (!isReleased) return this.#put(name, old, object);
    this.#remove(name, old);
    return object;
  }

  #put(name: ResourceName, old: KubeObject | undefined, object: KubeObject): KubeObject {
    const stored = frozen({ ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } });
    this.#of(name).set(`${stored.metadata.namespace ?? ""}/${stored.metadata.name}`, stored);
    this.#emit(name, { type: old === undefined ? "ADDED" : "MODIFIED", object: stored }, old);
    return stored;
  }

  #remove(name: ResourceName, old: KubeObject): void {
    this.#of(name).delete(`${old.metadata.namespace ?? ""}/${old.metadata.name}`);
    this.#emit(name, { type: "DELETED", object: old }, old);
  }

  #emit(name: ResourceName, event: WatchEvent, old: KubeObject | undefined): void {
    for (const handler of this.#handlers.get(resourceId(name)) ?? []) handler(event, old);
  }
}

function hasNamespaceFinalizer({ kind, ...object }: KubeObject): boolean {
  const { finalizers = [] } = (object["spec"] ?? {}) as { finalizers?: readonly string[] };
  return kind === "Namespace" && finalizers.length > 0;
}

function resource([group, kind, plural, namespaced]: (typeof KINDS)[number]): Resource {
  const lists = { singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames: [], categories: [] };
  return { group, kind, plural, namespaced, ...lists, versions: [], definitions: {} };
}

function merged(target: unknown, patch: Json): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}
