import { defined } from "../../apis/index.ts";
import {
  createExports,
  createLogger,
  createMetrics,
  createTracing,
  type Exports,
  isSignalWanted,
  type Logger,
  LogTee,
  type Metrics,
  resourceAttributes,
  type Tracing,
} from "../../observability/index.ts";
import { systemClock, TimeSlice } from "../../runtime/index.ts";
import { VERSION } from "../shared/index.ts";
import { Records } from "./records.ts";
import type { ManagerOptions } from "./verb.ts";

/** Default: standard output, and metrics of its own. */
export interface ManagerTelemetry {
  logger?: Logger;
  metrics?: Metrics;
}

/** Log, metrics, traces and records of one process. Disposal sends what waits for a collector. */
export interface Telemetry extends AsyncDisposable {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly records: Records;
}

/** Rejects when a file or an address of the environment cannot work. */
export async function startTelemetry(options: ManagerOptions, given: ManagerTelemetry): Promise<Telemetry> {
  const { env } = process;
  const { attributes } = resourceAttributes(env);
  const output = new LogTee();
  const logger = given.logger ?? createLogger({ level: options.logLevel, attributes, destination: output.destination });
  const metrics = given.metrics ?? createMetrics({ objectives: options.objectives });
  const isTraced = isSignalWanted("traces", options.otlpSignals, env);
  const tracing = await createTracing({
    serviceVersion: VERSION,
    identity: options.identity,
    ...defined({ endpoint: isTraced ? options.otlpEndpoint : "", sampling: options.sampling }),
    logger,
    onDrop: (cause, spans) => metrics.spansDropped.inc({ cause }, spans),
  });
  for (const problem of tracing.problems) logger.warn({ event_reason: "InvalidEnvironment" }, problem);
  const exports = await exportsOf(options, { logger, metrics, attributes });
  const { log } = exports;
  if (log !== undefined) output.follow(log);
  const records = await Records.open({
    ...{ flags: options.records ?? {}, identity: options.identity, logger, metrics },
    serviceName: attributes["service.name"] ?? "meridian",
    sinks: log === undefined ? [] : [log],
  });
  return {
    ...{ logger, metrics, tracing, records },
    async [Symbol.asyncDispose]() {
      await records[Symbol.asyncDispose]();
      await Promise.all([tracing.shutdown(), exports.shutdown()]);
    },
  };
}

function exportsOf(
  { otlpEndpoint, otlpSignals, metricIntervalMs, identity }: ManagerOptions,
  { logger, metrics, attributes }: Pick<Telemetry, "logger" | "metrics"> & { attributes: Record<string, string> },
): Promise<Exports> {
  const slice = TimeSlice.of(systemClock);
  const own = { "service.name": "meridian", "service.version": VERSION, "service.instance.id": identity };
  return createExports({
    ...{ endpoint: otlpEndpoint, signals: otlpSignals, env: process.env, metricIntervalMs, logger },
    resource: { ...own, ...attributes },
    version: VERSION,
    families: () => metrics.families(),
    startedAt: systemClock.now() - process.uptime() * 1_000,
    onDrop: (stream, cause, items) => metrics.recordsDropped.inc({ stream, cause }, items),
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic(),
    after: (ms, callback) => systemClock.after(ms, callback),
    pause: () => slice.pause(),
  });
}
