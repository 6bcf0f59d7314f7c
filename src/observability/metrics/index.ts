/**
 * The metrics of the manager.
 *
 * Promises: the number of series is bounded for each cluster.
 */
export { createMetrics, Metrics } from "./metrics.ts";
