/** Unescaped tokens of a JSON pointer; empty for the whole document. */
export type Pointer = readonly string[];

/** Parses a pointer of RFC 6901. Undefined if the text is no pointer: no leading slash, or a `~` that escapes nothing. */
export function parsePointer(text: string): Pointer | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
