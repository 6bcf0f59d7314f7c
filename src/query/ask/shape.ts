/** Messages are cut before their shape is made: what tells messages apart stands in front. */
const LONGEST = 512;

const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;
/** Words with a digit or a slash, or with a dot or a colon inside: names, images, addresses, hashes. */
const NAMED = /[^\s,;()[\]{}]*(?:[0-9/@]|[^\s,;()[\]{}][.:][^\s,;()[\]{}])[^\s,;()[\]{}]*/g;
const TRAILING = /[.:]+$/;

/**
 * The message with names and numbers replaced, so that the same trouble of different objects has the same text. `names`:
 * words that are known to be names.
 */
export function shapeOf(message: string, names: Iterable<string> = []): string {
  const known = new Set(names);
  return message
    .slice(0, LONGEST)
    .replace(QUOTED, "…")
    .replace(NAMED, (word) => `…${TRAILING.exec(word)?.[0] ?? ""}`)
    .split(/(\s+|[,;()[\]{}:])/)
    .map((word) => (known.has(word) ? "…" : word))
    .join("")
    .replace(/…(?:,? …)+/g, "…");
}
