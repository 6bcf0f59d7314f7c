import type { Resource } from "../../query/types.ts";

/** Relative to the page, so that it works behind a proxy with a prefix. */
const API = "../apis/query.federation.paas.cmft.com/v1alpha1";

export type Parameters = Readonly<Record<string, string | undefined>>;

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

  constructor(token: () => string | undefined) {
    this.#token = token;
  }

  /** @throws {AnswerError} for every answer but 200; {TypeError} without a connection */
  async list<R>(resource: Resource, parameters: Parameters, signal?: AbortSignal): Promise<List<R>> {
    const response = await this.#ask(resource, parameters, { accept: "application/json" }, signal);
    const body = (await response.json()) as Partial<List<{ status: R }>>;
    const { items = [], totals = { count: 0, ready: 0, desired: 0 }, partial = [] } = body;
    return { items: items.map(({ status }) => status), totals, partial };
  }

  /** The events after `lastEventId`, or all rows and what follows. */
  async watch(
    resource: Resource,
    parameters: Parameters,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const headers = {
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    const response = await this.#ask(resource, { ...parameters, watch: "true" }, headers, signal);
    if (response.body === null) throw new AnswerError(502, "the answer has no events");
    return response.body;
  }

  async #ask(
    resource: Resource,
    parameters: Parameters,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
    const token = this.#token();
    const response = await fetch(`${API}/${resource}?${query.toString()}`, {
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

async function messageOf(response: Response): Promise<string> {
  const status = (await response.json().catch(() => ({}))) as { message?: unknown };
  return typeof status.message === "string" ? status.message : `the server answered ${response.status}`;
}
