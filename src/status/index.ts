/**
 * Turns what is known of an object's clusters into the one status on the hub object, and what came of a policy into the
 * policy's own status.
 *
 * It promises that nothing changes while nothing happens: conditions and times move only with what they tell, and the very
 * status of before comes back when there is nothing to write. What was not reported is never called healthy, no cluster at
 * all is never success, and the numbers of a lost cluster stay, with the time at which they were true. It never reads a clock
 * and never writes anything.
 */
export { aggregate } from "./aggregate.ts";
export { policyStatus, type PolicyStatusInput } from "./policy.ts";
export type { ClusterView, Contact, RowView, StatusInput } from "./types.ts";
