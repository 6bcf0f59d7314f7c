/** Start of the next page of a list. */
export interface ContinueToken {
  /** The revision of all pages; -1 means the current revision, after the client gave up consistency. */
  revision: number;
  /** The next page starts after this key. */
  after: string;
}

/** The token's text, in the API server's format. */
export function encodeContinueToken({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${after}\0` })).toString("base64url");
}

/** Undefined for an invalid token. */
export function decodeContinueToken(text: string): ContinueToken | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (typeof value !== "object" || value === null || !("rv" in value) || !("start" in value)) return undefined;
    const { rv, start } = value;
    if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0 || typeof start !== "string") return undefined;
    return { revision: rv, after: start.endsWith("\0") ? start.slice(0, -1) : start };
  } catch {
    return undefined;
  }
}
