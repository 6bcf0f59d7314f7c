/**
 * As much of Prometheus as the rules that the HPA and its alert stand on need: `sum(60 * rate(…[75s]))` over samples of scrapes, and how long a value
 * has been above a bound. Where promtool is here, test/chart/autoscaling.test.ts has it agree.
 */

/** Samples of one series, in the order of time. */
export interface Series {
  labels: Record<string, string>;
  /** Seconds, and the value. */
  samples: [time: number, value: number][];
}

/** The expression of a rule, taken apart. Throws for one of another form. */
export function parseRule(expr: string): {
  by: string[];
  factor: number;
  metric: string;
  matchers: string;
  rangeSeconds: number;
} {
  const form =
    /^sum(?: by \((?<by>[a-z, ]+)\) )?\((?<factor>\d+) \* rate\((?<metric>\w+)\{(?<matchers>.*)\}\[(?<range>\d+)s\]\)\)/;
  const { by, factor, metric, matchers, range } = form.exec(expr)?.groups ?? {};
  if (metric === undefined || matchers === undefined) throw new Error(`this is no sum of rates: ${expr}`);
  return {
    by: by?.split(/, */) ?? [],
    factor: Number(factor),
    metric,
    matchers,
    rangeSeconds: Number(range),
  };
}

/** The value of the expression at a time, for each combination of the labels that it is summed by; none where no series has two samples. */
export function evaluate(expr: string, series: readonly Series[], time: number): Map<string, number> {
  const { by, factor, metric, matchers, rangeSeconds } = parseRule(expr);
  const result = new Map<string, number>();
  for (const one of series) {
    if (one.labels["__name__"] !== metric || !matches(one.labels, matchers)) continue;
    const rate = rateOf(one.samples, time, rangeSeconds);
    if (rate === undefined) continue;
    const key = by.map((label) => one.labels[label] ?? "").join();
    result.set(key, (result.get(key) ?? 0) + factor * rate);
  }
  return result;
}

function matches(labels: Record<string, string>, matchers: string): boolean {
  return [...matchers.matchAll(/(\w+)(=~?)"([^"]*)"/g)].every(([, name = "", operator, wanted = ""]) => {
    const value = labels[name] ?? "";
    return operator === "=" ? value === wanted : new RegExp(`^(?:${wanted})$`).test(value);
  });
}

/** Prometheus' rate(): what the counter gained, resets allowed for, stretched to the ends of the range where samples come near them. */
function rateOf(all: Series["samples"], end: number, range: number): number | undefined {
  const samples = all.filter(([time]) => time > end - range && time <= end);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return undefined;
  let gained = last[1] - first[1];
  for (const [index, [, value]] of samples.entries()) {
    const before = samples[index - 1]?.[1] ?? value;
    if (value < before) gained += before;
  }
  const spanned = last[0] - first[0];
  const between = spanned / (samples.length - 1);
  const stretch = (distance: number): number => (distance >= between * 1.1 ? between / 2 : distance);
  // A counter is never stretched to below zero.
  const toZero = gained > 0 ? spanned * (first[1] / gained) : Number.POSITIVE_INFINITY;
  const toStart = Math.min(stretch(first[0] - (end - range)), toZero);
  return (gained * (spanned + toStart + stretch(end - last[0]))) / spanned / range;
}

/** The series of a scrape's text, with the labels that a scrape adds. */
export function readScrape(
  text: string,
  added: Record<string, string>,
): { labels: Record<string, string>; value: number }[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const own = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text_]) => [key, text_]));
    return [{ labels: { __name__: name, ...own, ...added } as Record<string, string>, value: Number(value) }];
  });
}
