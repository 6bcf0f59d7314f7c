/**
 * Metrics of the manager.
 *
 * Promises: the number of series for each cluster is bounded.
 */
export { createMetrics, Metrics } from "./metrics.ts";
