import { SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import { changeOf, follow, linkTo, type Origin, parseTraceparent, recordError, startSpan } from "./spans.ts";
import { recordSpans } from "../testing/spanRecorder.ts";
import type { Tracer } from "./tracing.ts";

function exported(work: (tracer: Tracer) => void): ReadableSpan[] {
  const { tracer, spans } = recordSpans();
  work(tracer);
  return spans;
}

class QuotaError extends Error {
  readonly reason = "QuotaExceeded";
}

describe("a span", () => {
  test("stands under its parent, with its attributes", () => {
    const spans = exported((tracer) => {
      const parent = startSpan(tracer, "Reconcile", { attributes: { "reconcile.kind": "DemoApplication" } });
      startSpan(tracer, "ComputeTarget", { parent }).end();
      startSpan(tracer, "SyncService", { parent: parent.spanContext() }).end();
      parent.end();
    });
    const [target, service, parent] = spans;
    expect(parent).toMatchObject({ name: "Reconcile", attributes: { "reconcile.kind": "DemoApplication" } });
    expect(parent?.parentSpanContext).toBeUndefined();
    for (const child of [target, service]) expect(child?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
  });

  test.each([
    { error: new RangeError("too many"), type: "RangeError", exception: "RangeError" },
    { error: new QuotaError("no room"), type: "QuotaExceeded", exception: "QuotaError" },
  ])("says what went wrong: $type", ({ error, type, exception }) => {
    const [span] = exported((tracer) => {
      const failed = startSpan(tracer, "SyncDeployment");
      recordError(failed, error);
      failed.end();
    });
    expect(span).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: error.message },
      attributes: { "error.type": type },
      events: [{ name: "exception", attributes: { "exception.type": exception, "exception.message": error.message } }],
    });
    expect(span?.events[0]?.attributes?.["exception.stacktrace"]).toContain("spans.test.ts");
  });

  test("holds no credential", () => {
    const [span] = exported((tracer) => {
      const failed = startSpan(tracer, "SyncSecret");
      recordError(failed, new Error("refused Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2ln"));
      failed.end();
    });
    expect(JSON.stringify([span?.events, span?.status, span?.attributes])).not.toMatch(/eyJ/);
  });
});

describe("what follows from a reconcile", () => {
  /** The span of work that is done so long after it was asked for. */
  function after(ms: number, following = (origin: Origin) => follow(origin, origin.at + ms)) {
    const [asked, done] = exported((tracer) => {
      const span = startSpan(tracer, "Reconcile");
      span.end();
      startSpan(
        tracer,
        "SyncDeployment",
        following({ spanContext: span.spanContext(), reconcileId: "r", at: 1_000 }),
      ).end();
    });
    const context = asked?.spanContext();
    return {
      isBeneath:
        done?.parentSpanContext?.spanId === context?.spanId && done?.spanContext().traceId === context?.traceId,
      links: done?.links.map((link) => link.context.spanId === context?.spanId),
    };
  }

  test("hangs on it a moment later", () => {
    expect(after(0)).toEqual({ isBeneath: true, links: [] });
    expect(after(1_000)).toEqual({ isBeneath: true, links: [] });
  });

  test("links to it when it ended before that", () => {
    expect(after(1_001)).toEqual({ isBeneath: false, links: [true] });
  });

  test("counts as a moment later, or as later, when the clock of the other process is ahead", () => {
    expect(after(-1_000)).toEqual({ isBeneath: true, links: [] });
    expect(after(-1_001)).toEqual({ isBeneath: false, links: [true] });
  });

  test("links to it when somebody else is the cause", () => {
    expect(after(0, linkTo)).toEqual({ isBeneath: false, links: [true] });
  });

  test("links to where the change began as well, when that is another trace", () => {
    const [spanContext, change] = ["first", "second"].map((spanId) => ({ traceId: spanId, spanId, traceFlags: 1 }));
    if (spanContext === undefined || change === undefined) throw new Error("two spans");
    const origin = { spanContext, reconcileId: "r", at: 0, change };
    expect(follow(origin, 0)).toEqual({ parent: spanContext, change });
    expect(follow(origin, 5_000)).toEqual({ links: [spanContext, change], change });
    expect([changeOf(origin), changeOf({ ...origin, change: undefined }), changeOf(undefined)]).toEqual([
      change,
      spanContext,
      undefined,
    ]);
  });
});

describe("traceparent", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const spanId = "b7ad6b7169203331";

  test.each([
    { text: `00-${traceId}-${spanId}-01`, traceFlags: 1 },
    { text: `00-${traceId}-${spanId}-00`, traceFlags: 0 },
    { text: `cc-${traceId}-${spanId}-03-what-comes-later`, traceFlags: 1 },
  ])("$text", ({ text, traceFlags }) => {
    expect(parseTraceparent(text)).toEqual({ traceId, spanId, traceFlags, isRemote: true });
  });

  test.each([
    undefined,
    "",
    "00",
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01-${"x".repeat(300)}`,
  ])("is none: %s", (text) => expect(parseTraceparent(text)).toBeUndefined());
});
