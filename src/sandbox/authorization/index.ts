/**
 * RBAC: may this user do that? It promises the decisions of the API server's RBAC authorizer, its words for a refusal, its access and
 * rules reviews, and that nobody grants more than they have. All but the aggregation of roles is pure: roles and bindings come in as a source to read. It never
 * authenticates anybody.
 */
export { aggregatedRules, startAggregation } from "./aggregation.ts";
export { authorize, forbidden } from "./authorize.ts";
export { builtinRoles } from "./builtin.ts";
export { checkEscalation } from "./escalation.ts";
export { answerReview } from "./reviews.ts";
export type { Attributes, RoleSource } from "./types.ts";
