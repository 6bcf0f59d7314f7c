import { defined, type KubeObject } from "../../apis/index.ts";
import { collectionPath } from "./apiPaths.ts";
import { isTransportError, TransportError, type TransportReason } from "../core/index.ts";
import type { Client, ListOptions, ObjectList, ResourceType } from "../types.ts";

export interface Selection {
  client: Client;
  type: ResourceType;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** A longer answer is a failure of the server. */
  bounds?: Bounds;
}

/** `bytes`: over the wire. */
export interface Bounds {
  objects: number;
  bytes: number;
}

export const DEFAULT_BOUNDS: Bounds = { objects: 200_000, bytes: 512 << 20 };

const PAGE = 500;
/** Pages that are less than half full. A few are normal, since some servers filter a page after reading it. */
const MOST_SHORT_PAGES = 100;
/** From the first page to the last. */
const LONGEST_MS = 300_000;

export interface PageOptions extends Pick<ListOptions, "signal" | "metadataOnly" | "resourceVersion"> {
  limit?: number;
  /** Longest duration of the whole list; checked after each page. */
  longestMs?: number;
  /** The list then ends without an error, and its last page has a `continue` token. */
  mostPages?: number;
}

/**
 * Lists a selection in pages, at one consistent state. An expired page throws: start again. A page that is too large is
 * requested again with fewer objects. The whole list is bounded, so every list that may have several pages is read here.
 */
export async function* listPages(
  selection: Selection,
  { limit: first = PAGE, longestMs = LONGEST_MS, mostPages = Infinity, ...options }: PageOptions = {},
): AsyncGenerator<ObjectList, void, undefined> {
  const measure = new Measure(selection);
  const startedAt = performance.now();
  let token: string | undefined;
  let limit = first;
  let short = 0;
  for (let read = 0; read < mostPages;) {
    let page: ObjectList;
    try {
      page = await selection.client.list(selection.type, {
        ...selectors(selection),
        ...options,
        limit,
        ...defined({ continue: token }),
      });
    } catch (error) {
      if (limit === 1 || !isTransportError(error) || error.reason !== "TooLarge") throw error;
      limit = Math.ceil(limit / 8);
      continue;
    }
    measure.add(page.items.length, page.bytes ?? 0);
    const next = page.continue === "" ? undefined : page.continue;
    if (next !== undefined && next === token) throw fault(selection, "Protocol", "the same page comes again and again");
    token = next;
    read += 1;
    yield page;
    if (token === undefined) return;
    if (page.items.length < limit / 2) short += 1;
    if (short > MOST_SHORT_PAGES) throw fault(selection, "TooLarge", "the list has no end");
    if (performance.now() - startedAt > longestMs)
      throw fault(selection, "TooSlow", `the list was not complete after ${longestMs / 1000} s`);
  }
}

/** As {@link listPages}, all objects at once. */
export async function listAll(selection: Selection, options: PageOptions = {}): Promise<KubeObject[]> {
  const items: KubeObject[] = [];
  for await (const page of listPages(selection, options)) for (const item of page.items) items.push(item);
  return items;
}

function fault({ type, namespace }: Selection, reason: TransportReason, message: string): TransportError {
  const endpoint = `GET ${collectionPath(type, namespace)}`;
  return new TransportError(reason, `${endpoint}: ${message}`, undefined, endpoint);
}

/** Counts objects and bytes of a selection against its bounds. */
export class Measure {
  readonly #selection: Selection;
  #objects = 0;
  #bytes = 0;

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  /** Throws when a bound is exceeded. */
  add(objects: number, bytes: number): void {
    this.#objects += objects;
    this.#bytes += bytes;
    if (isTooMuch(this.#selection, this.#objects, this.#bytes)) throw tooMuch(this.#selection);
  }
}

export function isTooMuch({ bounds = DEFAULT_BOUNDS }: Selection, objects: number, bytes: number): boolean {
  return objects > bounds.objects || bytes > bounds.bytes;
}

export function tooMuch(selection: Selection): TransportError {
  const { client, type, bounds = DEFAULT_BOUNDS } = selection;
  const most = `${bounds.objects} objects or ${Math.round(bounds.bytes / (1 << 20))} MiB`;
  return fault(selection, "TooLarge", `${client.cluster} sends more ${type.plural} than are read (${most})`);
}

export function selectors({
  namespace,
  labelSelector,
  fieldSelector,
}: Selection): Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> {
  return defined({ namespace, labelSelector, fieldSelector });
}

/** On average. */
export function bytesPerObject({ items, bytes = 0 }: { items: readonly KubeObject[]; bytes?: number }): number {
  return items.length === 0 ? 0 : Math.ceil(bytes / items.length);
}
