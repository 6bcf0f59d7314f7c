/** Words that several commands print. Pure. */

/** `1 object`, `2 objects`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

const SHOWN = 8;

/** `a, b and 3 more`; `none` when there are none. */
export function someOf(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return names.slice(0, SHOWN).join(", ") + more;
}
