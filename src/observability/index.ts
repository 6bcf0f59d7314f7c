/**
 * What Meridian reports about itself: logs, metrics, traces and Events. The names of metrics and of log fields are a contract with
 * dashboards and alerts and do not change.
 *
 * Promises: telemetry never fails or delays the work that it describes; it holds a bounded amount of memory; credentials and the contents
 * of Secrets are replaced before anything leaves the process. This module never calls a cluster itself: the recorder gets the calls as
 * functions.
 */
export { type EventRecord, EventRecorder } from "./events/eventRecorder.ts";
export { createLogger, LOG_LEVELS, logContext, type Logger, type LogLevel } from "./logging/logger.ts";
export { createMetrics, Metrics } from "./metrics/metrics.ts";
export { type Recoveries, RecoveryRecorder } from "./events/recoveryRecorder.ts";
export { redactText } from "./logging/redaction.ts";
export { resourceAttributes } from "./tracing/resourceAttributes.ts";
export type { Sampling } from "./tracing/sampling.ts";
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
} from "./tracing/spans.ts";
export {
  createTracing,
  isCollectorAddress,
  type Span,
  type Tracer,
  type Tracing,
  type TracingOptions,
} from "./tracing/tracing.ts";
export type { ControllerMetrics, FailoverReason, ReconcileResult, SyncCount, WorkqueueMetrics } from "./types.ts";
