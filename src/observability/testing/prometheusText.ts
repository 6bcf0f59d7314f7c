/** One series of a scrape, with its value. */
export interface PrometheusSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface PrometheusFamily {
  name: string;
  type: string;
  help: string;
  samples: PrometheusSample[];
}

const COMMENT = /^# (HELP|TYPE) (\S+) (.*)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;
const PART_OF_HISTOGRAM = /_(bucket|sum|count)$/;

/**
 * Reads Prometheus' text format as prom-client writes it. Throws for a line that is none, for a series given twice, and
 * for what `promtool check metrics` refuses: a metric without help, a counter that is not called `_total`, anything
 * else that is.
 */
export function parsePrometheusText(text: string): Map<string, PrometheusFamily> {
  const families = new Map<string, PrometheusFamily>();
  const series = new Set<string>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, word, name = "", rest = ""] = COMMENT.exec(line) ?? [];
    if (word === undefined) {
      const sample = sampleOf(line);
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
      if (series.has(key)) throw new Error(`the series was given before: ${line}`);
      series.add(key);
      familyOf(families, sample.name)?.samples.push(sample);
    } else {
      const family = families.get(name) ?? { name, type: "untyped", help: "", samples: [] };
      families.set(name, word === "HELP" ? { ...family, help: rest } : { ...family, type: rest });
    }
  }
  for (const { name, type, help } of families.values()) {
    if (help === "") throw new Error(`${name}: no help`);
    if ((type === "counter") !== name.endsWith("_total"))
      throw new Error(`${name}: only counters, and all of them, are called _total`);
  }
  return families;
}

/**
 * The values of a metric, or of a part of a histogram, by the value of one label; the other labels are as asked for.
 */
export function valuesBy(
  families: ReadonlyMap<string, PrometheusFamily>,
  metric: string,
  label: string,
  others: Readonly<Record<string, string>> = {},
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name, labels, value } of familyOf(families, metric)?.samples ?? []) {
    if (name !== metric || !Object.entries(others).every(([key, wanted]) => labels[key] === wanted)) continue;
    const key = labels[label] ?? "";
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

function familyOf(families: ReadonlyMap<string, PrometheusFamily>, name: string): PrometheusFamily | undefined {
  return families.get(name) ?? families.get(name.replace(PART_OF_HISTOGRAM, ""));
}

function sampleOf(line: string): PrometheusSample {
  const [, name, inner = "", text = ""] = SAMPLE.exec(line) ?? [];
  const value = Number(text.replace("Inf", "Infinity"));
  if (name === undefined || (Number.isNaN(value) && !/^nan$/i.test(text))) throw new Error(`no sample: ${line}`);
  const labels = Array.from(inner.matchAll(LABEL), ([, key = "", quoted = ""]) => [key, JSON.parse(`"${quoted}"`)]);
  return { name, labels: Object.fromEntries(labels) as Record<string, string>, value };
}
