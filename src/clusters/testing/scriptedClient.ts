import type { KubeObject } from "../../apis/index.ts";
import type { CallOptions, Client, ObjectList, ResourceType } from "../../runtime/index.ts";

/** One request. */
export interface Call {
  verb: "get" | "list" | "create" | "apply" | "applyStatus" | "patch" | "delete" | "raw";
  /** Plural of the resource, or the path of a raw request. */
  what: string;
  namespace?: string | undefined;
  name?: string | undefined;
  body?: unknown;
  /** Without the signal. */
  options: Record<string, unknown>;
}

/** Answer to a request. An Error is thrown. */
export type Answer = (call: Call) => unknown;

/** A client whose server is the test. Requests are kept. */
export class ScriptedClient {
  readonly cluster = "shanghai-1";
  readonly calls: Call[] = [];
  /** Signals of the requests. */
  readonly signals: (AbortSignal | undefined)[] = [];
  answer: Answer;
  disposed = false;

  constructor(answer: Answer = () => undefined) {
    this.answer = answer;
  }

  get client(): Client {
    return this as unknown as Client;
  }

  /** Requests as `verb what`. */
  get lines(): string[] {
    return this.calls.map(({ verb, what }) => `${verb} ${what}`);
  }

  /** Body of a request. */
  sent<T = KubeObject>(at: number): T {
    const call = this.calls[at];
    if (call === undefined) throw new Error(`only ${this.calls.length} requests were made`);
    return call.body as T;
  }

  get(type: ResourceType, namespace: string | undefined, name: string, options?: CallOptions): Promise<KubeObject> {
    return this.#call({ verb: "get", what: type.plural, namespace, name }, options) as Promise<KubeObject>;
  }

  list(type: ResourceType, options?: CallOptions): Promise<ObjectList> {
    return this.#call({ verb: "list", what: type.plural }, options) as Promise<ObjectList>;
  }

  create(type: ResourceType, body: KubeObject, options?: CallOptions): Promise<unknown> {
    return this.#send("create", type, body, options);
  }

  apply(type: ResourceType, body: KubeObject, options?: CallOptions): Promise<unknown> {
    return this.#send("apply", type, body, options);
  }

  applyStatus(type: ResourceType, body: KubeObject, options?: CallOptions): Promise<unknown> {
    return this.#send("applyStatus", type, body, options);
  }

  patch(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    patchType: string,
    body: unknown,
    options?: CallOptions,
  ): Promise<unknown> {
    return this.#call({ verb: "patch", what: type.plural, namespace, name, body }, { ...options, patchType });
  }

  delete(type: ResourceType, namespace: string | undefined, name: string, options?: CallOptions): Promise<unknown> {
    return this.#call({ verb: "delete", what: type.plural, namespace, name }, options);
  }

  raw(method: string, path: string, options?: CallOptions): Promise<unknown> {
    return this.#call({ verb: "raw", what: `${method} ${path}` }, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
  }

  #send(verb: Call["verb"], type: ResourceType, body: KubeObject, options?: CallOptions): Promise<unknown> {
    const { namespace, name } = body.metadata;
    return this.#call({ verb, what: type.plural, namespace, name, body }, options);
  }

  async #call(call: Omit<Call, "options">, options: CallOptions & { patchType?: string } = {}): Promise<unknown> {
    const { signal, ...others } = options;
    const made: Call = { ...call, options: others };
    this.signals.push(signal);
    this.calls.push(made);
    const result = await this.answer(made);
    if (result instanceof Error) throw result;
    return result;
  }
}
