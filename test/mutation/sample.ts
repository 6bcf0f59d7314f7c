import { createHash } from "node:crypto";

/** A part of all changes, drawn by chance; the same for the same seed and source. */
export interface Sample {
  /** In percent. */
  share: number;
  seed: number;
}

/** `id`: the number that Stryker gives a change of a room. */
export function isSampled({ share, seed }: Sample, id: string): boolean {
  const drawn = createHash("sha256").update(`${seed}/${id}`).digest().readUInt32BE();
  return drawn < (share / 100) * 2 ** 32;
}

/**
 * How far the score of all changes may lie from that of the sample, to either side, in percentage points: 19 of 20 samples are as near
 * (normal approximation for a sample without replacement).
 */
export function marginOf(noticed: number, tried: number, { share }: Sample): number {
  if (tried === 0) return 100;
  const score = noticed / tried;
  return 196 * Math.sqrt(((score * (1 - score)) / tried) * (1 - share / 100));
}
