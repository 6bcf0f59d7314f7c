const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** Reserved words that cannot be identifiers but may follow a dot. */
const NAMEABLE = new Set([...RESERVED].filter((word) => !["true", "false", "null", "in"].includes(word)));

/** All names by which an expression can select a property; some reserved words work escaped and unescaped. */
export function namesOf(property: string): readonly string[] {
  const escaped = escapedName(property);
  if (escaped === undefined) return [];
  return NAMEABLE.has(property) ? [escaped, property] : [escaped];
}

/** The name of a property in expressions; undefined for a property that expressions cannot name. */
export function escapedName(property: string): string | undefined {
  if (property === "" || /^[0-9]/.test(property) || /[^a-zA-Z0-9_./-]/.test(property)) return undefined;
  if (RESERVED.has(property)) return `__${property}__`;
  return property.replace(/__|[./-]/g, (text) => ESCAPES[text] ?? text);
}
