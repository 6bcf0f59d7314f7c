/** `1 object`, `2 objects`: a count as people read it. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
