import type { KubeObject } from "../apis/index.ts";
import { isTransportError, TransportError } from "./errors.ts";
import type { Client, ListOptions, ObjectList, ResourceType } from "./types.ts";
import { storable } from "./wire.ts";

/** Which objects of one cluster. */
export interface Selection {
  client: Client;
  type: ResourceType;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** How much of it is read; a server that sends more has failed. */
  bounds?: Bounds;
}

/** The most that is taken of one selection. `bytes`: as they come over the wire. */
export interface Bounds {
  objects: number;
  bytes: number;
}

export const DEFAULT_BOUNDS: Bounds = { objects: 200_000, bytes: 512 << 20 };

const PAGE = 500;
const MOST_PAGES = 10_000;

/**
 * Lists a selection in pages, at one consistent state that is at least as new as the call. Expired pages throw like any other
 * failure: begin again then. Where the objects are so long that a page of them is too much, the pages become smaller.
 */
export async function* listPages(
  selection: Selection,
  options: Pick<ListOptions, "signal" | "metadataOnly"> = {},
): AsyncGenerator<ObjectList, void, undefined> {
  const measure = new Measure(selection);
  let token: string | undefined;
  let limit = PAGE;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    let page: ObjectList;
    try {
      page = await selection.client.list(selection.type, {
        ...selectors(selection),
        ...options,
        limit,
        ...(token === undefined ? {} : { continue: token }),
      });
    } catch (error) {
      if (limit === 1 || !isTransportError(error) || error.reason !== "TooLarge") throw error;
      limit = Math.ceil(limit / 8);
      continue;
    }
    for (const object of page.items) storable(object, selection.type, selection.client.cluster);
    measure.add(page.items.length, page.bytes ?? 0);
    token = page.continue === "" ? undefined : page.continue;
    yield page;
    if (token === undefined) return;
  }
  throw new TransportError("TooLarge", `the list of ${selection.type.plural} has no end`);
}

/** Counts what comes, up to the bounds. */
export class Measure {
  readonly #selection: Selection;
  #objects = 0;
  #bytes = 0;

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  /** Throws when it is too much. */
  add(objects: number, bytes: number): void {
    this.#objects += objects;
    this.#bytes += bytes;
    if (isTooMuch(this.#selection, this.#objects, this.#bytes)) throw tooMuch(this.#selection);
  }
}

export function isTooMuch({ bounds = DEFAULT_BOUNDS }: Selection, objects: number, bytes: number): boolean {
  return objects > bounds.objects || bytes > bounds.bytes;
}

export function tooMuch({ client, type, bounds = DEFAULT_BOUNDS }: Selection): TransportError {
  const most = `${bounds.objects} objects or ${Math.round(bounds.bytes / (1 << 20))} MiB`;
  return new TransportError("TooLarge", `${client.cluster} sends more ${type.plural} than are read (${most})`);
}

export function selectors({
  namespace,
  labelSelector,
  fieldSelector,
}: Selection): Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector"> {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** About how much one of the objects of a page is. */
export function bytesPerObject({ items, bytes = 0 }: { items: readonly KubeObject[]; bytes?: number }): number {
  return items.length === 0 ? 0 : Math.ceil(bytes / items.length);
}
