/**
 * Jobs, plain and indexed: parallelism, completions, back-off, deadline, suspension and the time to live after the end. It promises
 * that a pod is counted once, also when the sandbox is stopped in between, by the finalizer and the uncounted pods in the status as
 * Kubernetes does it. It does not know podFailurePolicy, successPolicy and backoffLimitPerIndex.
 */
export { JobController } from "./controller.ts";
