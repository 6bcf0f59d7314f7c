/**
 * The verbs `join` and `unjoin`: a member's accounts, rights, guard and marks.
 *
 * Promises: after a complete unjoin, no object of join and no mark of Meridian is left on the member.
 */
export { resolveHubKinds } from "./grantedKinds.ts";
export { join, joinMember } from "./join.ts";
export { MEMBER_UID_ANNOTATION, reachedNamespaces } from "./joinedMember.ts";
export { accessClusterRole, JOINED_TO_LABEL, type MemberAccess, memberAccess } from "./memberAccess.ts";
export { everythingOf, finishRevoking, type Leftover, revokeAccess } from "./memberCleanup.ts";
export {
  describeUnreleased,
  findMember,
  memberSecret,
  type Reached,
  reachMember,
  releaseAll,
  storedKubeconfig,
} from "./memberMarks.ts";
export { unjoin } from "./unjoin.ts";
