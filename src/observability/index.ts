/**
 * Telemetry of Meridian: logs, metrics, traces and Events. The names of metrics and of log fields are a contract with
 * dashboards and alerts and do not change.
 *
 * Promises: telemetry never fails or delays the work that it describes, and holds a bounded amount of memory.
 * Credentials and the contents of Secrets are replaced before anything leaves the process. This module never calls a
 * cluster itself: the Event recorder gets the calls as functions.
 */
export { type EventRecord, EventRecorder, type EventSink, type Recoveries, RecoveryRecorder } from "./events/index.ts";
export {
  createLogger,
  type LineOutput,
  LOG_LEVELS,
  logContext,
  type Logger,
  type LogLevel,
  LogTee,
  openLineOutput,
  redactText,
} from "./logging/index.ts";
export { type AuditRecord, AuditTrail, type MemberWrite, type WriteCause } from "./audit/index.ts";
export { createMetrics, Metrics } from "./metrics/index.ts";
export {
  type DecisionFacts,
  type DecisionSubject,
  type OperationsEvent,
  OperationsLog,
  OperationsRecorder,
  type OperationsSink,
  parseTags,
  type StateChange,
} from "./operations/index.ts";
export { isCollectorAddress, isSignalWanted, type Signal, SIGNALS } from "./otlp/index.ts";
export { createExports, type Exports } from "./signals/index.ts";
export {
  changeOf,
  createTracing,
  follow,
  type Following,
  linkTo,
  type Origin,
  parseTraceparent,
  plainSpanContext,
  recordError,
  resourceAttributes,
  type Span,
  type SpanContext,
  startSpan,
  traceparentOf,
  type Tracer,
  type Tracing,
  type TracingOptions,
} from "./tracing/index.ts";
export type {
  ControllerMetrics,
  FailoverReason,
  MemberLoad,
  Objectives,
  ReconcileResult,
  SyncCount,
  WaitTally,
  WorkqueueMetrics,
} from "./types.ts";
