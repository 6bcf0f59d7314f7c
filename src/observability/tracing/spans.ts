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

/** Where a span belongs: beneath another one, or beside it. */
export interface Following {
  /** A span of this process or another; in the trace of `parent` the new span has its place. */
  parent?: Span | SpanContext | undefined;
  /** Spans of other traces that this one follows from. */
  links?: readonly SpanContext[];
  /** The span with which the change began that this one is a part of. Its trace is named on log lines of another trace. */
  change?: SpanContext | undefined;
}

export interface SpanOptions extends Following {
  attributes?: Attributes;
}

/**
 * The reconcile that asked for some work, kept beside that work for as long as it may be done. Small: there is one for each member object, and it
 * holds no span.
 */
export interface Origin {
  readonly spanContext: SpanContext;
  readonly reconcileId: string;
  /** Monotonic milliseconds at which the work was asked for. */
  readonly at: number;
  /** As of {@link Following}; undefined where the change began in the trace of `spanContext`. */
  readonly change?: SpanContext | undefined;
}

/**
 * A trace is read as one story, and collectors that judge whole traces wait for their end: what comes later begins a trace of its own. A status is
 * written within this time where its members answer at once.
 */
const SAME_STORY_MS = 1_000;

/** Starts a span, which the caller ends. Parents are passed as arguments: no context follows asynchronous calls. */
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

/** What is done now for an origin hangs on it where that asked a moment ago, and else links to it. `now`: monotonic milliseconds. */
export function follow(origin: Origin | undefined, now: number): Following {
  if (origin === undefined) return {};
  return now - origin.at <= SAME_STORY_MS ? { parent: origin.spanContext, change: origin.change } : linkTo(origin);
}

/** What is done for a reason of its own, though an origin asked for the state that it brings back. Also linked to where the change began. */
export function linkTo(origin: Origin | undefined): Following {
  if (origin === undefined) return {};
  const { spanContext, change } = origin;
  return { links: change === undefined ? [spanContext] : [spanContext, change], change: changeOf(origin) };
}

/** The span with which the change began that asked for the work. */
export function changeOf(origin: Origin | undefined): SpanContext | undefined {
  return origin?.change ?? origin?.spanContext;
}

/** Marks the span as failed: for errors that are values and never thrown. */
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

/** Reads a W3C `traceparent`; undefined when the text is none. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  if (text === undefined || text.length > 256) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** The W3C `traceparent` of a span. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
