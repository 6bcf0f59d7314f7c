/** Keeps secrets out of log lines, spans and Events: the last of several safeguards. */

export const REDACTED = "[redacted]";

const SECRET_KEYS = new Set([
  "authorization",
  "token",
  "access_token",
  "refresh_token",
  "id-token",
  "idtoken",
  "bearertoken",
  "password",
  "kubeconfig",
  "client-key",
  "client-key-data",
  "keydata",
  "privatekey",
  "data",
  "stringdata",
  "binarydata",
  "kubectl.kubernetes.io/last-applied-configuration",
]);

const DEPTH = 6;

export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(key) || SECRET_KEYS.has(key.toLowerCase());
}

const SUSPICIOUS = /bearer\s|eyJ|PRIVATE KEY|client-key-data|token:/i;
const PATTERNS: [RegExp, string][] = [
  [/\bbearer\s+[\w.~+/=-]+/gi, `Bearer ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, REDACTED],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g, REDACTED],
  [/\b(client-key-data|token):\s*[^\s"',}\\]{12,}/gi, `$1: ${REDACTED}`],
];

/** Replaces bearer tokens, JWTs, private keys and entries of a kubeconfig. */
export function redactText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return PATTERNS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

/**
 * Copies the value with its secrets replaced; the value itself when there are none. Deep structure and cycles are cut.
 */
export function redact(value: unknown, depth = DEPTH): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "[…]";
  if (Array.isArray(value)) {
    let changed = false;
    const items = value.map((item) => {
      const clean = redact(item, depth - 1);
      changed ||= clean !== item;
      return clean;
    });
    return changed ? items : value;
  }
  if (value instanceof Error) return redactText(`${value.name}: ${value.message}`);
  if (ArrayBuffer.isView(value)) return REDACTED;
  let copy: Record<string, unknown> | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const clean = inner !== undefined && isSecretKey(key) ? REDACTED : redact(inner, depth - 1);
    if (clean === inner) continue;
    copy ??= { ...(value as Record<string, unknown>) };
    copy[key] = clean;
  }
  return copy ?? value;
}
