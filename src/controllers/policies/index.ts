/**
 * The statuses of policies.
 */
export { PolicyStatusReconciler } from "./policyStatus.ts";
