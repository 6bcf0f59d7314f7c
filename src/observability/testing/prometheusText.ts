/** One series of a scrape, with its value. */
export interface PrometheusSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export type PrometheusType = "counter" | "gauge" | "histogram" | "summary" | "untyped";

export interface PrometheusFamily {
  name: string;
  type: PrometheusType;
  help: string;
  samples: PrometheusSample[];
}

const TYPES: ReadonlySet<string> = new Set(["counter", "gauge", "histogram", "summary", "untyped"]);
const METRIC = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** What belongs to a histogram beside the samples of its own name, of which it has none. */
const PARTS: Partial<Record<PrometheusType, readonly string[]>> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"],
};

/**
 * Reads Prometheus' text format 0.0.4 as its own parser does (expfmt), and throws at whatever that refuses: a line that is none, a second HELP or
 * TYPE, a family in two places, a series given twice, a histogram that is none. And at what `promtool check metrics` objects to: a metric without
 * help, a counter that is not called `_total`, anything else that is.
 */
export function parsePrometheusText(text: string): Map<string, PrometheusFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const reader = new FamilyReader();
  text
    .slice(0, -1)
    .split("\n")
    .forEach((line, index) => {
      try {
        reader.take(line);
      } catch (error) {
        throw new Error(`line ${index + 1}: ${(error as Error).message}: ${line}`, { cause: error });
      }
    });
  for (const family of reader.families.values()) checkFamily(family);
  return reader.families;
}

/** The values of a metric, or of a part of a histogram, by the value of one label; the other labels are as asked for. */
export function valuesBy(
  families: ReadonlyMap<string, PrometheusFamily>,
  metric: string,
  label: string,
  others: Readonly<Record<string, string>> = {},
): Record<string, number> {
  const sums: Record<string, number> = {};
  const family = families.get(metric) ?? families.get(metric.replace(/_(bucket|sum|count)$/, ""));
  for (const { name, labels, value } of family?.samples ?? []) {
    if (name !== metric || !Object.entries(others).every(([key, wanted]) => labels[key] === wanted)) continue;
    const key = labels[label] ?? "";
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

class FamilyReader {
  readonly families = new Map<string, PrometheusFamily>();
  readonly #helped = new Set<string>();
  readonly #typed = new Set<string>();
  readonly #series = new Set<string>();
  #current: PrometheusFamily | undefined;

  take(line: string): void {
    if (line.trim() === "") return;
    if (line.startsWith("#")) return this.#comment(line);
    const sample = sampleOf(line);
    const family = this.#familyOf(sample.name);
    const series = `${sample.name}{${Object.entries(sample.labels)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .toSorted()
      .join()}}`;
    if (this.#series.has(series)) throw new Error("the series was given before");
    this.#series.add(series);
    family.samples.push(sample);
  }

  #comment(line: string): void {
    const [, word, name = "", rest = ""] = /^#\s*(HELP|TYPE)\s+(\S+)\s?(.*)$/.exec(line) ?? [];
    if (word === undefined) return;
    if (matched(METRIC, name, 0) !== name) throw new Error(`${name} is no name of a metric`);
    const seen = word === "HELP" ? this.#helped : this.#typed;
    if (seen.has(name)) throw new Error(`a second ${word} for ${name}`);
    seen.add(name);
    const family = this.#open(name);
    if (word === "HELP") {
      if (/\\[^\\n]/.test(rest.replaceAll("\\\\", ""))) throw new Error("an escape that is none");
      family.help = rest;
      return;
    }
    if (!TYPES.has(rest)) throw new Error(`${rest} is no type`);
    if (family.samples.length > 0) throw new Error("TYPE comes after samples");
    family.type = rest as PrometheusType;
  }

  #open(name: string): PrometheusFamily {
    if (this.#current?.name === name) return this.#current;
    if (this.families.has(name)) throw new Error(`${name} is in two places`);
    this.#current = { name, type: "untyped", help: "", samples: [] };
    this.families.set(name, this.#current);
    return this.#current;
  }

  #familyOf(name: string): PrometheusFamily {
    const current = this.#current;
    const parts = (current && PARTS[current.type]) ?? [""];
    return current !== undefined && parts.some((part) => `${current.name}${part}` === name)
      ? current
      : this.#open(name);
  }
}

function sampleOf(line: string): PrometheusSample {
  const name = matched(METRIC, line, 0);
  if (name === "") throw new Error("no name of a metric");
  const { labels, end } = line[name.length] === "{" ? labelsAt(line, name.length) : { labels: {}, end: name.length };
  const [, value, timestamp] = /^[ \t]+(\S+)(?:[ \t]+(-?\d+))?[ \t]*$/.exec(line.slice(end)) ?? [];
  if (value === undefined || (timestamp !== undefined && !Number.isSafeInteger(Number(timestamp))))
    throw new Error("no value");
  return { name, labels, value: valueOf(value) };
}

function labelsAt(line: string, start: number): { labels: Record<string, string>; end: number } {
  const labels: Record<string, string> = {};
  let at = start + 1;
  while (line[at] !== "}") {
    const name = matched(LABEL, line, at);
    if (name === "" || name.startsWith("__")) throw new Error(`no name of a label at ${at}`);
    if (name in labels) throw new Error(`label ${name} twice`);
    at += name.length;
    if (line.slice(at, at + 2) !== '="') throw new Error(`no value of label ${name}`);
    const { value, end } = quotedAt(line, at + 2);
    labels[name] = value;
    at = end;
    if (line[at] === ",") at += 1;
    else if (line[at] !== "}") throw new Error(`neither , nor } at ${at}`);
  }
  return { labels, end: at + 1 };
}

function quotedAt(line: string, start: number): { value: string; end: number } {
  let value = "";
  for (let at = start; at < line.length; at++) {
    const letter = line[at] ?? "";
    if (letter === '"') return { value, end: at + 1 };
    if (letter !== "\\") {
      value += letter;
      continue;
    }
    at += 1;
    const escaped = { "\\": "\\", n: "\n", '"': '"' }[line[at] ?? ""];
    if (escaped === undefined) throw new Error("an escape that is none");
    value += escaped;
  }
  throw new Error("a value of a label does not end");
}

function valueOf(text: string): number {
  if (/^\+?Inf$/i.test(text)) return Infinity;
  if (/^-Inf$/i.test(text)) return -Infinity;
  if (/^NaN$/i.test(text)) return NaN;
  if (!NUMBER.test(text)) throw new Error(`${text} is no number`);
  return Number(text);
}

function matched(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function checkFamily({ name, type, help, samples }: PrometheusFamily): void {
  if (help === "") throw new Error(`${name}: no help`);
  if (type === "untyped") throw new Error(`${name}: no type`);
  if ((type === "counter") !== name.endsWith("_total"))
    throw new Error(`${name}: only counters, and all of them, are called _total`);
  if (type === "counter" && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name}: a counter below 0`);
  if (type === "histogram") checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly PrometheusSample[]): void {
  const series = new Map<string, { buckets: [bound: number, count: number][]; count?: number; sum?: number }>();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    const one = series.get(key) ?? { buckets: [] };
    series.set(key, one);
    if (sample.name === `${name}_count`) one.count = sample.value;
    else if (sample.name === `${name}_sum`) one.sum = sample.value;
    else if (le === undefined) throw new Error(`${name}: a bucket without a bound`);
    else one.buckets.push([valueOf(le), sample.value]);
  }
  for (const { buckets, count, sum } of series.values()) {
    if (count === undefined || sum === undefined) throw new Error(`${name}: no count or no sum`);
    const sorted = buckets.every(([bound, value], index) => {
      const before = buckets[index - 1];
      return before === undefined || (bound > before[0] && value >= before[1]);
    });
    if (!sorted) throw new Error(`${name}: buckets are not in order`);
    if (buckets.at(-1)?.[0] !== Infinity || buckets.at(-1)?.[1] !== count)
      throw new Error(`${name}: the last bucket is not all there is`);
  }
}
