/** Longest value in a line of the terminal. */
const LONGEST = 120;

/** A field's value on one line, as a person would write it. Long values are cut. */
export function valueText(value: unknown): string {
  const text = typeof value === "string" && isSimple(value) ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** True if the text cannot be taken for a number, a list or null. */
function isSimple(text: string): boolean {
  return /^[A-Za-z/][^\s"'{}[\],]*$/.test(text) && !["true", "false", "null"].includes(text);
}
