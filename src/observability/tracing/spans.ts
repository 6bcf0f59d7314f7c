import { defined } from "../../apis/index.ts";
import {
  type Attributes,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { errorReason, errorType, redactText } from "../logging/index.ts";

export type { SpanContext } from "@opentelemetry/api";

export interface Following {
  parent?: Span | SpanContext | undefined;
  links?: readonly SpanContext[];
  /** Span with which the change began; log lines of another trace name its trace. */
  change?: SpanContext | undefined;
}

export interface SpanOptions extends Following {
  attributes?: Attributes;
}

/** A span context as a plain JSON value. */
export type PlainSpanContext = Readonly<Pick<SpanContext, "traceId" | "spanId" | "traceFlags">>;

/**
 * The reconcile that asked for some work. Each member object has one, so it is small and holds no span. It is a plain
 * JSON value, since the work may be done by another process.
 */
export interface Origin {
  readonly spanContext: PlainSpanContext;
  readonly reconcileId: string;
  /** Epoch milliseconds, because processes share no monotonic clock. */
  readonly at: number;
  /** Undefined where the change began in the trace of `spanContext`. */
  readonly change?: PlainSpanContext | undefined;
}

/**
 * Later work begins a trace of its own: people read a trace as one story, and collectors wait for its end. If members
 * answer at once, a status is written within this time.
 */
const SAME_STORY_MS = 1_000;

/** Starts a span, which the caller ends. Parents are arguments, since no context follows asynchronous calls. */
export function startSpan(tracer: Tracer, name: string, { parent, links = [], attributes }: SpanOptions = {}): Span {
  const options = {
    ...defined({ attributes }),
    ...(links.length === 0 ? {} : { links: links.map((context) => ({ context })) }),
  };
  return tracer.startSpan(name, options, contextOf(parent));
}

function contextOf(parent: Span | SpanContext | undefined): typeof ROOT_CONTEXT {
  if (parent === undefined) return ROOT_CONTEXT;
  return "spanContext" in parent ? trace.setSpan(ROOT_CONTEXT, parent) : trace.setSpanContext(ROOT_CONTEXT, parent);
}

/**
 * A child of the origin that asked a moment ago, else a link. `now`: epoch milliseconds. The clocks of two processes
 * differ, so an origin may seem to lie in the future. Such an origin is treated like an origin in the past.
 */
export function follow(origin: Origin | undefined, now: number): Following {
  if (origin === undefined) return {};
  return Math.abs(now - origin.at) <= SAME_STORY_MS
    ? { parent: origin.spanContext, change: origin.change }
    : linkTo(origin);
}

/** For work with its own reason, which restores a state that an origin asked for. */
export function linkTo(origin: Origin | undefined): Following {
  if (origin === undefined) return {};
  const { spanContext, change } = origin;
  return { links: change === undefined ? [spanContext] : [spanContext, change], change: changeOf(origin) };
}

export function changeOf(origin: Origin | undefined): SpanContext | undefined {
  return origin?.change ?? origin?.spanContext;
}

/** The parts of a span context that are plain JSON: an SDK's context may also hold the object of a trace state. */
export function plainSpanContext({ traceId, spanId, traceFlags }: SpanContext): PlainSpanContext {
  return { traceId, spanId, traceFlags };
}

/** Marks the span as failed, also for errors that are never thrown. */
export function recordError(span: Span, error: unknown): void {
  if (!span.isRecording()) return;
  const message = redactText(error instanceof Error ? error.message : String(error));
  const stack =
    error instanceof Error && error.stack !== undefined ? { "exception.stacktrace": redactText(error.stack) } : {};
  span.setAttribute("error.type", errorReason(error) ?? errorType(error));
  span.addEvent("exception", { "exception.type": errorType(error), "exception.message": message, ...stack });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a W3C `traceparent`; undefined for an invalid text. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  if (text === undefined || text.length > 256) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
