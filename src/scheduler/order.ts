/** By code units: the same order on every machine. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The clusters in order of their names; the list itself when it has that order already. */
export function sortedByName<T extends { name: string }>(clusters: readonly T[]): readonly T[] {
  for (let i = 1; i < clusters.length; i++) {
    if ((clusters[i - 1]?.name ?? "") > (clusters[i]?.name ?? ""))
      return clusters.toSorted((a, b) => compareText(a.name, b.name));
  }
  return clusters;
}
