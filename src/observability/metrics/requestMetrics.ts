import { type MetricFamilies } from "./metricFamilies.ts";
import type { RequestObservation } from "../types.ts";

/** Bound once: observing a request reads two maps and builds no labels. */
interface RequestSeries {
  codes: Map<string, { inc(): void; labels: { cluster: string; method: string; code: string } }>;
  verbs: Map<string, { observe(seconds: number): void }>;
}

/**
 * Each member has a histogram for each of seven verbs, so a bucket more is seven series more for each member. A member has
 * at most 100 series.
 */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
/** Methods with codes of one cluster. Further codes, which a broken server may make up, count as `other`. */
const MOST_CODES = 20;

/** Names of client-go. */
export class RequestMetrics {
  readonly #total;
  readonly #duration;
  readonly #clusters = new Map<string, RequestSeries>();

  constructor({ counter, histogram }: MetricFamilies) {
    this.#total = counter("rest_client_requests_total", "Requests to API servers.", ["cluster", "method", "code"]);
    this.#duration = histogram(
      "rest_client_request_duration_seconds",
      "Time of requests to API servers, without watches.",
      ["cluster", "verb"],
      BUCKETS,
    );
  }

  observe(call: RequestObservation): void {
    const series = this.#seriesOf(call.cluster);
    const given = String(call.code);
    const isKnown = series.codes.has(`${call.method} ${given}`);
    const code = isKnown || series.codes.size < MOST_CODES ? given : "other";
    const codeKey = `${call.method} ${code}`;
    let counted = series.codes.get(codeKey);
    if (counted === undefined) {
      const labels = { cluster: call.cluster, method: call.method, code };
      const child = this.#total.labels(labels);
      counted = { inc: () => child.inc(), labels };
      series.codes.set(codeKey, counted);
    }
    counted.inc();
    if (call.verb === "watch") return;
    let timed = series.verbs.get(call.verb);
    if (timed === undefined) {
      timed = this.#duration.labels({ cluster: call.cluster, verb: call.verb });
      series.verbs.set(call.verb, timed);
    }
    timed.observe(call.ms / 1000);
  }

  forget(cluster: string): void {
    const series = this.#clusters.get(cluster);
    if (series === undefined) return;
    this.#clusters.delete(cluster);
    for (const { labels } of series.codes.values()) this.#total.remove(labels);
    for (const verb of series.verbs.keys()) this.#duration.remove({ cluster, verb });
  }

  #seriesOf(cluster: string): RequestSeries {
    let series = this.#clusters.get(cluster);
    if (series === undefined) {
      series = { codes: new Map(), verbs: new Map() };
      this.#clusters.set(cluster, series);
    }
    return series;
  }
}
