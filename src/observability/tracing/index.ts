/**
 * Traces: spans, sampling, export.
 *
 * Promises: a failing exporter loses spans, but never a request.
 */
export { resourceAttributes } from "./resourceAttributes.ts";
export { type SpanDrop } from "./spanExport.ts";
export {
  changeOf,
  follow,
  type Following,
  linkTo,
  type Origin,
  parseTraceparent,
  recordError,
  type SpanContext,
  startSpan,
  traceparentOf,
} from "./spans.ts";
export {
  createTracing,
  isCollectorAddress,
  type Span,
  type Tracer,
  type Tracing,
  type TracingOptions,
} from "./tracing.ts";
