/**
 * Metrics and logs for a collector of OTLP, beside the traces. Metrics are those of `/metrics`: there is no second set of
 * instruments. Logs are the lines of the log, and the operations events.
 *
 * Promises: what waits for the collector is bounded, what is lost is counted, and nothing waits for the collector. Log
 * lines are exported as they were written, with secrets masked.
 */
export { createExports, type Exports } from "./exports.ts";
