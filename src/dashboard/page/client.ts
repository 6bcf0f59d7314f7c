import { objectRowName } from "../../apis/index.ts";
import type { ObjectIdentity, Resource } from "../../query/types.ts";
import { queryAddress, type WholeAnswer } from "../model/index.ts";

export type Parameters = Readonly<Record<string, string | undefined>>;

/** One of the watches of a stream. */
export interface WatchAddress {
  resource: Resource;
  parameters: Parameters;
}

/** An answer that is none of the rows. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";

  readonly code: number;
  readonly retryAfterSeconds: number;

  constructor(code: number, message: string, retryAfterSeconds = 0) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface List<R> {
  items: R[];
  totals: { count: number; ready: number; desired: number };
  partial: { cluster: string; lastContact?: string; reason: string }[];
}

/** Asks the query API with the token of the reader. */
export class Client {
  readonly #token: () => string | undefined;
  readonly #address: string;
  /** The hub's API server answers, and passes on to a manager. */
  readonly isOfHub: boolean;

  constructor(token: () => string | undefined, pathname = location.pathname) {
    this.#token = token;
    const { address, isOfHub } = queryAddress(pathname);
    this.#address = address;
    this.isOfHub = isOfHub;
  }

  /** @throws {AnswerError} for every answer but 200; {TypeError} without a connection */
  async list<R>(resource: Resource, parameters: Parameters, signal?: AbortSignal): Promise<List<R>> {
    const response = await this.#ask(resource, parameters, { accept: "application/json" }, signal);
    const body = (await response.json()) as Partial<List<{ status: R }>>;
    const { items = [], totals = { count: 0, ready: 0, desired: 0 }, partial = [] } = body;
    return { items: items.map(({ status }) => status), totals, partial };
  }

  /** One object with everything that the hub knows of it and the cluster. Undefined: this server has no such answers. */
  async whole(object: ObjectIdentity, cluster: string, signal: AbortSignal): Promise<WholeAnswer | undefined> {
    const { namespace } = object;
    const place = namespace === undefined ? "" : `namespaces/${encodeURIComponent(namespace)}/`;
    try {
      const path = `${place}federatedobjects/${encodeURIComponent(objectRowName(object))}/full`;
      const response = await this.#ask(path, { cluster }, { accept: "application/json" }, signal);
      return ((await response.json()) as { status: WholeAnswer }).status;
    } catch (error) {
      if (error instanceof AnswerError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** The events of several watches, by their names. */
  async watch(
    watches: Readonly<Record<string, WatchAddress>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const addresses = Object.entries(watches).map(([name, { resource, parameters }]) => {
      return [name, `${resource}?${queryOf(parameters)}`] as const;
    });
    const headers = { accept: "text/event-stream" };
    const response = await this.#ask("watches", Object.fromEntries(addresses), headers, signal);
    if (response.body === null) throw new AnswerError(502, "the answer has no events");
    return response.body;
  }

  async #ask(
    path: string,
    parameters: Parameters,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const token = this.#token();
    const response = await fetch(`${this.#address}/${path}?${queryOf(parameters)}`, {
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      cache: "no-store",
      credentials: "same-origin",
      redirect: "error",
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok) return response;
    throw new AnswerError(response.status, await messageOf(response), Number(response.headers.get("retry-after") ?? 0));
  }
}

function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return query.toString();
}

async function messageOf(response: Response): Promise<string> {
  const status = (await response.json().catch(() => ({}))) as { message?: unknown };
  return typeof status.message === "string" ? status.message : `the server answered ${response.status}`;
}
