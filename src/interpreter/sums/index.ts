/**
 * One status out of many: sums of replicas, Jobs and conditions over the clusters.
 *
 * Promises: a missing report is no zero and no health.
 */
export { isJob, jobPaths, undividable } from "./divisionOfJobs.ts";
export { expiryOf, genericEnd, jobEnd, podEnd, runHash } from "./ends.ts";
export { isSummedUp, statusOwner, statusSum } from "./statusSum.ts";
