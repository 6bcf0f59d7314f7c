import type { Logger } from "../logging/index.ts";
import {
  collectorAddress,
  type Environment,
  type ExportDrop,
  ExportReport,
  isSignalWanted,
  otlpAttributes,
  type OtlpSender,
  otlpSender,
  type Signal,
} from "../otlp/index.ts";
import type { OperationsEvent } from "../operations/index.ts";
import { LogExport } from "./logExport.ts";
import { MetricExport } from "./metricExport.ts";
import type { MetricFamily } from "./metricPoints.ts";

export interface ExportsOptions {
  /** Address of an OTLP/HTTP collector; OTEL_EXPORTER_OTLP_* of the environment when absent, nowhere when empty. */
  endpoint?: string | undefined;
  /** Signals that are exported. Default: those that the environment does not turn off. */
  signals?: readonly Signal[] | undefined;
  env: Environment;
  /** Attributes of the process. */
  resource: Readonly<Record<string, string>>;
  version: string;
  families: () => AsyncIterable<MetricFamily>;
  /** Default: OTEL_METRIC_EXPORT_INTERVAL, else a minute. */
  metricIntervalMs?: number | undefined;
  /** Start of the process, in epoch milliseconds. */
  startedAt: number;
  logger: Logger;
  onDrop: (signal: "metrics" | "logs", cause: ExportDrop, items: number) => void;
  /** Epoch milliseconds. */
  now: () => number;
  /** Milliseconds. */
  monotonic: () => number;
  after: (ms: number, callback: () => void) => Disposable;
  pause: () => Promise<void> | undefined;
  shutdownTimeoutMs?: number;
}

export interface Exports {
  /** Takes a line of the log, or an operations event. Undefined: logs are not exported. */
  readonly log: ((item: string | OperationsEvent) => void) | undefined;
  readonly exportsMetrics: boolean;
  /** Sends what waits, for at most a few seconds. Never throws. */
  shutdown(): Promise<void>;
}

const METRIC_INTERVAL_MS = 60_000;
const SHUTDOWN_TIMEOUT_MS = 3_000;

/** Throws an Error with a sentence if a variable of the environment holds no address. */
export async function createExports(options: ExportsOptions): Promise<Exports> {
  const { endpoint, env, resource, version, now, after, shutdownTimeoutMs = SHUTDOWN_TIMEOUT_MS } = options;
  const senders: OtlpSender[] = [];
  const open = async (signal: "metrics" | "logs") => {
    const address = isSignalWanted(signal, options.signals, env) ? collectorAddress(signal, endpoint, env) : undefined;
    if (address === undefined) return undefined;
    const sender = await otlpSender(signal, address);
    senders.push(sender);
    const report = reportOf(signal, address, options);
    return { sender, report, resource: otlpAttributes(resource), version, now, after };
  };
  const forLogs = await open("logs");
  const logs = forLogs && new LogExport(forLogs);
  const forMetrics = await open("metrics");
  const { families, startedAt, pause } = options;
  const intervalMs = options.metricIntervalMs ?? intervalIn(env) ?? METRIC_INTERVAL_MS;
  const metrics = forMetrics && new MetricExport({ ...forMetrics, families, startedAt, pause, intervalMs });
  const end = async (): Promise<void> => {
    await Promise.all([logs?.flush(), metrics?.end()]);
    await Promise.all(senders.map((sender) => sender.close()));
  };
  return {
    log: logs && ((item) => logs.add(item)),
    exportsMetrics: metrics !== undefined,
    shutdown: () => withinTime(end(), shutdownTimeoutMs),
  };
}

function reportOf(signal: "metrics" | "logs", address: string, options: ExportsOptions): ExportReport {
  const { logger, monotonic, onDrop } = options;
  return new ExportReport({
    ...{ signal, items: signal === "logs" ? "records" : "points", endpoint: new URL(address).host, logger, monotonic },
    onDrop: (cause, items) => onDrop(signal, cause, items),
  });
}

/** Milliseconds, as OpenTelemetry says. */
function intervalIn(env: Environment): number | undefined {
  const value = Number(env["OTEL_METRIC_EXPORT_INTERVAL"]);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** A collector without an answer must not keep the process from ending. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([work.catch(() => undefined), timeout.promise]);
  clearTimeout(timer);
}
