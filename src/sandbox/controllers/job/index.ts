/**
 * Jobs, plain and indexed: parallelism, completions, backoff, deadline, suspension and TTL after the end. Promises that
 * a pod is counted exactly once, even if the sandbox stops in between, by means of the finalizer and the uncounted pods
 * in the status, as in Kubernetes. Does not support podFailurePolicy, successPolicy and backoffLimitPerIndex.
 */
export { JobController } from "./controller.ts";
