/** Credentials of members, which are never logged, and the identity of a cluster, which is checked before writes. */
export { isTokenRenewal, type MemberCredentials, ReplaceableCredentials, sameCredentials } from "./credentials.ts";
export { CredentialsReader } from "./credentialsReader.ts";
export { type IdentityClaim, type IdentityVerdict, judgeIdentity } from "./identity.ts";
export {
  renewalPlan,
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
  TokenRenewer,
  type TokenRequester,
} from "./renewal.ts";
