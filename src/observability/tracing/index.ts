/**
 * Traces: spans, sampling, export.
 *
 * Promises: a failing exporter loses spans, but never a request.
 */
export { resourceAttributes } from "./resourceAttributes.ts";
export * from "./spans.ts";
export * from "./tracing.ts";
