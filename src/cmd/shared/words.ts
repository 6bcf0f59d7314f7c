/** Words that several commands print. Pure. */

const SHOWN = 8;

/** What a person can name instead; `nothing` where there is nothing. */
export function chooseAmong(names: readonly string[], nothing: string): string {
  return names.length === 0 ? nothing : `name one of these: ${namesText(names, SHOWN)}`;
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A line holds so many names of clusters. */
const MOST_NAMES = 6;

/** `a, b and 3 more`. */
export function namesText(names: readonly string[], most: number = MOST_NAMES): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}
