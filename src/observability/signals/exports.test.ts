import { describe, expect, onTestFinished, test } from "vitest";
import { createLogger } from "../logging/index.ts";
import { createMetrics } from "../metrics/index.ts";
import type { OperationsEvent } from "../operations/index.ts";
import { Collector } from "../testing/collector.ts";
import { logLines } from "../testing/logLines.ts";
import { createExports, type ExportsOptions } from "./exports.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const EVENT: OperationsEvent = {
  stream: "operations",
  event_id: "id-1",
  occurred_at: "2026-01-02T03:04:05.678Z",
  severity: "CRITICAL",
  reason: "DeletionsHeld",
  message: "deletions are held",
  trace_id: TRACE,
  span_id: "b7ad6b7169203331",
  service_name: "meridian",
  host_ip: "10.0.0.7",
  process_id: 42,
  tags: { env: "prod" },
};

interface Exporting extends Partial<ExportsOptions> {
  collector?: Collector;
}

/** Exports whose timers the test lets fire. */
async function exporting({ collector, ...given }: Exporting = {}) {
  const { logger, lines } = logLines();
  const metrics = createMetrics({ processMetrics: false });
  const dropped: Record<string, number> = {};
  const timers: (() => void)[] = [];
  const exports = await createExports({
    ...(collector === undefined ? {} : { endpoint: collector.url }),
    env: {},
    resource: { "service.name": "meridian" },
    version: "1.2.3",
    families: () => metrics.families(),
    startedAt: 0,
    logger,
    onDrop: (signal, cause, items) =>
      void (dropped[`${signal} ${cause}`] = (dropped[`${signal} ${cause}`] ?? 0) + items),
    now: () => 60_000,
    monotonic: () => 0,
    after: (_ms, callback) => {
      timers.push(callback);
      return { [Symbol.dispose]: () => void timers.splice(timers.indexOf(callback), 1) };
    },
    pause: () => undefined,
    ...given,
  });
  return { exports, metrics, dropped, lines, timers };
}

async function collecting(): Promise<Collector> {
  const collector = await Collector.start();
  onTestFinished(() => collector[Symbol.asyncDispose]());
  return collector;
}

const calls = ({ requests }: Collector): string[] => requests.map(({ call }) => call);

describe("exports", () => {
  test("send log lines and operations events as log records", async () => {
    const collector = await collecting();
    const { exports } = await exporting({ collector, signals: ["logs"] });
    const write = (line: string): void => exports.log?.(line);
    const logger = createLogger({ level: "info", destination: { write } });
    logger.warn({ trace_id: TRACE, cluster: "frankfurt", token: "hunter2-planted" }, "refused: Bearer hunter2-planted");
    exports.log?.(EVENT);
    await exports.shutdown();
    expect(calls(collector)).toEqual(["POST /v1/logs"]);
    expect(collector.requests[0]?.body).toMatchObject({
      resourceLogs: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "meridian" } }] },
          scopeLogs: [
            {
              scope: { name: "meridian", version: "1.2.3" },
              logRecords: [
                { severityNumber: 13, severityText: "WARN", traceId: TRACE },
                {
                  timeUnixNano: "1767323045678000000",
                  severityNumber: 21,
                  severityText: "CRITICAL",
                  body: { stringValue: "deletions are held" },
                  traceId: TRACE,
                  spanId: "b7ad6b7169203331",
                  attributes: expect.arrayContaining([
                    { key: "reason", value: { stringValue: "DeletionsHeld" } },
                    { key: "process_id", value: { intValue: "42" } },
                    {
                      key: "tags",
                      value: { kvlistValue: { values: [{ key: "env", value: { stringValue: "prod" } }] } },
                    },
                  ]),
                },
              ],
            },
          ],
        },
      ],
    });
    expect(JSON.stringify(collector.requests)).not.toContain("hunter2");
  });

  test("send the metrics of a scrape at an interval, and once more at the end", async () => {
    const collector = await collecting();
    const { exports, metrics, timers } = await exporting({ collector, signals: ["metrics"] });
    metrics.setMemberReady("frankfurt", true);
    timers[0]?.();
    await expect.poll(() => calls(collector)).toEqual(["POST /v1/metrics"]);
    const text = JSON.stringify(collector.requests[0]?.body);
    const names = [...text.matchAll(/"name":"(\w+)","description"/g)].map(([, name]) => name);
    const scraped = [...(await metrics.scrape()).body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    // A family without a series has no point.
    expect(scraped).toEqual(expect.arrayContaining(names));
    expect(names).toContain("federation_member_ready");
    await exports.shutdown();
    expect(calls(collector)).toEqual(["POST /v1/metrics", "POST /v1/metrics"]);
  });

  test.each<{ name: string; given: (url: string) => Partial<ExportsOptions>; want: string[] }>([
    {
      name: "OTEL_EXPORTER_OTLP_ENDPOINT",
      given: (url) => ({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/` } }),
      want: ["POST /v1/logs", "POST /v1/metrics"],
    },
    {
      name: "addresses of their own",
      given: (url) => ({
        env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/m`, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/l` },
      }),
      want: ["POST /l", "POST /m"],
    },
    {
      name: "OTEL_LOGS_EXPORTER=none",
      given: (url) => ({ endpoint: url, env: { OTEL_LOGS_EXPORTER: "none" } }),
      want: ["POST /v1/metrics"],
    },
    { name: "traces alone", given: (url) => ({ endpoint: url, signals: ["traces"] }), want: [] },
    { name: "no endpoint", given: () => ({}), want: [] },
  ])("follow $name", async ({ given, want }) => {
    const collector = await collecting();
    const { exports } = await exporting(given(collector.url));
    exports.log?.(EVENT);
    await exports.shutdown();
    expect(calls(collector).toSorted()).toEqual(want);
  });

  test("send the headers of the environment, as traces do", async () => {
    const collector = await collecting();
    process.env["OTEL_EXPORTER_OTLP_LOGS_HEADERS"] = "x-tenant=blue";
    onTestFinished(() => void delete process.env["OTEL_EXPORTER_OTLP_LOGS_HEADERS"]);
    const { exports } = await exporting({ collector, signals: ["logs"] });
    exports.log?.(EVENT);
    await exports.shutdown();
    expect(collector.requests[0]?.headers["x-tenant"]).toBe("blue");
  });

  test("name the variable that holds no address", async () => {
    const env = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "host:4318" };
    await expect(exporting({ env })).rejects.toThrow("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is 'host:4318'");
  });
});

describe("a collector that takes nothing", () => {
  test("costs the records, which are counted, and one warning", async () => {
    const collector = await collecting();
    collector.status = 404;
    const { exports, dropped, lines } = await exporting({ collector, signals: ["logs"] });
    exports.log?.(EVENT);
    exports.log?.(EVENT);
    await exports.shutdown();
    expect(dropped).toEqual({ "logs failed": 2 });
    expect(lines).toMatchObject([{ level: "warn", event_reason: "LogsNotExported", records: 2 }]);
  });

  test("costs no more memory than its queue", async () => {
    const collector = await collecting();
    const { exports, dropped } = await exporting({ collector, signals: ["logs"], shutdownTimeoutMs: 10_000 });
    for (let index = 0; index < 10_000; index += 1) exports.log?.(EVENT);
    await exports.shutdown();
    const sent = JSON.stringify(collector.requests.map(({ body }) => body)).split('"DeletionsHeld"').length - 1;
    expect(dropped["logs queue_full"]).toBeGreaterThan(5_000);
    expect(sent + (dropped["logs queue_full"] ?? 0)).toBe(10_000);
  });

  test("does not keep the process from ending", async () => {
    const { exports } = await exporting({ endpoint: "http://127.0.0.1:1", shutdownTimeoutMs: 50 });
    exports.log?.(EVENT);
    await expect(exports.shutdown()).resolves.toBeUndefined();
  });
});
