import type { Tracer } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider, type SpanExporter, type SpanProcessor } from "@opentelemetry/sdk-trace";
import { defined } from "../../apis/index.ts";
import { type Logger } from "../logging/index.ts";
import { collectorAddress, type ExportDrop, ExportReport } from "../otlp/index.ts";
import { resourceAttributes } from "./resourceAttributes.ts";
import { noSpans, type Sampling, samplingOf, SpanSampler } from "./sampling.ts";
import { SpanExport } from "./spanExport.ts";

export type { Span, Tracer } from "@opentelemetry/api";

export interface TracingOptions {
  /** Address of an OTLP/HTTP collector (`http://host:4318`); OTEL_EXPORTER_OTLP_* of the environment when absent. */
  endpoint?: string;
  serviceVersion: string;
  /** Pod name or host name. */
  identity: string;
  /** Default: the environment of the process. */
  env?: Record<string, string | undefined>;
  exporter?: SpanExporter | undefined;
  /** Without a ratio OTEL_TRACES_SAMPLER decides; by default all spans are recorded. */
  sampling?: Sampling;
  logger?: Logger;
  onDrop?: (cause: ExportDrop, spans: number) => void;
  /** Milliseconds. */
  monotonic?: () => number;
  shutdownTimeoutMs?: number;
}

export interface Tracing {
  tracer: Tracer;
  /** Otherwise spans only give trace ids to the logs. */
  exporting: boolean;
  /** Settings of the environment that were ignored, one sentence each. */
  readonly problems: readonly string[];
  /** Sends the waiting spans, for at most a few seconds. Never throws. */
  readonly shutdown: () => Promise<void>;
}

const SHUTDOWN_TIMEOUT_MS = 3_000;
const MAX_QUEUE = 4_096;

/** Without a collector spans are not recorded, and the exporter is not loaded; trace ids are real all the same. */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const collector = await collectorOf(options);
  const exporting = collector !== undefined;
  const { env = process.env, sampling = {} } = options;
  const resource = resourceAttributes(env);
  const asked = samplingOf(env);
  const ratio = sampling.ratio ?? asked.ratio;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "meridian",
      "service.version": options.serviceVersion,
      "service.instance.id": options.identity,
      ...resource.attributes,
    }),
    sampler: exporting ? new SpanSampler({ ...sampling, ...defined({ ratio }) }) : noSpans,
    spanProcessors: collector === undefined ? [] : [queueTo(collector, options)],
  });
  return {
    tracer: provider.getTracer("meridian", options.serviceVersion),
    exporting,
    problems: [resource.problem, asked.problem].filter((problem) => problem !== undefined),
    shutdown: () => settleWithin(provider.shutdown(), options.shutdownTimeoutMs ?? SHUTDOWN_TIMEOUT_MS),
  };
}

interface Collector {
  exporter: SpanExporter;
  endpoint: string;
}

function queueTo(
  collector: Collector,
  { logger, onDrop, monotonic = () => performance.now() }: TracingOptions,
): SpanProcessor {
  const { exporter: spans, endpoint } = collector;
  const report = new ExportReport({ signal: "traces", items: "spans", endpoint, logger, onDrop, monotonic });
  const exporter = new SpanExport({ exporter: spans, report });
  const queue = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_QUEUE,
    maxExportBatchSize: 512,
    scheduledDelayMillis: 2_000,
    exportTimeoutMillis: 10_000,
  });
  return exporter.counting(queue, MAX_QUEUE);
}

async function collectorOf(options: TracingOptions): Promise<Collector | undefined> {
  const { exporter, env = process.env } = options;
  const address = collectorAddress("traces", options.endpoint, env);
  const endpoint = address === undefined ? "" : new URL(address).host;
  if (exporter !== undefined) return { exporter, endpoint };
  return address === undefined ? undefined : { exporter: await otlpExporter(address), endpoint };
}

async function otlpExporter(url: string): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  return new OTLPTraceExporter({ url });
}

/** A collector without an answer must not keep the process from ending. The spans that it did not accept are lost. */
async function settleWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([work.catch(() => undefined), timeout.promise]);
  clearTimeout(timer);
}
