import { FIELD_MANAGER, type FieldsV1, type KubeObject, type ManagedFieldsEntry } from "../../apis/index.ts";
import { ApiError } from "../errors.ts";
import { apiVersionOf, CONFIGMAPS, DEPLOYMENTS, NAMESPACES, SECRETS, SERVICES } from "../resources.ts";
import type { ApplyOptions, CallOptions, ListOptions, ResourceType, WatchEvent, WatchOptions } from "../types.ts";
import { FakeClient } from "./fakeClient.ts";
import { FakeCluster } from "./fakeCluster.ts";

const NOW = "2026-01-01T00:00:00Z";
/** What nobody owns. */
const BOOKKEEPING = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "finalizers",
  "managedFields",
]);

/** Paths of leaves, elements joined by a NUL; lists are leaves, as if all were atomic. */
type Leaves = Map<string, unknown>;

/**
 * A {@link FakeCluster} that also knows who owns which field, generations, finalizers, namespaces that must exist, and preconditions. Whoever
 * merges without being asked for a name is `kubectl`.
 */
export class FakeApiServer extends FakeCluster {
  /** Objects in a namespace that does not exist are refused. */
  namespacesMatter = true;
  /** What `/api` and `/apis` say is served. */
  served: readonly ResourceType[] = [DEPLOYMENTS, SERVICES, CONFIGMAPS, SECRETS, NAMESPACES];
  readonly #types = new Map<string, ResourceType>();

  constructor(clusterUid: string, namespaces: readonly string[] = ["default"]) {
    super();
    for (const name of ["kube-system", ...namespaces]) {
      this.create(NAMESPACES, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name, uid: name === "kube-system" ? clusterUid : `${clusterUid}-${name}` },
      });
    }
  }

  /** It is another cluster from now on. */
  become(clusterUid: string): void {
    super.delete(NAMESPACES, undefined, "kube-system");
    this.create(NAMESPACES, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "kube-system", uid: clusterUid },
    });
  }

  has(type: ResourceType, namespace: string | undefined, name: string): boolean {
    return this.find(type, namespace, name) !== undefined;
  }

  find(type: ResourceType, namespace: string | undefined, name: string): KubeObject | undefined {
    return super.list(type).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  }

  override list(
    type: ResourceType,
    options: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> = {},
  ): KubeObject[] {
    const terms = (options.labelSelector ?? "").split(",").filter(Boolean);
    const unequal = terms.filter((term) => term.includes("!=")).map((term) => term.split("!=") as [string, string]);
    const labelSelector = terms.filter((term) => !term.includes("!=")).join();
    return super
      .list(type, { ...withoutInequality(options), labelSelector })
      .filter(({ metadata }) => unequal.every(([key, value]) => metadata.labels?.[key] !== value));
  }

  override create(type: ResourceType, object: KubeObject): KubeObject {
    const { namespace } = object.metadata;
    this.#types.set(`${type.group}/${type.plural}`, type);
    if (this.namespacesMatter && namespace !== undefined && !this.has(NAMESPACES, undefined, namespace)) {
      throw new ApiError(404, "NotFound", `namespaces "${namespace}" not found`, {
        details: { kind: "namespaces", name: namespace },
      });
    }
    const managedFields = object.metadata.managedFields ?? [entryOf("kubectl", "Update", leavesOf(object).keys())];
    return super.create(type, {
      ...object,
      metadata: { creationTimestamp: NOW, ...object.metadata, generation: 1, managedFields },
    });
  }

  override apply(
    type: ResourceType,
    object: KubeObject,
    { fieldManager = FIELD_MANAGER, force = false }: ApplyOptions = {},
  ): KubeObject {
    const { namespace, name, uid } = object.metadata;
    const before = this.find(type, namespace, name);
    const wanted = leavesOf(object);
    if (before === undefined) {
      if (uid !== undefined) throw new ApiError(409, "Conflict", "uid mismatch: the object does not exist");
      return this.create(type, {
        ...object,
        metadata: { ...object.metadata, managedFields: [entryOf(fieldManager, "Apply", wanted.keys())] },
      });
    }
    if (uid !== undefined && uid !== before.metadata.uid)
      throw new ApiError(422, "Invalid", "metadata.uid: Invalid value: field is immutable");
    const present = leavesOf(before);
    const others = ownersOf(before).filter(
      ({ manager, operation }) => manager !== fieldManager || operation !== "Apply",
    );
    const own = ownersOf(before).find(({ manager, operation }) => manager === fieldManager && operation === "Apply");
    const conflicts = [...wanted].filter(
      ([path, value]) => !same(present.get(path), value) && others.some(({ paths }) => paths.has(path)),
    );
    if (conflicts.length > 0 && !force) {
      const causes = conflicts.map(([path]) => ({
        reason: "FieldManagerConflict",
        message: `conflict with "${others.find(({ paths }) => paths.has(path))?.manager}"`,
        field: textOf(path),
      }));
      throw new ApiError(409, "Conflict", `Apply failed with ${conflicts.length} conflict(s)`, { details: { causes } });
    }
    for (const [path] of conflicts) for (const { paths } of others) paths.delete(path);
    const patch: Record<string, unknown> = {};
    for (const path of own?.paths ?? [])
      if (!wanted.has(path) && !others.some(({ paths }) => paths.has(path))) put(patch, path, null);
    for (const [path, value] of wanted) put(patch, path, value);
    const managedFields = [
      ...others.map(({ manager, operation, paths }) => entryOf(manager, operation, paths)),
      entryOf(fieldManager, "Apply", wanted.keys()),
    ];
    return this.#change(type, before, {
      ...patch,
      metadata: { ...(patch["metadata"] as object | undefined), managedFields },
    });
  }

  override merge(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    patch: unknown,
    manager = "kubectl",
  ): KubeObject {
    const before = this.get(type, namespace, name);
    const { metadata } = patch as Partial<KubeObject>;
    if (metadata?.uid !== undefined && metadata.uid !== before.metadata.uid)
      throw new ApiError(409, "Conflict", "the UID in the precondition does not match");
    const present = leavesOf(before);
    // Who writes managedFields themselves has the say over them.
    const owners = ownersOf(metadata?.managedFields === undefined ? before : (patch as KubeObject));
    let own = owners.find((owner) => owner.manager === manager && owner.operation === "Update");
    for (const [path, value] of leavesOf(patch as Partial<KubeObject>)) {
      if (same(present.get(path), value)) continue;
      for (const { paths } of owners)
        for (const owned of paths) if (owned === path || owned.startsWith(`${path}\0`)) paths.delete(owned);
      if (value === null) continue;
      if (own === undefined) owners.push((own = { manager, operation: "Update", paths: new Set() }));
      own.paths.add(path);
    }
    const managedFields = owners.map((owner) => entryOf(owner.manager, owner.operation, owner.paths));
    return this.#change(type, before, { ...(patch as object), metadata: { ...metadata, managedFields } });
  }

  override delete(type: ResourceType, namespace: string | undefined, name: string, uid?: string): void {
    const before = this.get(type, namespace, name);
    if (uid !== undefined && uid !== before.metadata.uid)
      throw new ApiError(409, "Conflict", "the UID in the precondition does not match");
    if ((before.metadata.finalizers ?? []).length > 0) {
      const generation = (before.metadata.generation ?? 0) + 1;
      super.merge(type, namespace, name, { metadata: { deletionTimestamp: NOW, generation } });
      return;
    }
    super.delete(type, namespace, name);
    if (type !== NAMESPACES) return;
    for (const inside of this.#types.values()) {
      for (const object of this.list(inside, { namespace: name })) super.delete(inside, name, object.metadata.name);
    }
  }

  #change(type: ResourceType, before: KubeObject, patch: object): KubeObject {
    const { namespace, name, generation = 1 } = before.metadata;
    const after = super.merge(type, namespace, name, patch);
    if (after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0) {
      super.delete(type, namespace, name);
      return after;
    }
    if (same(before["spec"], after["spec"])) return after;
    return super.merge(type, namespace, name, { metadata: { generation: generation + 1 } });
  }
}

/** A connection to a {@link FakeApiServer}, with what a pool of clusters asks beside objects. */
export class FakeApiClient extends FakeClient {
  override readonly server: FakeApiServer;

  constructor(server: FakeApiServer, cluster: string) {
    super(server, cluster);
    this.server = server;
  }

  /** What was changed through this connection, in order, as `verb plural`. */
  get writes(): string[] {
    return this.calls.filter((call) => /^(create|apply|applyStatus|patch|delete) /.test(call));
  }

  override watch(type: ResourceType, options: WatchOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
    return super.watch(type, withoutInequality(options));
  }

  override async raw(method: "GET" | "POST" | "PUT", path: string, options: CallOptions = {}): Promise<unknown> {
    this.calls.push(`raw ${path}`);
    options.signal?.throwIfAborted();
    await this.gate({ verb: "raw", type: undefined, phase: "before", options });
    const served = this.server.served.map((type) => ({ apiVersion: apiVersionOf(type), type }));
    const groupVersions = [
      ...new Set(served.filter(({ type }) => type.group !== "").map(({ apiVersion }) => apiVersion)),
    ];
    if (path === "/readyz") return "ok";
    if (path === "/version") return { gitVersion: "v1.35.4" };
    if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
    if (path === "/apis") {
      return {
        kind: "APIGroupList",
        groups: groupVersions.map((groupVersion) => ({
          name: groupVersion.split("/")[0],
          versions: [{ groupVersion }],
        })),
      };
    }
    const resources = served
      .filter(({ apiVersion }) => path === `/api/${apiVersion}` || path === `/apis/${apiVersion}`)
      .map(({ type }) => ({
        name: type.plural,
        kind: type.kind,
        namespaced: type.namespaced,
        verbs: ["list", "watch", "get"],
      }));
    if (resources.length === 0) throw new ApiError(404, "NotFound", `the fake does not serve ${method} ${path}`);
    return { resources };
  }
}

interface Owner {
  manager: string;
  operation: "Apply" | "Update";
  paths: Set<string>;
}

function withoutInequality<O extends Pick<ListOptions, "fieldSelector">>(options: O): O {
  if (options.fieldSelector?.includes("!=") !== true) return options;
  const { fieldSelector: _, ...rest } = options;
  return rest as O;
}

function leavesOf(object: Partial<KubeObject>): Leaves {
  const leaves: Leaves = new Map();
  const { apiVersion: _version, kind: _kind, status: _status, metadata = {}, ...rest } = object;
  const owned = Object.fromEntries(Object.entries(metadata).filter(([key]) => !BOOKKEEPING.has(key)));
  walk({ ...rest, metadata: owned }, [], leaves);
  return leaves;
}

function walk(value: unknown, path: readonly string[], leaves: Leaves): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    leaves.set(path.join("\0"), value);
    return;
  }
  for (const [key, child] of Object.entries(value)) if (child !== undefined) walk(child, [...path, key], leaves);
}

function put(target: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split("\0");
  const last = keys.pop() ?? "";
  let at = target;
  for (const key of keys) at = (at[key] ??= {}) as Record<string, unknown>;
  at[last] = value;
}

function entryOf(manager: string, operation: "Apply" | "Update", paths: Iterable<string>): ManagedFieldsEntry {
  const fieldsV1: FieldsV1 = {};
  for (const path of paths)
    put(
      fieldsV1,
      path
        .split("\0")
        .map((key) => `f:${key}`)
        .join("\0"),
      {},
    );
  return { manager, operation, apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 };
}

function ownersOf(object: KubeObject): Owner[] {
  return (object.metadata.managedFields ?? []).map(({ manager = "", operation, fieldsV1 = {} }) => {
    const leaves: Leaves = new Map();
    pathsOf(fieldsV1, [], leaves);
    return { manager, operation: operation === "Apply" ? "Apply" : "Update", paths: new Set(leaves.keys()) };
  });
}

function pathsOf(fields: FieldsV1, path: readonly string[], leaves: Leaves): void {
  const entries = Object.entries(fields);
  if (entries.length === 0 && path.length > 0) leaves.set(path.join("\0"), true);
  for (const [key, child] of entries) pathsOf(child as FieldsV1, [...path, key.slice(2)], leaves);
}

function textOf(path: string): string {
  return `.${path.replaceAll("\0", ".")}`;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
