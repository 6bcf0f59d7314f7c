import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { Sampling } from "./sampling.ts";
import { logLines } from "../testing/logLines.ts";
import { parseTraceparent, startSpan } from "./spans.ts";
import { createTracing, type TracingOptions } from "./tracing.ts";

const options = { serviceVersion: "1.2.3", identity: "pod-1", env: {} };

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

  test.each([
    { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", address: "foo", write: "http://host:4318" },
    { variable: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", address: "host:4318", write: "http://host:4318/v1/traces" },
  ])("names the variable that holds no address: $variable", async ({ variable, address, write }) => {
    await expect(createTracing({ ...options, env: { [variable]: address } })).rejects.toThrow(
      `the environment variable ${variable} is '${address}', which is no address: write it as ${write}`,
    );
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

describe("a collector that takes no spans", () => {
  /** Spans are handed over until so many have been lost, by a collector that answers like that. */
  async function losing() {
    const { logger, lines } = logLines();
    const state = { now: 0, answers: true };
    const dropped: Record<string, number> = {};
    const { tracer, shutdown } = await createTracing({
      ...options,
      endpoint: "http://user:hunter2@127.0.0.1:14317",
      exporter: {
        export: (_spans, done) =>
          done(state.answers ? { code: 0 } : { code: 1, error: Object.assign(new Error("Not Found"), { code: 404 }) }),
        shutdown: () => Promise.resolve(),
      },
      logger,
      onDrop: (cause, spans) => (dropped[cause] = (dropped[cause] ?? 0) + spans),
      monotonic: () => state.now,
    });
    /** At that time, whether the collector answers. A full batch is exported at once. */
    const batch = async (now: number, answers: boolean): Promise<void> => {
      Object.assign(state, { now, answers });
      for (let count = 0; count < 512; count++) startSpan(tracer, "Reconcile").end();
      await new Promise<void>((resolve) => setImmediate(resolve));
    };
    return { lines, dropped, batch, tracer, shutdown };
  }

  test("is told of when that begins, each ten minutes, and when it begins anew", async () => {
    const { lines, dropped, batch, shutdown } = await losing();
    await batch(0, true);
    expect(lines).toEqual([]);
    await batch(1_000, false);
    expect(lines).toMatchObject([
      {
        level: "warn",
        event_reason: "TracesNotExported",
        endpoint: "127.0.0.1:14317",
        msg: "the collector 127.0.0.1:14317 takes no traces: 404 Not Found",
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    await batch(600_999, false);
    expect(lines).toHaveLength(1);
    await batch(601_000, false);
    expect(lines).toHaveLength(2);
    await batch(700_000, true);
    await batch(700_001, false);
    expect(lines).toHaveLength(3);
    // It comes and goes.
    await batch(700_002, true);
    await batch(700_003, false);
    expect(lines).toHaveLength(3);
    expect(dropped).toEqual({ failed: 5 * 512 });
    await shutdown();
  });

  test("counts what does not fit into the queue", async () => {
    const { dropped, tracer, shutdown } = await losing();
    for (let count = 0; count < 5_000; count++) startSpan(tracer, "Reconcile").end();
    expect(dropped["queue_full"]).toBeGreaterThan(0);
    expect(dropped["queue_full"]).toBeLessThanOrEqual(5_000 - 4_096);
    await shutdown();
  });
});

/** What is exported of what the work begins. */
async function exported(
  given: Partial<TracingOptions>,
  work: (tracing: Awaited<ReturnType<typeof createTracing>>) => void,
) {
  const spans: ReadableSpan[] = [];
  const tracing = await createTracing({
    ...options,
    ...given,
    exporter: {
      export: (batch, done) => {
        spans.push(...batch);
        done({ code: 0 });
      },
      shutdown: () => Promise.resolve(),
    },
  });
  work(tracing);
  await tracing.shutdown();
  return { spans, problems: tracing.problems };
}

describe("sampling", () => {
  /** How many of 1000 traces with an UpdateStatus and a ComputeTarget are exported, by span. */
  async function counts(given: { sampling?: Sampling; env?: Record<string, string> }): Promise<Record<string, number>> {
    const { spans } = await exported(given, ({ tracer }) => {
      for (let index = 0; index < 1000; index++) {
        const parent = startSpan(tracer, "Reconcile");
        for (const name of ["ComputeTarget", "UpdateStatus"]) startSpan(tracer, name, { parent }).end();
        parent.end();
      }
    });
    const found: Record<string, number> = {};
    for (const { name } of spans) found[name] = (found[name] ?? 0) + 1;
    return found;
  }

  test("records every trace unless told, and of UpdateStatus nothing", async () => {
    expect(await counts({})).toEqual({ Reconcile: 1000, ComputeTarget: 1000 });
  });

  test("records a span that is asked for, or a share of one", async () => {
    const found = await counts({ sampling: { spans: { UpdateStatus: 1, ComputeTarget: 0.5 } } });
    expect(found).toMatchObject({ Reconcile: 1000, UpdateStatus: 1000 });
    expect(found["ComputeTarget"]).toBeGreaterThan(350);
    expect(found["ComputeTarget"]).toBeLessThan(650);
  });

  test.each([
    { name: "the flag", given: { sampling: { ratio: 0.1 } } },
    {
      name: "the environment",
      given: { env: { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" } },
    },
  ])("records whole traces, as many as $name says", async ({ given }) => {
    const found = await counts(given);
    expect(found["Reconcile"]).toBeGreaterThan(30);
    expect(found["Reconcile"]).toBeLessThan(250);
    expect(found["ComputeTarget"]).toBe(found["Reconcile"]);
  });

  test("the flag counts for more than the environment, which may switch all of it off", async () => {
    expect(await counts({ env: { OTEL_TRACES_SAMPLER: "always_off" } })).toEqual({});
    expect(await counts({ env: { OTEL_TRACES_SAMPLER: "always_off" }, sampling: { ratio: 1 } })).toMatchObject({
      Reconcile: 1000,
    });
  });

  test.each([
    { flags: "01", ratio: 0, names: ["Reconcile"] },
    { flags: "00", ratio: 1, names: [] },
  ])("whoever began a trace decides about it: flags $flags", async ({ flags, ratio, names }) => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const parent = parseTraceparent(`00-${traceId}-b7ad6b7169203331-${flags}`);
    const { spans } = await exported({ sampling: { ratio } }, ({ tracer }) =>
      startSpan(tracer, "Reconcile", { parent }).end(),
    );
    expect(spans.map(({ name }) => name)).toEqual(names);
    for (const span of spans) expect(span.spanContext().traceId).toBe(traceId);
  });

  test.each([
    { env: { OTEL_TRACES_SAMPLER: "jaeger_remote" }, says: /none of always_on/ },
    {
      env: { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "10%" },
      says: /not a number between 0 and 1/,
    },
    { env: { OTEL_RESOURCE_ATTRIBUTES: "team" }, says: /"team" is not of the form key=value/ },
    { env: { OTEL_RESOURCE_ATTRIBUTES: "team=%zz" }, says: /form key=value/ },
  ])("what the environment says and cannot be taken is told: $env", async ({ env, says }) => {
    const { problems, spans } = await exported({ env }, ({ tracer }) => startSpan(tracer, "Reconcile").end());
    expect(problems).toEqual([expect.stringMatching(says)]);
    expect(spans).toHaveLength(1);
  });
});

describe("the resource of the spans", () => {
  const of = async (env: Record<string, string>) => {
    const { spans } = await exported({ env }, ({ tracer }) => startSpan(tracer, "Reconcile").end());
    return spans[0]?.resource.attributes;
  };

  test("names the service, its version and the process", async () => {
    expect(await of({})).toEqual({
      "service.name": "meridian",
      "service.version": "1.2.3",
      "service.instance.id": "pod-1",
    });
  });

  test("and whatever OTEL_RESOURCE_ATTRIBUTES says, which counts for more", async () => {
    const text = "deployment.environment=prod, team=a%2Cb%20c ,service.name=hub-a,";
    expect(await of({ OTEL_RESOURCE_ATTRIBUTES: text })).toMatchObject({
      "service.name": "hub-a",
      "deployment.environment": "prod",
      team: "a,b c",
    });
    expect(await of({ OTEL_RESOURCE_ATTRIBUTES: text, OTEL_SERVICE_NAME: "hub-b" })).toMatchObject({
      "service.name": "hub-b",
    });
  });
});
