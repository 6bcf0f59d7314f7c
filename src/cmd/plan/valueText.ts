/** No line of a terminal holds more. */
const LONGEST = 120;

/** A value of a field on one line, as a person would write it; long ones are cut. */
export function valueText(value: unknown): string {
  const text = typeof value === "string" && isSimple(value) ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** Could not be taken for a number, a list or nothing. */
function isSimple(text: string): boolean {
  return /^[A-Za-z/][^\s"'{}[\],]*$/.test(text) && !["true", "false", "null"].includes(text);
}
