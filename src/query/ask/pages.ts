import type { Chunks, Pair } from "../table/index.ts";
import { type Partial, QueryError, type Query, type Scope, type Totals } from "../types.ts";
import type { Compiled } from "./filter.ts";
import type { Found, Place } from "./sort.ts";

/** Where later pages come from: the whole table as it was, the rows that were found, or rows that were computed. */
export type PageSource =
  | { of: "snapshot"; chunks: Chunks }
  | { of: "found"; found: readonly Found[] }
  | { of: "rows"; rows: readonly object[]; pairs: ReadonlySet<Pair> };

/** A list that has more pages. */
export interface Held {
  source: PageSource;
  compiled: Compiled;
  totals: Totals;
  partial: Partial[];
  version: number;
  /** Epoch milliseconds of the first page. */
  now: number;
}

/** Where the next page begins: the number of rows before it, or the place of the last row before it. */
export type Position = number | Place;

interface Entry extends Held {
  subject: string;
  query: string;
}

const HELD_MS = 120_000;
const MOST = 64;
const MOST_OF_SUBJECT = 8;

const EXPIRED = "the continue token has expired or is not yours; list again from the beginning";

/**
 * Lists that have more pages, for two minutes. A token names its list by a random id, so that nobody can guess the token
 * of another reader; it is bound to the reader and to the query.
 */
export class Pages {
  readonly #held = new Map<string, Entry>();
  readonly #randomId: () => string;

  constructor(randomId: () => string) {
    this.#randomId = randomId;
  }

  /** Keeps a list. Returns the id for tokens. */
  keep(held: Held, query: Query, scope: Scope): string {
    this.expire(held.now);
    const { subject } = scope;
    const own = [...this.#held].filter(([, entry]) => entry.subject === subject);
    const [oldest] = own.length >= MOST_OF_SUBJECT ? own : this.#held.size >= MOST ? this.#held : [];
    if (oldest !== undefined) this.#held.delete(oldest[0]);
    const id = this.#randomId();
    this.#held.set(id, { ...held, subject, query: textOf(query) });
    return id;
  }

  /** @throws {QueryError} of status 410; the message is the same for every cause */
  take(token: string, query: Query, scope: Scope, now: number): { id: string; held: Held; position: Position } {
    this.expire(now);
    const [id = "", text = ""] = token.split(".");
    const held = this.#held.get(id);
    const position = positionOf(text);
    if (held === undefined || held.subject !== scope.subject || held.query !== textOf(query) || position === undefined)
      throw new QueryError(410, "Expired", EXPIRED);
    return { id, held, position };
  }

  expire(now: number): void {
    for (const [id, { now: begun }] of this.#held) {
      if (begun + HELD_MS > now) break;
      this.#held.delete(id);
    }
  }
}

export function expired(): QueryError {
  return new QueryError(410, "Expired", EXPIRED);
}

export function tokenOf(id: string, position: Position): string {
  const json = typeof position === "number" ? String(position) : JSON.stringify(position);
  return `${id}.${btoa(encodeURIComponent(json)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

function positionOf(text: string): Position | undefined {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(atob(text.replaceAll("-", "+").replaceAll("_", "/"))));
    if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
    return isPlace(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The reader may have changed the place; whatever it names, only rows of the reader's scope are shown. */
function isPlace(value: unknown): value is Place {
  if (typeof value !== "object" || value === null) return false;
  const { identity, cluster, value: sorted } = value as Record<string, unknown>;
  if (typeof identity !== "object" || identity === null || typeof cluster !== "string") return false;
  const { kind, group, name, namespace = "" } = identity as Record<string, unknown>;
  const isSortValue = sorted === undefined || typeof sorted === "string" || typeof sorted === "number";
  return isSortValue && [kind, group, name, namespace].every((part) => typeof part === "string");
}

/** All that decides which rows a list has, and in what order. */
function textOf({ resource, filter, sort, fields }: Query): string {
  const entries = Object.entries(filter).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([resource, entries, sort, fields]);
}
