const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Checksum of a set of rows, which both sides keep up to date row by row. The order of the rows does not matter. It
 * finds what a network or a fault lost, not what an attacker forges.
 */
export class RowSum {
  #sum = 0;

  /** `key`: the member object (refKey). */
  add(key: string, revision: number): void {
    this.#sum = (this.#sum + hashOf(key, revision)) >>> 0;
  }

  remove(key: string, revision: number): void {
    this.#sum = (this.#sum - hashOf(key, revision)) >>> 0;
  }

  get value(): number {
    return this.#sum;
  }
}

/** FNV-1a, 32 bits. */
function hashOf(key: string, revision: number): number {
  let hash = OFFSET;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), PRIME);
  hash = Math.imul(hash ^ (revision >>> 0), PRIME);
  return Math.imul(hash ^ Math.floor(revision / 2 ** 32), PRIME) >>> 0;
}
