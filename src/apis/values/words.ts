/** `1 object`, `2 objects`: a count as people read it. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** Words before the names of clusters in a policy for which no MemberCluster exists. */
export function unknownClusterWords(names: readonly string[]): string {
  return names.length === 1 ? "unknown cluster " : "unknown clusters ";
}
