import { type Command, InvalidArgumentError, type OptionValues } from "@commander-js/extra-typings";
import { defined } from "../../apis/index.ts";
import { isCollectorAddress, type Signal, SIGNALS } from "../../observability/index.ts";
import { duration, type HubOptions, parseDuration } from "../shared/index.ts";

/** The time limit of a reconcile, and what goes to a collector. */
export function telemetryFlags<A extends unknown[], F extends OptionValues>(command: Command<A, F, HubOptions>) {
  return command
    .addOption(
      duration("--reconcile-timeout <duration>", "how long one reconcile may take before it is retried", "30s"),
    )
    .option(
      "--otlp-endpoint <url>",
      "OTLP/HTTP collector for traces, metrics and logs (default: OTEL_EXPORTER_OTLP_ENDPOINT)",
      parseCollector,
    )
    .option(
      "--otlp-signals <list>",
      "what goes to the collector, of traces, metrics and logs (default: all but those with OTEL_*_EXPORTER=none)",
      parseSignals,
    )
    .option(
      "--otlp-metric-interval <duration>",
      "how often metrics go to the collector (default: OTEL_METRIC_EXPORT_INTERVAL, else 60s)",
      parseDuration,
    )
    .option(
      "--trace-ratio <share>",
      "share of recorded traces, 0 to 1 (default: OTEL_TRACES_SAMPLER, else 1)",
      parseShare,
    )
    .option(
      "--trace-span <name=share>",
      "share of spans with this name in recorded traces, such as UpdateStatus=1 (default: 0 for UpdateStatus, 1 for all others; may be repeated)",
      parseSpanShare,
    );
}
type TelemetryFlags = ReturnType<ReturnType<typeof telemetryFlags<[], NonNullable<unknown>>>["opts"]>;

export function withTelemetry<F extends TelemetryFlags>(flags: F) {
  const { reconcileTimeout, traceRatio: ratio, traceSpan: spans, otlpMetricInterval, ...rest } = flags;
  if (reconcileTimeout <= 0) throw new InvalidArgumentError("--reconcile-timeout must be longer than 0s");
  if (otlpMetricInterval !== undefined && otlpMetricInterval < LEAST_INTERVAL_MS)
    throw new InvalidArgumentError("--otlp-metric-interval must be 1s or longer");
  const sampling = ratio === undefined && spans === undefined ? undefined : defined({ ratio, spans });
  return {
    ...rest,
    reconcileTimeoutMs: reconcileTimeout,
    ...defined({ metricIntervalMs: otlpMetricInterval }),
    sampling,
  };
}

/** Empty: no collector, whatever the environment says. */
function parseCollector(text: string): string {
  if (text !== "" && !isCollectorAddress(text))
    throw new InvalidArgumentError("An address looks like http://host:4318.");
  return text;
}

/** Each signal once; at least one. */
function parseSignals(text: string): readonly Signal[] {
  const names = text.split(",").map((name) => name.trim());
  const signals = SIGNALS.filter((signal) => names.includes(signal));
  if (signals.length !== names.length)
    throw new InvalidArgumentError(`Signals look like traces,metrics: each of ${SIGNALS.join(", ")} once at most.`);
  return signals;
}

function parseShare(text: string): number {
  const share = Number(text);
  if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) || share > 1)
    throw new InvalidArgumentError("A share is a number between 0 and 1.");
  return share;
}

const LEAST_INTERVAL_MS = 1_000;

/** A share for an unknown name would have no effect. */
const SPANS = ["Reconcile", "ComputeTarget", "UpdateStatus", "Admission"];
/** Before the kind of one object of a member. */
const MEMBER_SPANS = ["Sync", "Delete", "Release", "Confirm", "Read"];

/** Adds `Name=share`. */
function parseSpanShare(text: string, before: Record<string, number> = {}): Record<string, number> {
  const [, name, share] = /^([A-Za-z]+)=([\d.]+)$/.exec(text) ?? [];
  if (name === undefined || share === undefined) {
    throw new InvalidArgumentError("Spans and their share look like UpdateStatus=1 or ComputeTarget=0.1.");
  }
  if (!SPANS.includes(name) && !MEMBER_SPANS.some((start) => name.startsWith(start) && name.length > start.length)) {
    const ofMembers = MEMBER_SPANS.map((start) => `${start}KIND`).join(", ");
    throw new InvalidArgumentError(
      `There is no span ${name}. Spans are ${SPANS.join(", ")}, and for each kind on members ${ofMembers}, such as SyncDeployment.`,
    );
  }
  return { ...before, [name]: parseShare(share) };
}
