/**
 * The statuses of policies. {@link PolicyTally} and {@link withoutEffect} are pure: `meridian analyze` uses them, too.
 */
export { PolicyTally } from "./policyOutcome.ts";
export { PolicyStatusReconciler } from "./policyStatus.ts";
export { withoutEffect } from "./withoutEffect.ts";
