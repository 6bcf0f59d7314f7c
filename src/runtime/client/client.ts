import { defined, FIELD_MANAGER, jsonForYaml, type KubeObject } from "../../apis/index.ts";
import { apiErrorFrom, dateOf, isJson, parseJson } from "./apiAnswers.ts";
import { collectionPath, listQuery, objectPath, query, watchQuery } from "./apiPaths.ts";
import { type Clock, isApiError, locatedAt, NotLeaderError, TimeSlice, TransportError } from "../core/index.ts";
import type { ClusterConfig } from "../credentials/types.ts";
import {
  type Answer,
  type BodyReader,
  type Pause,
  type ResponseHead,
  Transport,
  type TransportOptions,
  type TransportRequest,
} from "../transport/index.ts";
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  PatchType,
  RawOptions,
  ResourceType,
  StreamOptions,
  WatchEvent,
  WatchOptions,
} from "../types.ts";
import { WatchStream } from "./watchStream.ts";
import { listFrom, objectFrom } from "./wire.ts";

/** One request that was answered or failed, for metrics: bounded, whatever the number of objects. */
export interface CallRecord {
  cluster: string;
  method: string;
  /** HTTP status, or `<error>` without an answer. */
  code: string;
  /** get, list, watch, create, apply, patch, delete or raw. */
  verb: string;
  /** Plural, with the subresource after a slash; first segment of other paths. */
  resource: string;
  /** Until the complete answer; for a watch, until the response head. */
  ms: number;
}

export interface ClientOptions extends TransportOptions {
  /** For messages and metrics. */
  cluster: string;
  clock: Clock;
  /** Called before every write. Throws {@link NotLeaderError} when the Lease is no longer held. */
  guard?: () => void;
  /** Not called for requests that the caller aborted. */
  observe?: (call: CallRecord) => void;
  /** Called with every error before the call rejects with it. */
  onError?: (error: unknown) => void;
  /** Retries after a 429 with Retry-After. Default: 0, for callers with their own backoff. */
  resends?: number;
}

/** The first call opens a connection; disposal closes all. */
export function createClient(config: ClusterConfig, options: ClientOptions): Client {
  return new HttpClient(config, options);
}

const JSON_TYPE = "application/json";
/** JSON is YAML. */
const APPLY_TYPE = "application/apply-patch+yaml";
const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

interface Call extends Omit<TransportRequest, "accept"> {
  verb: string;
  resource: string;
  accept?: string;
  write?: boolean;
  sensitive?: boolean;
}

class HttpClient implements Client {
  readonly cluster: string;
  readonly address: string;
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #slice: TimeSlice;
  readonly #pause: Pause;

  constructor(config: ClusterConfig, options: ClientOptions) {
    this.cluster = options.cluster;
    this.#transport = new Transport(config, options);
    this.address = this.#transport.address;
    this.#options = options;
    this.#slice = TimeSlice.of(options.clock);
    this.#pause = () => this.#slice.pause();
  }

  async get(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    options: GetOptions = {},
  ): Promise<KubeObject> {
    const path = objectPath(type, namespace, name) + query({ resourceVersion: options.resourceVersion });
    const accept = options.metadataOnly === true ? METADATA_ONLY : JSON_TYPE;
    const call: Call = { method: "GET", path, accept, verb: "get", resource: type.plural, ...signalOf(options) };
    return this.#call(call, (answer) => this.#object(answer, type, name));
  }

  async list(type: ResourceType, options: ListOptions = {}): Promise<ObjectList> {
    const path = collectionPath(type, options.namespace) + listQuery(options);
    const accept = options.metadataOnly === true ? METADATA_LIST_ONLY : JSON_TYPE;
    const call: Call = { method: "GET", path, accept, verb: "list", resource: type.plural, ...signalOf(options) };
    return this.#call(call, async (answer) => ({
      ...listFrom(await this.#parse(answer), type, this.#transport.host),
      bytes: answer.body.length,
    }));
  }

  watch(type: ResourceType, options: WatchOptions = {}): AsyncIterable<WatchEvent> & AsyncDisposable {
    const path = collectionPath(type, options.namespace) + watchQuery(options);
    const accept = options.metadataOnly === true ? METADATA_ONLY : JSON_TYPE;
    const call: Call = { method: "GET", path, accept, verb: "watch", resource: type.plural };
    return new WatchStream(
      this.#transport,
      async (signal) => {
        const body = await this.#openWatch({ ...call, signal });
        options.onOpen?.();
        return body;
      },
      type,
      options,
      { endpoint: endpointOf(call), pause: this.#pause },
    );
  }

  async create(type: ResourceType, object: KubeObject, options: CallOptions = {}): Promise<KubeObject> {
    return this.#write(type, object.metadata.name, {
      method: "POST",
      path: collectionPath(type, namespaceFor(type, object)) + query({ fieldManager: FIELD_MANAGER }),
      contentType: JSON_TYPE,
      body: JSON.stringify(object),
      verb: "create",
      resource: type.plural,
      ...signalOf(options),
    });
  }

  apply(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    return this.#apply(type, object, undefined, options);
  }

  applyStatus(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    return this.#apply(type, object, "status", options);
  }

  async patch(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    patchType: PatchType,
    body: unknown,
    options: CallOptions & { subresource?: string } = {},
  ): Promise<KubeObject> {
    return this.#write(type, name, {
      method: "PATCH",
      path: objectPath(type, namespace, name, options.subresource) + query({ fieldManager: FIELD_MANAGER }),
      contentType: patchType,
      body: JSON.stringify(body),
      verb: "patch",
      resource: withSubresource(type, options.subresource),
      ...signalOf(options),
    });
  }

  async delete(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions = {},
  ): Promise<void> {
    const { uid, resourceVersion } = options;
    const preconditions = defined({ uid, resourceVersion });
    const call: Call = {
      method: "DELETE",
      path: objectPath(type, namespace, name),
      contentType: JSON_TYPE,
      body: JSON.stringify({
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: options.propagationPolicy ?? "Background",
        preconditions,
      }),
      verb: "delete",
      resource: type.plural,
      write: true,
      ...signalOf(options),
    };
    await this.#call(call, () => undefined);
  }

  async raw(method: "GET" | "POST" | "PUT", path: string, options: RawOptions = {}): Promise<unknown> {
    if (!path.startsWith("/")) throw new TypeError(`"${path}" is not a path of an API server`);
    const call: Call = {
      method,
      path,
      accept: options.accept ?? JSON_TYPE,
      ...(options.body === undefined ? {} : { contentType: JSON_TYPE, body: JSON.stringify(options.body) }),
      verb: "raw",
      resource: rawResource(path),
      write: method !== "GET",
      timeoutMs: options.timeoutMs,
      ...signalOf(options),
    };
    return this.#call(call, (answer) => {
      const serverTime = dateOf(answer);
      if (serverTime !== undefined) options.onDate?.(serverTime);
      return isJson(answer) ? this.#parse(answer) : answer.body;
    });
  }

  async *stream(path: string, options: StreamOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { signal, idleTimeoutMs } = options;
    const alone = { idleTimeoutMs };
    const call: Call = {
      ...{ method: "GET", path, accept: "*/*", verb: "raw", resource: rawResource(path), alone },
      ...signalOf(options),
    };
    let body: BodyReader | undefined;
    try {
      body = await this.#openWatch(call);
      for (;;) {
        const chunk = await this.#transport.readFrom(body, signal);
        if (chunk === undefined) return;
        yield chunk;
      }
    } catch (error) {
      throw locatedAt(error, endpointOf(call));
    } finally {
      body?.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#transport[Symbol.asyncDispose]();
  }

  #apply(
    type: ResourceType,
    object: KubeObject,
    subresource: string | undefined,
    options: ApplyOptions,
  ): Promise<KubeObject> {
    const parameters = query({
      fieldManager: options.fieldManager ?? FIELD_MANAGER,
      force: options.force,
      dryRun: options.dryRun === true ? "All" : undefined,
      // Server-side apply rejects unknown fields in every mode; `Warn` would make the server read the body twice.
      fieldValidation: "Ignore",
    });
    return this.#write(type, object.metadata.name, {
      method: "PATCH",
      path: objectPath(type, namespaceFor(type, object), object.metadata.name, subresource) + parameters,
      contentType: APPLY_TYPE,
      body: jsonForYaml(object),
      verb: "apply",
      resource: withSubresource(type, subresource),
      ...signalOf(options),
    });
  }

  async #write(type: ResourceType, name: string, call: Call): Promise<KubeObject> {
    const sensitive = type.group === "" && type.kind === "Secret";
    return this.#call({ ...call, write: true, sensitive }, (answer) => this.#object(answer, type, name));
  }

  /** Returns the result of `read`. A malformed answer counts as a failed call. */
  async #call<T>(call: Call, read: (answer: Answer) => T | Promise<T>): Promise<T> {
    const { resends = 0, clock, onError } = this.#options;
    for (let left = resends; ; left -= 1) {
      let answer: Answer | undefined;
      try {
        answer = await this.#answered(call);
        if (answer.status >= 400) throw this.#refusal(call, answer);
        return await read(answer);
      } catch (thrown) {
        const error = locatedAt(thrown, endpointOf(call));
        const waitMs = left > 0 ? askedToWait(error) : undefined;
        if (waitMs === undefined) {
          onError?.(error);
          throw error;
        }
        await clock.sleep(waitMs, call.signal);
      } finally {
        answer?.release();
      }
    }
  }

  async #answered(call: Call): Promise<Answer> {
    const guard = call.write === true ? this.#options.guard : undefined;
    // Asked again before the request is sent, since leadership can be lost during the wait for a connection.
    guard?.();
    const started = this.#options.clock.monotonic();
    let answer: Answer;
    try {
      answer = await this.#transport.request({ ...call, accept: call.accept ?? JSON_TYPE, beforeSend: guard });
    } catch (error) {
      if (call.signal?.aborted !== true && !(error instanceof NotLeaderError)) this.#record(call, "<error>", started);
      throw error;
    }
    this.#record(call, String(answer.status), started);
    // Hundreds of answers can arrive at once. Their parsing must not block the event loop.
    while (this.#slice.spent) await this.#slice.next();
    return answer;
  }

  async #openWatch(call: Call): Promise<BodyReader> {
    const started = this.#options.clock.monotonic();
    let answer: ResponseHead & { body: BodyReader };
    try {
      answer = await this.#transport.stream({ ...call, accept: call.accept ?? JSON_TYPE });
    } catch (error) {
      if (call.signal?.aborted !== true) this.#record(call, "<error>", started);
      throw error;
    }
    const { body, ...head } = answer;
    this.#record(call, String(head.status), started);
    if (head.status < 400) return body;
    throw this.#refusal(call, { ...head, body: await this.#readAll(body, call.signal) });
  }

  /** Reads the body of a refused watch, 64 KiB at most. */
  async #readAll(body: BodyReader, signal: AbortSignal | undefined): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    while (size < 65_536) {
      const chunk = await this.#transport.readFrom(body, signal);
      if (chunk === undefined) break;
      chunks.push(chunk);
      size += chunk.length;
    }
    body.close();
    return Buffer.concat(chunks).toString("utf8");
  }

  #refusal(call: Call, answer: Omit<Answer, "release">): Error {
    return apiErrorFrom(answer, { withToken: this.#transport.usesTokens, sensitive: call.sensitive === true });
  }

  #parse(answer: Answer): Promise<unknown> {
    return parseJson(answer.body, this.#transport.host, this.#pause);
  }

  /** Throws if the object has another name than the requested one. */
  async #object(answer: Answer, type: ResourceType, name: string): Promise<KubeObject> {
    const { host } = this.#transport;
    const object = objectFrom(await this.#parse(answer), type, host);
    if (object.metadata.name === name) return object;
    throw new TransportError(
      "Protocol",
      `${host} answered with another object of ${type.plural} than it was asked for`,
    );
  }

  #record(call: Call, code: string, started: number): void {
    this.#options.observe?.({
      cluster: this.cluster,
      method: call.method,
      code,
      verb: call.verb,
      resource: call.resource,
      ms: this.#options.clock.monotonic() - started,
    });
  }
}

function namespaceFor(type: ResourceType, object: KubeObject): string | undefined {
  if (!type.namespaced) return undefined;
  if (object.metadata.namespace === undefined)
    throw new TypeError(`${type.kind} ${object.metadata.name} needs a namespace`);
  return object.metadata.namespace;
}

/** Method and path, without the query. */
function endpointOf({ method, path }: Pick<Call, "method" | "path">): string {
  return `${method} ${path.split("?", 1)[0] ?? ""}`;
}

function withSubresource(type: ResourceType, subresource: string | undefined): string {
  return subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
}

/** Without the names in the path, so that metrics stay bounded. */
function rawResource(path: string): string {
  const segments = (path.split("?", 1)[0] ?? "").split("/").filter((part) => part !== "");
  const root = segments[0] ?? "";
  if (root !== "api" && root !== "apis") return root;
  let rest = segments.slice(root === "api" ? 2 : 3);
  if (rest[0] === "namespaces" && rest.length > 2) rest = rest.slice(2);
  const [plural, , subresource] = rest;
  if (plural === undefined) return root;
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}

/** Milliseconds of a 429's Retry-After. The server has not processed the request, so a retry is safe. */
function askedToWait(error: unknown): number | undefined {
  return isApiError(error) && error.status === 429 ? error.retryAfterMs : undefined;
}

function signalOf(options: CallOptions): { signal?: AbortSignal } {
  return options.signal === undefined ? {} : { signal: options.signal };
}
