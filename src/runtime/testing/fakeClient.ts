import type { KubeObject } from "../../apis/index.ts";
import { ApiError } from "../core/errors.ts";
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  PatchType,
  ResourceType,
  WatchEvent,
  WatchOptions,
} from "../types.ts";
import { knownVersionIn } from "../client/watchEvents.ts";
import { bookmarkOf } from "../client/wire.ts";
import { FakeCluster } from "./fakeCluster.ts";

export { FakeCluster } from "./fakeCluster.ts";

type Verb = "get" | "list" | "watch" | "create" | "apply" | "applyStatus" | "patch" | "delete" | "raw";

const DEFAULT_MANAGER = "meridian";

/** Field managers of the fields of a status, by object and field. */
const managersOf = new WeakMap<FakeCluster, Map<string, Set<string>>>();

/**
 * Fields of the status that an apply with these fields removes: no other manager has applied them. A field that nobody
 * has applied belongs to the default manager.
 */
function withoutOwner(
  server: FakeCluster,
  { metadata, status }: KubeObject & { status?: object },
  manager: string,
  applied: string[],
): Record<string, null> {
  const managers = managersOf.get(server) ?? new Map<string, Set<string>>();
  managersOf.set(server, managers);
  const gone: Record<string, null> = {};
  for (const field of new Set([...Object.keys(status ?? {}), ...applied])) {
    const key = [metadata.uid, metadata.namespace, metadata.name, field].join();
    const known = managers.get(key) ?? new Set([DEFAULT_MANAGER]);
    if (applied.includes(field)) managers.set(key, new Set([...(managers.get(key) ?? []), manager]));
    else if (known.delete(manager) && known.size === 0) gone[field] = null;
  }
  return gone;
}

/** A connection to a {@link FakeCluster}; several may share one. */
export class FakeClient implements Client {
  readonly cluster: string;
  readonly server: FakeCluster;
  /** Every call made, as `verb plural`. */
  readonly calls: string[] = [];
  /** Awaited before each call, and again (`after`) before its answer is returned. If it throws, the call fails. */
  gate: (call: {
    verb: Verb;
    type: ResourceType | undefined;
    phase: "before" | "after";
    options: CallOptions;
  }) => void | Promise<void> = () => undefined;

  constructor(server: FakeCluster = new FakeCluster(), cluster = "test") {
    this.server = server;
    this.cluster = cluster;
  }

  get(type: ResourceType, namespace: string | undefined, name: string, options: GetOptions = {}): Promise<KubeObject> {
    return this.#call("get", type, options, () => this.server.get(type, namespace, name));
  }

  list(type: ResourceType, options: ListOptions = {}): Promise<ObjectList> {
    return this.#call("list", type, options, () => this.server.page(type, options));
  }

  create(type: ResourceType, object: KubeObject, options: CallOptions = {}): Promise<KubeObject> {
    return this.#call("create", type, options, () => this.server.create(type, object));
  }

  apply(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    return this.#call("apply", type, options, () => this.server.apply(type, object, options));
  }

  applyStatus(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    const { namespace, name } = object.metadata;
    const { fieldManager = DEFAULT_MANAGER } = options;
    return this.#call("applyStatus", type, options, () => {
      const present = this.server.get(type, namespace, name);
      const applied = (object["status"] ?? {}) as object;
      const gone = withoutOwner(this.server, present, fieldManager, Object.keys(applied));
      return this.server.merge(type, namespace, name, { status: { ...gone, ...applied } });
    });
  }

  patch(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    patchType: PatchType,
    body: unknown,
    options: CallOptions & { subresource?: string } = {},
  ): Promise<KubeObject> {
    if (patchType !== "application/merge-patch+json")
      throw new Error(`the fake knows merge patches only, not ${patchType}`);
    return this.#call("patch", type, options, () => this.server.merge(type, namespace, name, body));
  }

  delete(type: ResourceType, namespace: string | undefined, name: string, options: DeleteOptions = {}): Promise<void> {
    return this.#call("delete", type, options, () => this.server.delete(type, namespace, name, options.uid));
  }

  raw(method: "GET" | "POST" | "PUT", path: string, options: CallOptions = {}): Promise<unknown> {
    return this.#call("raw", undefined, options, () => {
      throw new ApiError(404, "NotFound", `the fake does not serve ${method} ${path}`);
    });
  }

  async *stream(path: string, options: CallOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from(String(await this.raw("GET", path, options)));
  }

  watch(type: ResourceType, options: WatchOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
    return this.#watch(type, options);
  }

  async *#watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    const events: WatchEvent[] = [];
    let ended: { error: unknown } | undefined;
    let wake = Promise.withResolvers<void>();
    const end = (error?: unknown): void => {
      ended ??= { error };
      wake.resolve();
    };
    const push = (event: WatchEvent): void => {
      events.push(event);
      wake.resolve();
    };
    const onAbort = (): void => {
      events.length = 0;
      end(options.signal?.reason);
    };
    options.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      using _opened = await this.#call("watch", type, options, () => this.server.open({ type, options, push, end }));
      options.onOpen?.();
      for (;;) {
        const event = events.shift();
        if (event !== undefined) {
          yield received(event, type, options);
        } else if (ended !== undefined) {
          if (ended.error !== undefined) throw ended.error as Error;
          return;
        } else {
          await wake.promise;
          wake = Promise.withResolvers<void>();
        }
      }
    } finally {
      options.signal?.removeEventListener("abort", onAbort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #call<R>(verb: Verb, type: ResourceType | undefined, options: CallOptions, answer: () => R): Promise<R> {
    this.calls.push(`${verb} ${type?.plural ?? ""}`);
    const { signal } = options;
    signal?.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal?.reason as Error);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([this.#carryOut({ verb, type, options }, answer), aborted.promise]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** A running request reaches the server, even if its caller was aborted. */
  async #carryOut<R>(
    call: { verb: Verb; type: ResourceType | undefined; options: CallOptions },
    answer: () => R,
  ): Promise<R> {
    await this.gate({ ...call, phase: "before" });
    const result = answer();
    await this.gate({ ...call, phase: "after" });
    return result;
  }
}

/** Converts an event as the real client does: a known version arrives as a bookmark. */
function received(event: WatchEvent, type: ResourceType, { known }: WatchOptions): WatchEvent {
  const version = knownVersionIn(JSON.stringify(event), known);
  return version === undefined ? event : bookmarkOf(type, version);
}
