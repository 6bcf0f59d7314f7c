import { defined, placedRowName, QUERY_PATH } from "../../apis/index.ts";
import type { ListAnswer, ObjectIdentity, Partial, Resource, RowOf } from "../../query/index.ts";
import { isApiError, systemClock } from "../../runtime/index.ts";
import type { Way } from "./ways.ts";

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Rows<R extends Resource> {
  rows: RowOf[R][];
  partial: Partial[];
  resourceVersion: string;
  /** There are more rows than were asked for. */
  isCut: boolean;
}

export interface RowEvent<R extends Resource> {
  type: "ADDED" | "MODIFIED" | "DELETED";
  row: RowOf[R];
}

const JSON_TYPE = "application/json";
const PAGE = 500;
/** A user may ask 50 times at once, and 20 times a second. */
const MOST_WAITS = 5;
const LONGEST_LINE = 1 << 20;

/** A client of the query API. It asks with the person's own credentials. */
export class QueryApi implements Disposable {
  /** How it is reached, for a person. */
  readonly way: string;
  readonly #way: Way;
  readonly #signal: AbortSignal;

  constructor(way: Way, signal: AbortSignal) {
    this.way = way.name;
    this.#way = way;
    this.#signal = signal;
  }

  /** Names of the resources and subresources that the server has. */
  async served(signal = this.#signal): Promise<Set<string>> {
    const { resources = [] } = await this.#json<{ resources?: { name: string }[] }>(QUERY_PATH, signal);
    return new Set(resources.map(({ name }) => name));
  }

  /** Every page, until there are `most` rows. */
  async list<R extends Resource>(
    resource: R,
    parameters: Parameters = {},
    most = Number.POSITIVE_INFINITY,
  ): Promise<Rows<R>> {
    const found: Rows<R> = { rows: [], partial: [], resourceVersion: "", isCut: false };
    for (let token: string | undefined = ""; token !== undefined;) {
      const limit = Math.min(PAGE, most - found.rows.length);
      const path = `${QUERY_PATH}/${resource}${queryText({ ...parameters, limit, continue: token || undefined })}`;
      const page: Page<R> = await this.#json<Page<R>>(path, this.#signal);
      found.rows.push(...page.items.map(({ status }) => status));
      found.partial = page.partial;
      found.resourceVersion = page.metadata.resourceVersion;
      token = page.metadata.continue;
      found.isCut = token !== undefined;
      if (found.rows.length >= most) break;
    }
    return found;
  }

  /** Changes after `resourceVersion`, until the signal or the end of the server's term. */
  async *watch<R extends Resource>(
    resource: R,
    parameters: Parameters,
    resourceVersion: string,
  ): AsyncGenerator<RowEvent<R>> {
    const path = `${QUERY_PATH}/${resource}${queryText({ ...parameters, watch: true, resourceVersion })}`;
    for await (const line of linesOf(this.#stream(path, JSON_TYPE))) {
      if (line === "") continue;
      const { type, object } = JSON.parse(line) as { type: string; object: { status: RowOf[R]; message?: string } };
      if (type === "ERROR") throw new Error(object.message ?? "the watch ended");
      if (type !== "BOOKMARK") yield { type: type as RowEvent<R>["type"], row: object.status };
    }
  }

  /** The log of a container of a placed object, as text. */
  log(object: ObjectIdentity, cluster: string, parameters: Parameters): AsyncGenerator<Buffer> {
    return this.#stream(`${placedPath(object, cluster)}/log${queryText(parameters)}`, "text/plain");
  }

  /** An answer of the same server, such as its metrics. */
  async text(path: string): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.#stream(path, "text/plain, */*")) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }

  [Symbol.dispose](): void {
    this.#way[Symbol.dispose]();
  }

  async *#stream(path: string, accept: string): AsyncGenerator<Buffer> {
    const answer = await this.#way.ask({ path, accept, signal: this.#signal });
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) yield chunk;
    } finally {
      answer.destroy();
    }
  }

  async #json<T>(path: string, signal: AbortSignal): Promise<T> {
    for (let left = MOST_WAITS; ; left -= 1) {
      try {
        const answer = await this.#way.ask({ path, accept: JSON_TYPE, signal });
        const chunks: Buffer[] = [];
        for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
        return JSON.parse(Buffer.concat(chunks).toString("utf8")) as T;
      } catch (error) {
        if (left === 0 || !isApiError(error) || error.status !== 429) throw error;
        await systemClock.sleep(error.retryAfterMs ?? 1_000, signal);
      }
    }
  }
}

interface Page<R extends Resource> extends Pick<ListAnswer, "partial"> {
  items: { status: RowOf[R] }[];
  metadata: { resourceVersion: string; continue?: string };
}

function placedPath(object: ObjectIdentity, cluster: string): string {
  const { namespace } = object;
  const within = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${QUERY_PATH}${within}/placedobjects/${encodeURIComponent(placedRowName(object, cluster))}`;
}

function queryText(parameters: Parameters): string {
  const given = Object.entries(defined(parameters)).map(([name, value]): [string, string] => [name, String(value)]);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/** Whole lines, without their ends. `onLong`: a line of more than a MiB is refused, or cut into lines. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  onLong: "Refuse" | "Cut" = "Refuse",
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length <= LONGEST_LINE) continue;
    if (onLong === "Refuse") throw new Error("the query API sends a line without end");
    yield rest;
    rest = "";
  }
  if (rest !== "") yield rest;
}
