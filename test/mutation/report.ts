import type { Stryker } from "@stryker-mutator/core";
import { marginOf, pathOf, type Sample } from "./sample.ts";

/** A change of the source, and what became of it. */
export type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

/** How many changes were tried in a room or a file, and how many were noticed. */
export interface Score {
  name: string;
  noticed: number;
  survived: number;
}

/** Share of the changes that were noticed, in percent; nothing to notice is full marks. */
export function percent({ noticed, survived }: Score): number {
  return noticed + survived === 0 ? 100 : (100 * noticed) / (noticed + survived);
}

/** A change that breaks the loading of every test counts as noticed; one that is ignored on purpose does not count. */
export function scoreOf(name: string, mutants: readonly Mutant[]): Score {
  const noticed = mutants.filter(({ status }) => ["Killed", "Timeout", "RuntimeError"].includes(status)).length;
  return { name, noticed, survived: mutants.filter(isSurvivor).length };
}

export const isSurvivor = ({ status }: Mutant): boolean => status === "Survived" || status === "NoCoverage";

export function sumOf(scores: readonly Score[]): Score {
  const sum = (of: (score: Score) => number): number => scores.reduce((total, score) => total + of(score), 0);
  return { name: "all", noticed: sum(({ noticed }) => noticed), survived: sum(({ survived }) => survived) };
}

/** The files of a room, the worst first. */
export function filesOf(mutants: readonly Mutant[]): Score[] {
  const byFile = Map.groupBy(mutants, ({ fileName }) => pathOf(fileName));
  return [...byFile]
    .map(([name, some]) => scoreOf(name, some))
    .toSorted((a, b) => percent(a) - percent(b) || (a.name < b.name ? -1 : 1));
}

/** One line for each change that nobody noticed: where, what kind, what stands there instead. */
export function survivorLines(mutants: readonly Mutant[]): string[] {
  return mutants
    .filter(isSurvivor)
    .toSorted(byPlace)
    .map(({ fileName, location, mutatorName, replacement, status }) => {
      const untried = status === "NoCoverage" ? " (no test comes here)" : "";
      const text = replacement.replaceAll(/\s+/g, " ").slice(0, 100);
      return `${pathOf(fileName)}:${location.start.line}:${location.start.column} ${mutatorName} → ${text}${untried}`;
    });
}

function byPlace(a: Mutant, b: Mutant): number {
  if (a.fileName !== b.fileName) return a.fileName < b.fileName ? -1 : 1;
  return a.location.start.line - b.location.start.line || a.location.start.column - b.location.start.column;
}

/** Scores of a sample come with their margin. */
export function scoreTable(scores: readonly Score[], sample?: Sample): string {
  const width = Math.max(4, ...scores.map(({ name }) => name.length));
  const head = `${"".padEnd(width)}  changes  noticed  survived  score`;
  const lines = scores.map((score) => {
    const { name, noticed, survived } = score;
    const numbers = [
      String(noticed + survived).padStart(7),
      String(noticed).padStart(7),
      String(survived).padStart(8),
      `${percent(score).toFixed(1)} %`.padStart(7),
      ...(sample === undefined ? [] : [`± ${marginOf(noticed, noticed + survived, sample).toFixed(1)}`]),
    ];
    return `${name.padEnd(width)}  ${numbers.join("  ")}`;
  });
  return [head, ...lines].join("\n");
}
