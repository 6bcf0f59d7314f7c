import { compareIdentity, type ObjectIdentity } from "../types.ts";
import { type ObjectValue } from "./values.ts";

/** A chunk of this length is parted in two. */
const LONGEST = 512;

/** All objects in the order of {@link compareIdentity}, as they were at one moment. */
export type Chunks = readonly (readonly ObjectValue[])[];

/**
 * The objects in order. Taking a snapshot costs as much as there are chunks, and a chunk is copied only when it changes
 * after a snapshot.
 */
export class Order {
  readonly #chunks: ObjectValue[][] = [];
  /** Chunks that no snapshot has. */
  #own = new Set<ObjectValue[]>();

  /** Adds the object, or replaces the object of the same identity. */
  set(value: ObjectValue): void {
    const place = this.#placeOf(value.identity);
    if (place < 0) {
      this.#insertChunk(0, [value]);
      return;
    }
    const chunk = this.#written(place);
    const at = firstNotBefore(chunk, value.identity);
    const isThere =
      at < chunk.length && compareIdentity(at < 0 ? value.identity : identityAt(chunk, at), value.identity) === 0;
    chunk.splice(at, isThere ? 1 : 0, value);
    if (chunk.length > LONGEST) this.#insertChunk(place + 1, chunk.splice(LONGEST / 2));
  }

  delete(identity: ObjectIdentity): void {
    const place = this.#placeOf(identity);
    if (place < 0) return;
    const chunk = this.#written(place);
    const at = firstNotBefore(chunk, identity);
    if (at < chunk.length && compareIdentity(identityAt(chunk, at), identity) === 0) chunk.splice(at, 1);
    if (chunk.length > 0) return;
    this.#chunks.splice(place, 1);
    this.#own.delete(chunk);
  }

  snapshot(): Chunks {
    if (this.#own.size > 0) this.#own = new Set();
    return this.#chunks.slice();
  }

  /** The chunk whose first object is not after the identity, or the first chunk; -1 if there is none. */
  #placeOf(identity: ObjectIdentity): number {
    return placeIn(this.#chunks, identity);
  }

  #written(place: number): ObjectValue[] {
    const chunk = this.#chunks[place] ?? [];
    if (this.#own.has(chunk)) return chunk;
    const copy = chunk.slice();
    this.#chunks[place] = copy;
    this.#own.add(copy);
    return copy;
  }

  #insertChunk(place: number, chunk: ObjectValue[]): void {
    this.#chunks.splice(place, 0, chunk);
    this.#own.add(chunk);
  }
}

/** The objects from `from` on, `from` included. */
export function* objectsFrom(chunks: Chunks, from?: ObjectIdentity): Iterable<ObjectValue> {
  const first = from === undefined ? 0 : Math.max(0, placeIn(chunks, from));
  for (let place = first; place < chunks.length; place++) {
    const chunk = chunks[place] ?? [];
    const start = from === undefined || place > first ? 0 : firstNotBefore(chunk, from);
    for (let at = start; at < chunk.length; at++) yield chunk[at] as ObjectValue;
  }
}

function placeIn(chunks: Chunks, identity: ObjectIdentity): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIdentity(identityAt(chunks[middle] ?? [], 0), identity) <= 0) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? low - 1 : chunks.length === 0 ? -1 : 0;
}

function firstNotBefore(chunk: readonly ObjectValue[], identity: ObjectIdentity): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIdentity(identityAt(chunk, middle), identity) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function identityAt(chunk: readonly ObjectValue[], at: number): ObjectIdentity {
  return (chunk[at] as ObjectValue).identity;
}
