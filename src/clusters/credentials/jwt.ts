/** Claims of a bearer token that is not verified: they serve messages and times, never permissions. */
export interface TokenClaims {
  /** Epoch milliseconds. */
  issuedAt?: number;
  expiresAt?: number;
  /** `system:serviceaccount:NAMESPACE:NAME` for a service account. */
  subject?: string;
}

/** Undefined when the token is not a JWT. */
export function tokenClaims(token: string): TokenClaims | undefined {
  const [, body, ...rest] = token.split(".");
  if (body === undefined || rest.length !== 1) return undefined;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
  } catch {
    // An opaque token with two dots.
    return undefined;
  }
  if (typeof claims !== "object" || claims === null) return undefined;
  const { iat, exp, sub } = claims as Record<string, unknown>;
  return {
    ...(typeof iat === "number" ? { issuedAt: iat * 1000 } : {}),
    ...(typeof exp === "number" ? { expiresAt: exp * 1000 } : {}),
    ...(typeof sub === "string" ? { subject: sub } : {}),
  };
}
