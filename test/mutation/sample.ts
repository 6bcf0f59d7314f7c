import { createHash } from "node:crypto";

/** Which changes are tried, of all that the sources have. */
export interface Selected {
  sample?: Sample;
  /** Those with these names and no others; see {@link nameOf}. */
  only?: readonly string[];
}

/** A change as Stryker describes it while it runs and in its results, where lines are counted from 0 and from 1. */
interface Change {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

export function isSelected({ sample, only }: Selected, change: Change): boolean {
  return (
    (sample === undefined || isSampled(sample, change.id)) && (only === undefined || only.includes(nameOf(change)))
  );
}

/** The same in every run over the same source, which the number of a change is not. `firstLine`: what the first line of a file is called. */
export function nameOf(
  { fileName, mutatorName, replacement, location: { start, end } }: Change,
  firstLine = 0,
): string {
  const at = ({ line, column }: { line: number; column: number }): string =>
    `${line - firstLine}:${column - firstLine}`;
  return [pathOf(fileName), at(start), at(end), mutatorName, replacement].join(" ");
}

/** Path of a source within the project. */
export const pathOf = (fileName: string): string => fileName.replace(/^.*?(?=src\/[^/]+\/)/, "");

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
