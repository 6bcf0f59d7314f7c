/**
 * RBAC. Promises the decisions of the API server's RBAC authorizer, its texts of refusals, its access and rules
 * reviews, and that no user can grant permissions that the user does not have. Pure except for the aggregation of
 * roles: the caller passes a source of roles and bindings. Never authenticates anybody.
 */
export { aggregatedRules, startAggregation } from "./aggregation.ts";
export { authorize, forbidden } from "./authorize.ts";
export { builtinRoles } from "./builtin.ts";
export { checkEscalation } from "./escalation.ts";
export { answerReview } from "./reviews.ts";
export type { Attributes, RoleSource } from "./types.ts";
