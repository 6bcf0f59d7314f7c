/** Messages are cut before their shape is made: what tells messages apart stands in front. */
const LONGEST = 512;

const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;
const WORD = /[^\s,;()[\]{}]+/g;
/** In a word: a digit or a slash, or a dot or a colon inside. So are names, images, addresses and hashes. */
const NAMED = /[0-9/@]|[^.:][.:][^.:]/;

/**
 * The message with names and numbers replaced, so that the same trouble of different objects has the same text. `names`:
 * words that are known to be names.
 */
export function shapeOf(message: string, names: Iterable<string> = []): string {
  const known = new Set(names);
  return message
    .slice(0, LONGEST)
    .replace(QUOTED, "…")
    .replace(WORD, (word) => (NAMED.test(word) ? `…${trailing(word)}` : word))
    .split(/(\s+|[,;()[\]{}:])/)
    .map((word) => (known.has(word) ? "…" : word))
    .join("")
    .replace(/…(?:,? …)+/g, "…");
}

/** The dots and colons at the end of the word. */
function trailing(word: string): string {
  let end = word.length;
  while (end > 0 && (word[end - 1] === "." || word[end - 1] === ":")) end -= 1;
  return word.slice(end);
}
