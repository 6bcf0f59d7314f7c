/**
 * Formats of names, labels and keys. Each function returns the errors of a value in the words of the API server; an
 * empty list means a valid value. Lengths count bytes.
 */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const WILDCARD_SUBDOMAIN = `\\*\\.${SUBDOMAIN}`;
const LABEL_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${LABEL_KEY})?`;
const CONFIG_KEY = "[-._a-zA-Z0-9]+";

const LABEL_KEY_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const patterns = new Map<string, RegExp>();

function matches(pattern: string, value: string): boolean {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) patterns.set(pattern, (compiled = whole(pattern)));
  return compiled.test(value);
}

/** `… (e.g. 'a', or 'b', regex used for validation is '…')`, with the server's own odd commas. */
export function patternText(text: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${pattern}')`;
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`;
}

const tooLongText = (maximum: number, unit = "bytes") => `must be no more than ${maximum} ${unit}`;

export function byteLength(value: string): number {
  return Buffer.byteLength(value);
}

export function dnsLabel(value: string): string[] {
  const wrong: string[] = [];
  if (byteLength(value) > 63) wrong.push(tooLongText(63, "characters"));
  if (!matches(LABEL, value)) {
    wrong.push(
      matches(SUBDOMAIN, value)
        ? "must not contain dots"
        : patternText(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            LABEL,
            "my-name",
            "123-abc",
          ),
    );
  }
  return wrong;
}

export function dnsSubdomain(value: string): string[] {
  const wrong: string[] = [];
  if (byteLength(value) > 253) wrong.push(tooLongText(253, "characters"));
  if (!matches(SUBDOMAIN, value)) {
    wrong.push(
      patternText(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        SUBDOMAIN,
        "example.com",
      ),
    );
  }
  return wrong;
}

export function dns1035Label(value: string): string[] {
  const wrong: string[] = [];
  if (byteLength(value) > 63) wrong.push(tooLongText(63, "characters"));
  if (!matches(DNS_1035_LABEL, value)) {
    wrong.push(
      patternText(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        DNS_1035_LABEL,
        "my-name",
        "abc-123",
      ),
    );
  }
  return wrong;
}

export function wildcardSubdomain(value: string): string[] {
  const wrong: string[] = [];
  if (byteLength(value) > 253) wrong.push(tooLongText(253, "characters"));
  if (!matches(WILDCARD_SUBDOMAIN, value)) {
    wrong.push(
      patternText(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        WILDCARD_SUBDOMAIN,
        "*.example.com",
      ),
    );
  }
  return wrong;
}

/** A label key: a name, with an optional DNS subdomain and slash before it. */
export function labelKey(value: string): string[] {
  const parts = value.split("/");
  const wrong: string[] = [];
  const text = patternText(LABEL_KEY_TEXT, LABEL_KEY, "MyName", "my.name", "123-abc");
  if (parts.length > 2) {
    return [`a valid label key ${text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === "") wrong.push("prefix part must be non-empty");
  else if (prefix !== undefined) wrong.push(...dnsSubdomain(prefix).map((message) => `prefix part ${message}`));
  if (name === "") wrong.push("name part must be non-empty");
  else if (byteLength(name) > 63) wrong.push(`name part ${tooLongText(63)}`);
  if (!matches(LABEL_KEY, name)) wrong.push(`name part ${text}`);
  return wrong;
}

export function labelValue(value: string): string[] {
  const wrong: string[] = [];
  if (byteLength(value) > 63) wrong.push(tooLongText(63));
  if (!matches(LABEL_VALUE, value)) {
    wrong.push(
      patternText(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        LABEL_VALUE,
        "MyValue",
        "my_value",
        "12345",
      ),
    );
  }
  return wrong;
}

/** A key of a ConfigMap or Secret, which may become a file. */
export function configMapKey(value: string): string[] {
  const wrong: string[] = [];
  if (byteLength(value) > 253) wrong.push(tooLongText(253, "characters"));
  if (!matches(CONFIG_KEY, value)) {
    wrong.push(
      patternText(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        CONFIG_KEY,
        "key.name",
        "KEY_NAME",
        "key-name",
      ),
    );
  }
  return [...wrong, ...folderPrefix(value)];
}

function folderPrefix(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}

export function environmentVariableName(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  // Printable ASCII except `=`.
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** The name of a port: an IANA service name. */
export function portName(value: string): string[] {
  const wrong: string[] = [];
  if (byteLength(value) > 15) wrong.push(tooLongText(15, "characters"));
  if (!/^[-a-z0-9]+$/.test(value)) {
    wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) wrong.push("must contain at least one letter (a-z)");
  if (value.includes("--")) wrong.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) wrong.push("must not begin or end with a hyphen");
  return wrong;
}

export function portNumber(value: number): string[] {
  return value >= 1 && value <= 65_535 ? [] : ["must be between 1 and 65535, inclusive"];
}

export function httpHeaderName(value: string): string[] {
  if (matches("[-A-Za-z0-9]+", value)) return [];
  return [
    patternText("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", "X-Header-Name"),
  ];
}

/** A segment of a URL path: the names of RBAC objects and custom resources. */
export function pathSegment(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"]
    .filter((character) => value.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** Errors of an object's name. `isPrefix`: the name is a generateName. */
export type NameRule = (name: string, isPrefix: boolean) => string[];

const masked = (form: (value: string) => string[]): NameRule => {
  return (name, isPrefix) => form(isPrefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name);
};

export const nameIsDnsSubdomain: NameRule = masked(dnsSubdomain);
export const nameIsDnsLabel: NameRule = masked(dnsLabel);
export const nameIsDns1035Label: NameRule = masked(dns1035Label);
export const nameIsPathSegment: NameRule = (name, isPrefix) => (isPrefix ? [] : pathSegment(name));

/** No vowels and no look-alikes, so that a suffix never spells a word. */
const SUFFIX_CHARACTERS = "bcdfghjklmnpqrstvwxz2456789";
const LONGEST_GENERATED = 63;

/** A name made from `generateName`: at most its first 58 characters, plus five random ones. `random` returns [0, 1). */
export function generateName(prefix: string, random: () => number = Math.random): string {
  let suffix = "";
  for (let index = 0; index < 5; index++) {
    suffix += SUFFIX_CHARACTERS[Math.floor(random() * SUFFIX_CHARACTERS.length)] ?? "x";
  }
  return prefix.slice(0, LONGEST_GENERATED - suffix.length) + suffix;
}
