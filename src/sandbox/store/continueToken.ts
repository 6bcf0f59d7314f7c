/** Where the next page of a list begins. */
export interface ContinueToken {
  /** The whole list is as of this revision; -1 means whatever is current, once consistency was given up. */
  revision: number;
  /** Objects whose key is greater come next. */
  after: string;
}

/** The text that goes to the client and comes back; in the form of the API server. */
export function encodeContinueToken({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${after}\0` })).toString("base64url");
}

/** Undefined for a text that no server gave. */
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
