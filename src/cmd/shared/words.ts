/** Texts that several commands print. Pure. */

const SHOWN = 8;

/** Suggests the names that a person can choose; returns `nothing` if there are none. */
export function chooseAmong(names: readonly string[], nothing: string): string {
  return names.length === 0 ? nothing : `name one of these: ${namesText(names, SHOWN)}`;
}

/** Quotes a word for the shell where necessary. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Maximum number of cluster names in one line. */
const MOST_NAMES = 6;

/** `a, b and 3 more`. */
export function namesText(names: readonly string[], most: number = MOST_NAMES): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${more}`;
}
