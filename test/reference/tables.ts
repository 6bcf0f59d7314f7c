import { EXIT, EXIT_MEANINGS } from "../../src/cmd/shared/outcome.ts";
import { markdownTable } from "../../src/apis/reference/index.ts";
import { createMetrics } from "../../src/observability/index.ts";

export function exitCodesTable(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return markdownTable(
    ["exit code", "means"],
    names.map((name) => [String(EXIT[name]), EXIT_MEANINGS[name]]),
  );
}

/** Meridian's own, from the registry that `/metrics` shows; without those of the process. */
export function metricsTable(): string {
  const { registry } = createMetrics({ processMetrics: false });
  const rows = registry.getMetricsAsArray().map((metric) => {
    const { name, type, help } = metric;
    // The types of the package leave the names of the labels out.
    const { labelNames = [] } = metric as typeof metric & { labelNames?: readonly string[] };
    return [`\`${name}\``, String(type), labelNames.join(", "), help];
  });
  return markdownTable(["metric", "type", "labels", "what it is"], rows);
}
