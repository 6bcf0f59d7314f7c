/** Words that several commands print. Pure. */

const SHOWN = 8;

/** What a person can name instead; `nothing` where there is nothing. */
export function chooseAmong(names: readonly string[], nothing: string): string {
  return names.length === 0 ? nothing : `name one of these: ${someOf(names)}`;
}

/** `a, b and 3 more`. */
function someOf(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return names.slice(0, SHOWN).join(", ") + more;
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
