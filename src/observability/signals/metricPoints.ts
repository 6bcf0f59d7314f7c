import { type OtlpAttribute, otlpAttributes, unixNano } from "../otlp/index.ts";

/** A family of a scrape, as prom-client gives it. */
export interface MetricFamily {
  name: string;
  help: string;
  /** The text counter, gauge, histogram or summary, which prom-client declares as a number. */
  type: unknown;
  values: readonly MetricSample[];
}

export interface MetricSample {
  value: number;
  labels: Readonly<Partial<Record<string, string | number>>>;
  /** Of a part of a histogram: the family's name with `_bucket`, `_sum` or `_count`. */
  metricName?: string;
}

/** Times in epoch milliseconds. */
export interface PointTimes {
  startedAt: number;
  now: number;
}

interface Point {
  attributes: OtlpAttribute[];
  startTimeUnixNano: string;
  timeUnixNano: string;
}

interface NumberPoint extends Point {
  asDouble: number;
}

interface HistogramPoint extends Point {
  count: string;
  sum: number;
  /** One more than `explicitBounds`. */
  bucketCounts: string[];
  explicitBounds: number[];
}

/** A metric in OTLP's JSON encoding. */
export interface OtlpMetric {
  name: string;
  description: string;
  unit: string;
  sum?: { aggregationTemporality: 2; isMonotonic: true; dataPoints: NumberPoint[] };
  gauge?: { dataPoints: NumberPoint[] };
  histogram?: { aggregationTemporality: 2; dataPoints: HistogramPoint[] };
}

/** Names stay as they are in a scrape. Values count since the start of the process (cumulative). */
export function otlpMetric({ name, help, type, values }: MetricFamily, times: PointTimes): OtlpMetric {
  const of = { name, description: help, unit: unitOf(name) };
  if (type === "histogram")
    return { ...of, histogram: { aggregationTemporality: 2, dataPoints: histogramPoints(name, values, times) } };
  const dataPoints = values
    // JSON has no word for NaN, which says that there is no value.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...pointOf(labels, times), asDouble: value }));
  if (type === "counter") return { ...of, sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } };
  return { ...of, gauge: { dataPoints } };
}

/** The metric in parts of at most so many points. */
export function* partsOf(metric: OtlpMetric, most: number): Iterable<{ part: OtlpMetric; points: number }> {
  for (const kind of ["sum", "gauge", "histogram"] as const) {
    const found = metric[kind];
    if (found === undefined) continue;
    for (let start = 0; start < found.dataPoints.length; start += most) {
      const dataPoints = found.dataPoints.slice(start, start + most);
      yield { part: { ...metric, [kind]: { ...found, dataPoints } }, points: dataPoints.length };
    }
  }
}

function unitOf(name: string): string {
  const base = name.replace(/_total$/, "");
  return base.endsWith("_seconds") ? "s" : base.endsWith("_bytes") ? "By" : "";
}

function pointOf(labels: MetricSample["labels"], { startedAt, now }: PointTimes): Point {
  return { attributes: otlpAttributes(labels), startTimeUnixNano: unixNano(startedAt), timeUnixNano: unixNano(now) };
}

interface Buckets {
  labels: MetricSample["labels"];
  /** Upper bounds with the number of values up to each. */
  upTo: [bound: number, count: number][];
  sum: number;
  count: number;
}

function histogramPoints(name: string, values: readonly MetricSample[], times: PointTimes): HistogramPoint[] {
  const series = new Map<string, Buckets>();
  for (const { value, labels, metricName } of values) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    let buckets = series.get(key);
    if (buckets === undefined) {
      buckets = { labels: rest, upTo: [], sum: 0, count: 0 };
      series.set(key, buckets);
    }
    if (metricName === `${name}_sum`) buckets.sum = value;
    else if (metricName === `${name}_count`) buckets.count = value;
    else if (le !== "+Inf") buckets.upTo.push([Number(le), value]);
  }
  return Array.from(series.values(), (buckets) => histogramPoint(buckets, times));
}

/** Prometheus counts the values up to each bound; OTLP counts those between two bounds. */
function histogramPoint({ labels, upTo, sum, count }: Buckets, times: PointTimes): HistogramPoint {
  const sorted = upTo.toSorted(([a], [b]) => a - b);
  const cumulative = [...sorted.map(([, ofBound]) => ofBound), count];
  return {
    ...pointOf(labels, times),
    count: String(count),
    sum,
    bucketCounts: cumulative.map((ofBound, index) => String(ofBound - (cumulative[index - 1] ?? 0))),
    explicitBounds: sorted.map(([bound]) => bound),
  };
}
