import { parseJson } from "../../../src/apis/index.ts";
import { Agent, request } from "undici";

/** One of the two servers that are compared. */
export interface Side {
  name: string;
  url: string;
  /** PEM of the authority that signed the server's certificate. */
  ca: string;
  /** The administrator's. */
  token: string;
  /** How the addresses that it gives to Services begin: `10.0`. */
  addresses: string;
}

export interface Answer {
  code: number;
  contentType: string;
  /** The texts of the Warning headers. */
  warnings: string[];
  retryAfter: string | undefined;
  /** Parsed when it is JSON. */
  body: unknown;
}

export interface Sent {
  method: string;
  path: string;
  body?: string | undefined;
  headers: Record<string, string>;
}

export interface OpenWatch {
  code: number;
  /** The refusal, when the code is not 200. */
  body: unknown;
  /** Lines of the stream as they come. */
  lines: AsyncIterable<unknown>;
  close(): void;
}

/** A plain HTTPS client of one server. It shares nothing with Meridian's own. */
export class Client implements AsyncDisposable {
  readonly side: Side;
  readonly #agent: Agent;

  constructor(side: Side) {
    this.side = side;
    this.#agent = new Agent({ connect: { ca: side.ca }, allowH2: false, headersTimeout: 30_000, bodyTimeout: 0 });
  }

  async send({ method, path, body, headers }: Sent): Promise<Answer> {
    const response = await request(new URL(path, this.side.url), {
      dispatcher: this.#agent,
      method: method as "GET",
      headers,
      body: body ?? null,
    });
    return {
      code: response.statusCode,
      contentType: first(response.headers["content-type"]) ?? "",
      warnings: all(response.headers["warning"]).map(warningText),
      retryAfter: first(response.headers["retry-after"]),
      body: parsed(await response.body.text(), first(response.headers["content-type"])),
    };
  }

  async watch({ path, headers }: Sent): Promise<OpenWatch> {
    const closing = new AbortController();
    const response = await request(new URL(path, this.side.url), {
      dispatcher: this.#agent,
      headers,
      signal: closing.signal,
    });
    // Closing it is how a watch ends here.
    response.body.on("error", () => undefined);
    const open = response.statusCode === 200;
    return {
      code: response.statusCode,
      body: open ? undefined : parsed(await response.body.text(), first(response.headers["content-type"])),
      lines: open ? linesOf(response.body, closing.signal) : nothing(),
      close: () => closing.abort(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<unknown, void> {
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of chunks) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parseJson(line);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* nothing(): AsyncGenerator<unknown, void> {}

function parsed(text: string, contentType: string | undefined): unknown {
  // The real server sends the index of its OpenAPI documents as plain text.
  const isJson = contentType?.includes("json") === true || text.startsWith('{"');
  return isJson && text !== "" ? parseJson(text) : text;
}

/** `299 - "text"` without what is the same on every warning. */
function warningText(header: string): string {
  const quoted = /^299 - "(.*)"$/s.exec(header)?.[1];
  return quoted === undefined ? header : quoted.replace(/\\(.)/g, "$1");
}

function all(header: string | string[] | undefined): string[] {
  return header === undefined ? [] : Array.isArray(header) ? header : [header];
}

function first(header: string | string[] | undefined): string | undefined {
  return all(header)[0];
}
