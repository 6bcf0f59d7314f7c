/**
 * Merges the statuses of many clusters into one: sums of replicas, Jobs and conditions.
 *
 * Promises: a missing report counts neither as zero nor as healthy.
 */
export { isJob, jobPaths, undividable } from "./divisionOfJobs.ts";
export { expiryOf, genericEnd, jobEnd, podEnd, runHash } from "./ends.ts";
export { isSummedUp, statusOwner, statusSum } from "./statusSum.ts";
