import { trimEnd } from "./trimEnd.ts";

/** The API bounds the messages of conditions and entries to this many characters. */
const MESSAGE_LIMIT = 120;

/**
 * The text on one line and within the limit: cut between words where that keeps at least half of it, and ended with `…`.
 */
export function shortMessage(text: string, limit: number = MESSAGE_LIMIT): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= limit) return line;
  const room = line.slice(0, limit - 1);
  const space = line[limit - 1] === " " ? room.length : room.lastIndexOf(" ");
  // Half of a surrogate pair at the end would not be a character at all.
  const cut = space >= limit / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/, "");
  return `${trimEnd(cut, " ,;:.")}…`;
}
