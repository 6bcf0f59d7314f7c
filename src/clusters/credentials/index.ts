/**
 * The credentials of members (reading, checking, renewing) and the identity of a cluster.
 *
 * Promises: a credential is never logged; a cluster whose identity changed is not written to.
 */
export {
  isTokenRenewal,
  type MemberCredentials,
  type MemberSecret,
  memberSecret,
  ReplaceableCredentials,
  sameCredentials,
} from "./credentials.ts";
export { CredentialsReader, type SecretSource } from "./credentialsReader.ts";
export { type IdentityClaim, type IdentityVerdict, judgeIdentity } from "./identity.ts";
export {
  renewalPlan,
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
  TokenRenewer,
  type TokenRequester,
} from "./renewal.ts";
