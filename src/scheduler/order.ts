/** Compares by UTF-16 code units, so that the order is the same on every machine. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts by name; returns the same list if it is sorted already. */
export function sortedByName<T extends { name: string }>(clusters: readonly T[]): readonly T[] {
  let before: string | undefined;
  for (const { name } of clusters) {
    if (before !== undefined && before > name) return clusters.toSorted((a, b) => compareText(a.name, b.name));
    before = name;
  }
  return clusters;
}

/** Index of the name in a list that is sorted by name; -1 if the name is missing. */
export function indexOfName(clusters: readonly { name: string }[], name: string): number {
  let from = 0;
  let to = clusters.length - 1;
  while (from <= to) {
    const middle = (from + to) >> 1;
    const found = clusters[middle]?.name ?? "";
    if (found === name) return middle;
    if (found < name) from = middle + 1;
    else to = middle - 1;
  }
  return -1;
}
