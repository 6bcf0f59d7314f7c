/**
 * OTLP over HTTP, for all signals: the address of the collector, the requests, and the report of failures.
 *
 * Promises: a collector that is away, slow or broken loses data, which is counted and logged now and then; no work waits
 * for a collector. The package of the exporter is loaded only if there is a collector.
 */
export * from "./collector.ts";
export * from "./exportReport.ts";
export * from "./otlpSender.ts";
export * from "./otlpValues.ts";
