import { SpanStatusCode } from "@opentelemetry/api";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { createTracing, recordError, startSpan } from "./tracing.ts";

const options = { serviceVersion: "1.2.3", identity: "pod-1", env: {} };

describe("a span", () => {
  test("stands under its parent, with its attributes", async () => {
    const exporter = new InMemorySpanExporter();
    // A shut-down exporter of this kind forgets its spans, so they are read when the export happens.
    const names: { name: string; parent: string | undefined; attributes: unknown }[] = [];
    const { tracer, shutdown } = await createTracing({
      ...options,
      exporter: {
        export: (spans, done) => {
          for (const s of spans)
            names.push({ name: s.name, parent: s.parentSpanContext?.spanId, attributes: s.attributes });
          exporter.export(spans, done);
        },
        shutdown: () => exporter.shutdown(),
      },
    });
    const parent = startSpan(tracer, "Reconcile", { attributes: { "reconcile.kind": "DemoApplication" } });
    startSpan(tracer, "UpdateStatus", { parent }).end();
    parent.end();
    await shutdown();
    expect(names).toEqual([
      { name: "UpdateStatus", parent: parent.spanContext().spanId, attributes: {} },
      { name: "Reconcile", parent: undefined, attributes: { "reconcile.kind": "DemoApplication" } },
    ]);
  });

  test("records an error's type and stack, and is marked as failed", async () => {
    const seen: { status: unknown; events: { name: string; attributes?: Record<string, unknown> }[] }[] = [];
    const { tracer, shutdown } = await createTracing({
      ...options,
      exporter: {
        export: (spans, done) => {
          seen.push(
            ...spans.map((s) => ({
              status: s.status,
              events: s.events.map(({ name, attributes }) => ({ name, ...(attributes ? { attributes } : {}) })),
            })),
          );
          done({ code: 0 });
        },
        shutdown: () => Promise.resolve(),
      },
    });
    const failed = startSpan(tracer, "Apply");
    recordError(failed, new RangeError("too many"));
    failed.end();
    const span = startSpan(tracer, "Value");
    recordError(span, new TypeError("as a value"));
    span.end();
    await shutdown();
    expect(seen[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: "too many" },
      events: [{ name: "exception", attributes: { "exception.type": "RangeError", "exception.message": "too many" } }],
    });
    expect(seen[0]?.events[0]?.attributes?.["exception.stacktrace"]).toContain("tracing.test.ts");
    expect(seen[1]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      events: [{ attributes: { "exception.type": "TypeError" } }],
    });
  });
});

describe("createTracing", () => {
  test("gives trace ids that children share though nothing is exported", async () => {
    const { tracer, exporting, shutdown } = await createTracing(options);
    const parent = startSpan(tracer, "Reconcile");
    const child = startSpan(tracer, "Apply", { parent });
    expect(exporting).toBe(false);
    expect(parent.isRecording()).toBe(false);
    expect(child.spanContext().traceId).toBe(parent.spanContext().traceId);
    expect(startSpan(tracer, "Reconcile").spanContext().traceId).not.toBe(parent.spanContext().traceId);
    await shutdown();
  });

  test.each([
    { name: "--otlp-endpoint", given: (url: string) => ({ endpoint: url }), path: "/v1/traces" },
    {
      name: "OTEL_EXPORTER_OTLP_ENDPOINT",
      given: (url: string) => ({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/` } }),
      path: "/v1/traces",
    },
    {
      name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      given: (url: string) => ({ env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/t` } }),
      path: "/t",
    },
  ])("sends spans to the collector of $name before it is shut down", async ({ given, path }) => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
    });
    const listening = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", () => listening.resolve());
    await listening.promise;
    const { tracer, exporting, shutdown } = await createTracing({
      ...options,
      ...given(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    });
    startSpan(tracer, "Reconcile").end();
    await shutdown();
    server.closeAllConnections();
    server.close();
    expect(exporting).toBe(true);
    expect(requests).toEqual([`POST ${path}`]);
  });

  test("ends though the collector is away", async () => {
    const { tracer, shutdown } = await createTracing({
      ...options,
      endpoint: "http://127.0.0.1:1",
      shutdownTimeoutMs: 200,
    });
    startSpan(tracer, "Reconcile").end();
    await expect(shutdown()).resolves.toBeUndefined();
  });
});
