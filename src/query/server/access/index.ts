/**
 * Who asks, what this user may read, and how much at once.
 *
 * Promises: no answer depends on a row that the user may not read; a right that was taken away counts after ten seconds
 * at most.
 */
export { Authenticator, impersonationOf, type Proof } from "./authenticator.ts";
export { type ClientTrust, clientTrustFrom, followClientTrust, isSignedBy } from "./clientTrust.ts";
export { Places } from "./places.ts";
export { Reviewer } from "./reviewer.ts";
export { type ReadableKind, type ReviewedScope, Scopes } from "./scopes.ts";
export { type BucketLimits, TokenBuckets } from "./tokenBuckets.ts";
export type { User } from "./user.ts";
