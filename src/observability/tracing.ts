import type { Tracer } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace";
import { trimEnd } from "../apis/index.ts";
import { resourceAttributes } from "./resourceAttributes.ts";
import { noSpans, type Sampling, samplingOf, SpanSampler } from "./sampling.ts";

export type { Span, Tracer } from "@opentelemetry/api";

export interface TracingOptions {
  /** Base address of an OTLP/HTTP collector (`http://host:4318`); the environment's OTEL_EXPORTER_OTLP_* when absent. */
  endpoint?: string;
  serviceVersion: string;
  /** Name of this process: pod name or host name. */
  identity: string;
  /** Default: the environment of the process. */
  env?: Record<string, string | undefined>;
  /** Takes the spans instead of a collector. */
  exporter?: SpanExporter | undefined;
  /** Which spans are recorded; without a ratio the environment's OTEL_TRACES_SAMPLER says it, and else all are. */
  sampling?: Sampling;
  /** How long `shutdown` waits for a collector that does not answer. Default: 3 s. */
  shutdownTimeoutMs?: number;
}

export interface Tracing {
  tracer: Tracer;
  /** Spans leave the process; otherwise they only give trace ids to the logs. */
  exporting: boolean;
  /** What of the environment was not taken, and why: a sentence each. */
  readonly problems: readonly string[];
  /** Sends the waiting spans, for at most a few seconds, and ends the exporter. Never throws. */
  readonly shutdown: () => Promise<void>;
}

const SHUTDOWN_TIMEOUT_MS = 3_000;

/**
 * A tracer that always gives real trace ids. Without a collector its spans are not recorded, which costs next to nothing, and
 * the exporter is not loaded.
 */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const exporter = options.exporter ?? (await collectorExporter(options));
  const exporting = exporter !== undefined;
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
    sampler: exporting ? new SpanSampler({ ...sampling, ...(ratio === undefined ? {} : { ratio }) }) : noSpans,
    spanProcessors: exporting
      ? [
          new BatchSpanProcessor({
            exporter,
            maxQueueSize: 4096,
            maxExportBatchSize: 512,
            scheduledDelayMillis: 2_000,
            exportTimeoutMillis: 10_000,
          }),
        ]
      : [],
  });
  return {
    tracer: provider.getTracer("meridian", options.serviceVersion),
    exporting,
    problems: [resource.problem, asked.problem].filter((problem) => problem !== undefined),
    shutdown: () => settleWithin(provider.shutdown(), options.shutdownTimeoutMs ?? SHUTDOWN_TIMEOUT_MS),
  };
}

/** http or https, and a host: the exporter's own words for anything else do not say which setting is wrong. */
export function isCollectorAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

async function collectorExporter({ endpoint, env = process.env }: TracingOptions): Promise<SpanExporter | undefined> {
  if (endpoint !== undefined) return endpoint === "" ? undefined : otlpExporter(tracesUnder(endpoint));
  const traces = collectorOf(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://host:4318/v1/traces");
  if (traces !== undefined) return otlpExporter(traces);
  const base = collectorOf(env, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://host:4318");
  return base === undefined ? undefined : otlpExporter(tracesUnder(base));
}

/** Throws an Error with a sentence that names the variable and says what to write. */
function collectorOf(env: Record<string, string | undefined>, name: string, example: string): string | undefined {
  const address = env[name];
  if (address === undefined || address === "") return undefined;
  if (!isCollectorAddress(address))
    throw new Error(`the environment variable ${name} is '${address}', which is no address: write it as ${example}`);
  return address;
}

function tracesUnder(base: string): string {
  return `${trimEnd(base, "/")}/v1/traces`;
}

async function otlpExporter(url: string): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  return new OTLPTraceExporter({ url });
}

/** A collector that does not answer must not keep the process from ending; the spans that it did not take are lost. */
async function settleWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([
    work.then(
      () => undefined,
      () => undefined,
    ),
    timeout.promise,
  ]);
  clearTimeout(timer);
}
