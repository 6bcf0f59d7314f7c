import type { KubeObject } from "../../apis/index.ts";
import { ApiError, TransportError } from "../core/errors.ts";
import { apiVersionOf } from "../client/resources.ts";
import type { ApplyOptions, ListOptions, ObjectList, ResourceType, WatchEvent, WatchOptions } from "../types.ts";

interface LogEntry {
  version: number;
  type: "ADDED" | "MODIFIED" | "DELETED";
  path: string;
  object: KubeObject;
  before: KubeObject | undefined;
}

export interface Watcher {
  type: ResourceType;
  options: WatchOptions;
  push: (event: WatchEvent) => void;
  end: (error?: unknown) => void;
}

/**
 * An API server in memory, for the runtime's own unit tests: objects with resourceVersions from one counter, lists in
 * pages, watches with a history that can be compacted, bookmarks and watch-list, optimistic concurrency. Apply is a
 * merge without ownership. Label selectors support `k=v` only. Failures are scripted through the fields and methods
 * of this class and of {@link FakeClient}.
 */
export class FakeCluster {
  /** Answer to a watch-list: `served`, refused with a status, or (`ignores`) answered like an ordinary watch. */
  watchList: "served" | 400 | 403 | 422 | "ignores" = "served";
  readonly #objects = new Map<string, KubeObject>();
  #log: LogEntry[] = [];
  #version = 100;
  #compactedTo = 0;
  #uids = 0;
  readonly watchers = new Set<Watcher>();

  get version(): string {
    return String(this.#version);
  }

  get(type: ResourceType, namespace: string | undefined, name: string): KubeObject {
    const object = this.#objects.get(pathOf(type, namespace, name));
    if (object === undefined) throw new ApiError(404, "NotFound", `${type.plural} "${name}" not found`);
    return object;
  }

  list(
    type: ResourceType,
    options: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> = {},
  ): KubeObject[] {
    const prefix = pathOf(type, undefined, "");
    return [...this.#objects]
      .filter(([path, object]) => path.startsWith(prefix) && selects(options, object))
      .map(([, object]) => object);
  }

  create(type: ResourceType, object: KubeObject): KubeObject {
    const { namespace, name, resourceVersion } = object.metadata;
    const path = pathOf(type, namespace, name);
    if (resourceVersion !== undefined)
      throw new ApiError(400, "BadRequest", "resourceVersion should not be set on objects to be created");
    if (this.#objects.has(path)) throw new ApiError(409, "AlreadyExists", `${type.plural} "${name}" already exists`);
    return this.#store(
      type,
      path,
      { ...object, metadata: { ...object.metadata, uid: object.metadata.uid ?? `uid-${(this.#uids += 1)}` } },
      "ADDED",
    );
  }

  /**
   * Merges `patch` into the object. A resourceVersion in the patch must be current. A patch without effect changes
   * nothing.
   */
  merge(type: ResourceType, namespace: string | undefined, name: string, patch: unknown): KubeObject {
    const before = this.get(type, namespace, name);
    const wanted = (patch as Partial<KubeObject>).metadata?.resourceVersion;
    if (wanted !== undefined && wanted !== before.metadata.resourceVersion)
      throw new ApiError(409, "Conflict", `the object has been modified; ${wanted} is not current`);
    const after = mergePatch(before, patch) as KubeObject;
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    return this.#store(type, pathOf(type, namespace, name), after, "MODIFIED");
  }

  apply(type: ResourceType, object: KubeObject, _options: ApplyOptions = {}): KubeObject {
    const { namespace, name } = object.metadata;
    return this.#objects.has(pathOf(type, namespace, name))
      ? this.merge(type, namespace, name, object)
      : this.create(type, object);
  }

  delete(type: ResourceType, namespace: string | undefined, name: string, uid?: string): void {
    const object = this.get(type, namespace, name);
    if (uid !== undefined && uid !== object.metadata.uid)
      throw new ApiError(409, "Conflict", "the UID in the precondition does not match");
    this.#objects.delete(pathOf(type, namespace, name));
    this.#version += 1;
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: this.version } };
    this.#publish({
      version: this.#version,
      type: "DELETED",
      path: pathOf(type, namespace, name),
      object: last,
      before: object,
    });
  }

  /** Drops the history: every earlier resourceVersion is too old. */
  compact(): void {
    this.#log = [];
    this.#version += 1;
    this.#compactedTo = this.#version;
  }

  /** Ends every open watch: cleanly, or with the error of a broken connection. */
  dropWatches(error?: unknown): void {
    for (const watcher of this.watchers) watcher.end(error);
    this.watchers.clear();
  }

  /** Changes what the open watches do not show, as behind a proxy that keeps the streams open. */
  unseen<R>(change: () => R): R {
    const open = [...this.watchers];
    this.watchers.clear();
    const answer = change();
    for (const watcher of open) this.watchers.add(watcher);
    return answer;
  }

  /** Sends a bookmark to every open watch. */
  bookmark(): void {
    for (const watcher of this.watchers) watcher.push(bookmarkOf(watcher.type, this.version));
  }

  /** Sends an event unchanged to every open watch. */
  inject(event: WatchEvent): void {
    for (const watcher of this.watchers) watcher.push(event);
  }

  /** Saves all objects, the version and the history. The returned function restores them. */
  backup(): () => void {
    const objects = [...this.#objects];
    const version = this.#version;
    const log = [...this.#log];
    const compactedTo = this.#compactedTo;
    return () => {
      this.#objects.clear();
      for (const [path, object] of objects) this.#objects.set(path, object);
      this.#version = version;
      this.#log = [...log];
      this.#compactedTo = compactedTo;
      this.dropWatches(new TransportError("ConnectionReset", "the server was restored"));
    };
  }

  page(type: ResourceType, options: ListOptions): ObjectList {
    const [version, offset] =
      options.continue === undefined
        ? [this.#version, 0]
        : (options.continue.split(":").map(Number) as [number, number]);
    if (version < this.#compactedTo) throw new ApiError(410, "Expired", "the continue token is too old");
    const all = this.list(type, options);
    const end = options.limit === undefined ? all.length : offset + options.limit;
    return {
      items: all.slice(offset, end),
      resourceVersion: String(version),
      ...(end < all.length ? { continue: `${version}:${end}` } : {}),
    };
  }

  /** Opens a watch. Its initial events are pushed before this method returns. */
  open(watcher: Watcher): Disposable {
    const { type, options } = watcher;
    options.signal?.throwIfAborted();
    if (options.sendInitialEvents === true) {
      if (typeof this.watchList === "number")
        throw new ApiError(
          this.watchList,
          this.watchList === 403 ? "Forbidden" : "Invalid",
          "sendInitialEvents is forbidden for watch",
        );
      for (const object of this.list(type, options)) watcher.push({ type: "ADDED", object });
      if (this.watchList === "served")
        watcher.push(bookmarkOf(type, this.version, { "k8s.io/initial-events-end": "true" }));
    } else if (options.resourceVersion !== undefined) {
      const from = Number(options.resourceVersion);
      if (from < this.#compactedTo) {
        watcher.push({
          type: "ERROR",
          status: { code: 410, reason: "Expired", message: `too old resource version: ${from} (${this.#compactedTo})` },
        });
        watcher.end();
        return { [Symbol.dispose]: () => undefined };
      }
      for (const entry of this.#log) if (entry.version > from) send(watcher, entry);
    }
    this.watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.watchers.delete(watcher) };
  }

  #store(type: ResourceType, path: string, object: KubeObject, event: "ADDED" | "MODIFIED"): KubeObject {
    const before = this.#objects.get(path);
    this.#version += 1;
    const stored = {
      ...object,
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { ...object.metadata, resourceVersion: this.version },
    };
    this.#objects.set(path, stored);
    this.#publish({ version: this.#version, type: event, path, object: stored, before });
    return stored;
  }

  #publish(entry: LogEntry): void {
    this.#log.push(entry);
    for (const watcher of this.watchers) {
      // Like a real server: drops events that are not newer than the requested version.
      if (entry.version > Number(watcher.options.resourceVersion ?? 0)) send(watcher, entry);
    }
  }
}

/**
 * An object that enters the selection is sent as ADDED, and an object that leaves the selection as DELETED, whatever
 * the change was.
 */
function send({ type, options, push }: Watcher, { path, type: event, object, before }: LogEntry): void {
  if (!path.startsWith(pathOf(type, undefined, ""))) return;
  const was = before !== undefined && selects(options, before);
  const is = event !== "DELETED" && selects(options, object);
  if (is) push({ type: was ? "MODIFIED" : "ADDED", object });
  else if (was) push({ type: "DELETED", object });
}

function pathOf(type: ResourceType, namespace: string | undefined, name: string): string {
  const place = name === "" ? "" : `${namespace ?? ""}/${name}`;
  return `${type.group}/${type.plural}/${place}`;
}

function bookmarkOf(type: ResourceType, resourceVersion: string, annotations?: Record<string, string>): WatchEvent {
  return {
    type: "BOOKMARK",
    object: {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name: "", resourceVersion, ...(annotations === undefined ? {} : { annotations }) },
    },
  };
}

function selects(
  { namespace, labelSelector, fieldSelector }: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector">,
  object: KubeObject,
): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  if (fieldSelector !== undefined && !fieldSelector.split(",").every((term) => selectsField(term, object)))
    return false;
  return (labelSelector ?? "")
    .split(",")
    .filter(Boolean)
    .every((term) => {
      const [key = "", value = ""] = term.split("=");
      return object.metadata.labels?.[key] === value;
    });
}

/** `metadata.name=a` or `type!=b`. An absent field equals the empty text, as on a server. */
function selectsField(term: string, object: KubeObject): boolean {
  const [path = "", value = ""] = term.split(/!?=/);
  const found = path
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object);
  return ((found ?? "") === value) !== term.includes("!=");
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
