import type { Attributes, Context, Link, SpanKind } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

export interface Sampling {
  /** Share of traces that are recorded, 0 to 1. For a trace that another process began, that process's decision counts. */
  ratio?: number;
  /** Share of spans that are recorded within recorded traces, 0 to 1, by name of the span. */
  spans?: Readonly<Record<string, number>>;
}

/** Each status write is also part of a span `Reconcile`. It has its own span only if the settings ask for one. */
const RARELY_ASKED_FOR: Readonly<Record<string, number>> = { UpdateStatus: 0 };
const NOT_RECORDED: SamplingResult = { decision: SamplingDecision.NOT_RECORD };

/** Records a share of the traces, each of them completely, except for spans of which only a share is wanted. */
export class SpanSampler implements Sampler {
  readonly #byTrace: Sampler;
  readonly #spans: ReadonlyMap<string, number>;
  readonly #random: () => number;

  constructor({ ratio = 1, spans = {} }: Sampling, random: () => number = Math.random) {
    this.#byTrace = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
    this.#spans = new Map(Object.entries({ ...RARELY_ASKED_FOR, ...spans }));
    this.#random = random;
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    const share = this.#spans.get(name);
    if (share !== undefined && share < 1 && this.#random() >= share) return NOT_RECORDED;
    return this.#byTrace.shouldSample(context, traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `SpanSampler{${this.#byTrace.toString()}}`;
  }
}

/** Sampler for a process without a collector. */
export const noSpans: Sampler = new AlwaysOffSampler();

/** Reads OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. A parent's decision counts in any case. */
export function samplingOf(env: Readonly<Record<string, string | undefined>>): { ratio?: number; problem?: string } {
  const sampler = env["OTEL_TRACES_SAMPLER"] ?? "";
  switch (sampler.replace(/^parentbased_/, "")) {
    case "":
    case "always_on":
      return {};
    case "always_off":
      return { ratio: 0 };
    case "traceidratio": {
      const text = env["OTEL_TRACES_SAMPLER_ARG"] ?? "";
      const ratio = text === "" ? 1 : Number(text);
      if (ratio >= 0 && ratio <= 1) return { ratio };
      return { problem: `OTEL_TRACES_SAMPLER_ARG is left out: "${text}" is not a number between 0 and 1` };
    }
    default:
      return {
        problem: `OTEL_TRACES_SAMPLER is left out: "${sampler}" is none of always_on, always_off and traceidratio, with or without parentbased_`,
      };
  }
}
