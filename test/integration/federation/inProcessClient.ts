import type { KubeObject } from "../../../src/apis/index.ts";
import * as runtime from "../../../src/runtime/index.ts";
import { FIELD_MANAGER, isRecord } from "../../../src/apis/index.ts";
import { apiErrorFrom, isJson, parseJson } from "../../../src/runtime/client/apiAnswers.ts";
import { collectionPath, listQuery, objectPath, query, watchQuery } from "../../../src/runtime/client/apiPaths.ts";
import {
  type ApiStatus,
  apiVersionOf,
  type ApplyOptions,
  type CallOptions,
  type Client,
  type Clock,
  type Credentials,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type ObjectList,
  type PatchType,
  type ResourceType,
  TransportError,
  type WatchEvent,
  type WatchOptions,
} from "../../../src/runtime/index.ts";
import type { Incoming } from "../../../src/sandbox/index.ts";
import { Line, type Reply, type Wire } from "./wire.ts";

export type Verb = "get" | "list" | "watch" | "create" | "apply" | "applyStatus" | "patch" | "delete" | "raw";

export interface Call {
  verb: Verb;
  type: ResourceType | undefined;
  phase: "before" | "after";
  options: CallOptions;
}

export interface InProcessClientOptions {
  cluster: string;
  wire: Wire;
  credentials: Pick<Credentials, "authorization">;
  clock: Clock;
  /** Asked before every write; what it throws fails the call. */
  guard?: () => void;
}

interface Request {
  method: string;
  path: string;
  accept?: string;
  contentType?: string;
  body?: unknown;
}

const JSON_TYPE = "application/json";
const APPLY_TYPE = "application/apply-patch+yaml";
const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const WRITES: ReadonlySet<Verb> = new Set(["create", "apply", "applyStatus", "patch", "delete"]);
/** Until a cluster that says nothing is given up; the time of the clock that the test turns. */
const TIMEOUT_MS = 15_000;

/**
 * A connection to a sandbox cluster without sockets: the requests and answers of the runtime's own client, handed over in memory, so that
 * they take no time but what the test's clock says. It remembers what was called, and every call passes a gate.
 */
export class InProcessClient implements Client {
  readonly cluster: string;
  /** Every call made, as `verb plural`. */
  readonly calls: string[] = [];
  /** What was asked, as `verb plural`, or `raw path` with an ellipsis for the names in it. */
  readonly endpoints = new Set<string>();
  /** Awaited before each call, and again (`after`) before its answer is given; what it throws fails the call. */
  gate: (call: Call) => void | Promise<void> = () => undefined;
  readonly #options: InProcessClientOptions;

  constructor(options: InProcessClientOptions) {
    this.cluster = options.cluster;
    this.#options = options;
  }

  /** What was changed through this connection, in order, as `verb plural`. */
  get writes(): string[] {
    return this.calls.filter((call) => WRITES.has(call.split(" ")[0] as Verb));
  }

  get(type: ResourceType, namespace: string | undefined, name: string, options: GetOptions = {}): Promise<KubeObject> {
    const path = objectPath(type, namespace, name) + query({ resourceVersion: options.resourceVersion });
    const accept = options.metadataOnly === true ? METADATA_ONLY : JSON_TYPE;
    return this.#object("get", type, options, { method: "GET", path, accept });
  }

  async list(type: ResourceType, options: ListOptions = {}): Promise<ObjectList> {
    const path = collectionPath(type, options.namespace) + listQuery(options);
    const accept = options.metadataOnly === true ? METADATA_LIST_ONLY : JSON_TYPE;
    const answer = await this.#whole("list", type, options, { method: "GET", path, accept });
    const { metadata, items } = answer as {
      metadata: { resourceVersion?: string; continue?: string };
      items: KubeObject[] | null;
    };
    return {
      items: (items ?? []).map((item) => typed(item, type)),
      resourceVersion: metadata.resourceVersion ?? "",
      ...(metadata.continue === undefined || metadata.continue === "" ? {} : { continue: metadata.continue }),
    };
  }

  create(type: ResourceType, object: KubeObject, options: CallOptions = {}): Promise<KubeObject> {
    const path = collectionPath(type, object.metadata.namespace) + query({ fieldManager: FIELD_MANAGER });
    return this.#object("create", type, options, { method: "POST", path, contentType: JSON_TYPE, body: object });
  }

  apply(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    return this.#apply("apply", type, object, undefined, options);
  }

  applyStatus(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    return this.#apply("applyStatus", type, object, "status", options);
  }

  patch(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    patchType: PatchType,
    body: unknown,
    options: CallOptions & { subresource?: string } = {},
  ): Promise<KubeObject> {
    const path = objectPath(type, namespace, name, options.subresource) + query({ fieldManager: FIELD_MANAGER });
    return this.#object("patch", type, options, { method: "PATCH", path, contentType: patchType, body });
  }

  async delete(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions = {},
  ): Promise<void> {
    const { uid, resourceVersion, propagationPolicy = "Background" } = options;
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy,
      preconditions: { uid, resourceVersion },
    };
    const path = objectPath(type, namespace, name);
    await this.#whole("delete", type, options, { method: "DELETE", path, contentType: JSON_TYPE, body });
  }

  raw(
    method: "GET" | "POST" | "PUT",
    path: string,
    options: CallOptions & { body?: unknown; accept?: string } = {},
  ): Promise<unknown> {
    this.endpoints.add(`raw ${path.replaceAll(/\/(namespaces|serviceaccounts)\/[^/]+/g, "/$1/…")}`);
    return this.#whole("raw", undefined, options, {
      method,
      path,
      accept: options.accept ?? JSON_TYPE,
      ...(options.body === undefined ? {} : { contentType: JSON_TYPE, body: options.body }),
    });
  }

  async *stream(path: string, options: CallOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from(String(await this.raw("GET", path, { ...options, accept: "*/*" })));
  }

  async *watch(type: ResourceType, options: WatchOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
    const { signal } = options;
    const path = collectionPath(type, options.namespace) + watchQuery(options);
    const accept = options.metadataOnly === true ? METADATA_ONLY : JSON_TYPE;
    const line = new Line();
    const onAbort = (): void => line.cut(signal?.reason as Error);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      using _open = await this.#call("watch", type, options, async (given) => {
        const reply = await this.#send({ method: "GET", path, accept }, given);
        if (reply.kind !== "Stream") throw refusal(reply, type);
        const open = await reply.begin(line).catch((error: unknown) => {
          throw asApiError(error);
        });
        // Nobody is there to close it.
        if (given.aborted) open[Symbol.dispose]();
        return open;
      });
      options.onOpen?.();
      for await (const text of line) {
        const event = JSON.parse(text) as { type: string; object: unknown };
        if (event.type === "ERROR") yield { type: "ERROR", status: event.object as ApiStatus };
        else if (event.type === "BOOKMARK") yield { type: "BOOKMARK", object: event.object as KubeObject };
        else yield { type: event.type as "ADDED", object: typed(event.object as KubeObject, type) };
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #apply(
    verb: "apply" | "applyStatus",
    type: ResourceType,
    object: KubeObject,
    subresource: string | undefined,
    { fieldManager = FIELD_MANAGER, force, dryRun, ...options }: ApplyOptions,
  ): Promise<KubeObject> {
    const { namespace, name } = object.metadata;
    const path = objectPath(type, namespace, name, subresource);
    const parameters = { fieldManager, force, dryRun: dryRun === true ? "All" : undefined, fieldValidation: "Ignore" };
    return this.#object(verb, type, options, {
      method: "PATCH",
      path: path + query(parameters),
      contentType: APPLY_TYPE,
      body: object,
    });
  }

  async #object(verb: Verb, type: ResourceType, options: CallOptions, request: Request): Promise<KubeObject> {
    return typed((await this.#whole(verb, type, options, request)) as KubeObject, type);
  }

  #whole(verb: Verb, type: ResourceType | undefined, options: CallOptions, request: Request): Promise<unknown> {
    return this.#call(verb, type, options, async (signal) => {
      const reply = await this.#send(request, signal);
      if (reply.kind !== "Whole" || reply.status >= 400) throw refusal(reply, type);
      const text = reply.body.toString();
      return isJson(reply) ? parseJson(text, this.cluster, () => undefined) : text;
    });
  }

  /** A request that is under way arrives, though its caller has given up. */
  async #call<R>(
    verb: Verb,
    asked: ResourceType | undefined,
    options: CallOptions,
    send: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const type = asked && knownType(asked);
    if (WRITES.has(verb)) this.#options.guard?.();
    this.calls.push(`${verb} ${type?.plural ?? ""}`);
    if (type !== undefined) this.endpoints.add(`${verb} ${type.plural}`);
    const signal = options.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    const carryOut = async (): Promise<R> => {
      await this.gate({ verb, type, phase: "before", options });
      const result = await send(signal);
      await this.gate({ verb, type, phase: "after", options });
      return result;
    };
    try {
      return await Promise.race([carryOut(), aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #send({ method, path, accept = JSON_TYPE, contentType, body }: Request, signal: AbortSignal): Promise<Reply> {
    const { wire, credentials, clock } = this.#options;
    const authorization = await credentials.authorization();
    const [at = "/", search = ""] = path.split("?");
    const headers = {
      accept,
      "user-agent": "meridian",
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    };
    const request: Incoming = {
      method,
      path: at,
      query: new URLSearchParams(search),
      headers,
      body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
      // Whoever gives up hears no more, and what is under way is carried out.
      signal: new AbortController().signal,
    };
    const reply = await wire.answer(request);
    if (reply.kind === "Silence") {
      await clock.sleep(TIMEOUT_MS, signal);
      throw new TransportError("Timeout", `${this.cluster} did not answer within ${TIMEOUT_MS / 1_000} s`);
    }
    return reply;
  }
}

function typed(object: KubeObject, type: ResourceType): KubeObject {
  return Object.assign(object, { apiVersion: apiVersionOf(type), kind: type.kind });
}

function refusal(reply: Reply, type: ResourceType | undefined): Error {
  if (reply.kind === "Reset") return new TransportError("ConnectionReset", "connection reset");
  if (reply.kind !== "Whole") return new TransportError("Protocol", `an answer of the kind ${reply.kind}`);
  const sensitive = type?.group === "" && type.kind === "Secret";
  return apiErrorFrom({ ...reply, body: reply.body.toString() }, { withToken: true, sensitive });
}

/** What the sandbox throws for a watch that it cannot begin. */
function asApiError(error: unknown): unknown {
  const { status } = error as { status?: { code: number; reason?: string; message: string } };
  if (status === undefined) return error;
  return apiErrorFrom(
    {
      status: status.code,
      headers: { "content-type": JSON_TYPE },
      body: JSON.stringify({ kind: "Status", ...status }),
    },
    { withToken: true, sensitive: false },
  );
}

/** The constant of the runtime for the kind, as tests name the kind: a type that came as a message is a copy. */
function knownType(type: ResourceType): ResourceType {
  return KNOWN_TYPES.get(nameOf(type)) ?? type;
}

const nameOf = ({ group, version, plural }: ResourceType): string => `${group}/${version}/${plural}`;

const KNOWN_TYPES = new Map(
  Object.values<unknown>(runtime)
    .filter((value): value is ResourceType => isRecord(value) && typeof value["plural"] === "string")
    .map((type) => [nameOf(type), type]),
);
