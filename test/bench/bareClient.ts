import { Agent, type Dispatcher } from "undici";
import type { Plane } from "../envtest/index.ts";

/** How many requests the bench has under way on one server. */
export const AT_A_TIME = 16;

export type Body = "json" | "merge-patch" | "apply-patch";

const CONTENT_TYPES: Record<Body, string> = {
  json: "application/json",
  "merge-patch": "application/merge-patch+json",
  "apply-patch": "application/apply-patch+yaml",
};

/**
 * As little as it takes to send a request to an API server over HTTP/2: this is what the floors are measured with, so it shares nothing
 * with Meridian's client and does nothing with the answers.
 */
export class BareClient implements AsyncDisposable {
  readonly name: string;
  readonly #origin: string;
  readonly #authorization: string;
  readonly #agent: Agent;
  readonly #waiting: (() => void)[] = [];
  #free = AT_A_TIME;

  constructor({ name, server, adminToken, caData }: Plane) {
    this.name = name;
    this.#origin = server;
    this.#authorization = `Bearer ${adminToken}`;
    this.#agent = new Agent({ allowH2: true, connections: 2, connect: { ca: caData } });
  }

  /** Sends when fewer than {@link AT_A_TIME} requests are under way; first come, first served. Throws unless it succeeds. */
  send(method: Dispatcher.HttpMethod, path: string, kind?: Body, body?: string): Promise<void> {
    return this.inTurn(() => this.sendNow(method, path, kind, body));
  }

  /** Does the work when fewer than {@link AT_A_TIME} pieces of work are under way; first come, first served. */
  async inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  /** At once. More than a hundred requests on one connection never get an answer, so take care. */
  async sendNow(method: Dispatcher.HttpMethod, path: string, kind?: Body, body?: string): Promise<void> {
    const response = await this.#agent.request({
      origin: this.#origin,
      path,
      method,
      headers: {
        authorization: this.#authorization,
        accept: "application/json",
        ...(kind === undefined ? {} : { "content-type": CONTENT_TYPES[kind] }),
      },
      body: body ?? null,
    });
    if (response.statusCode < 300) {
      await response.body.dump();
      return;
    }
    throw new Error(`${this.name}: ${method} ${path}: ${response.statusCode} ${await response.body.text()}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Calls `each` for every item, so many at a time, in order. */
export async function inParallel<T>(
  items: readonly T[],
  parallel: number,
  each: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items.values();
  const worker = async () => {
    for (const item of iterator) await each(item);
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker));
}
