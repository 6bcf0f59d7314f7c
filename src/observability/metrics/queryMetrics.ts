import { FAST, type MetricFamilies } from "./metricFamilies.ts";

export interface QueryObservation {
  resource: string;
  code: number;
  ms: number;
  isWatch: boolean;
}

/** Requests of the query API. Resources and codes are few; no series names a user. */
export class QueryMetrics {
  readonly #total;
  readonly #duration;

  constructor({ counter, histogram }: MetricFamilies) {
    const labels = ["resource", "code"] as ["resource", "code"];
    this.#total = counter("federation_query_requests_total", "Requests to the query API.", labels);
    this.#duration = histogram(
      "federation_query_request_duration_seconds",
      "Time of requests to the query API, without watches.",
      labels,
      FAST,
    );
  }

  observe({ resource, code, ms, isWatch }: QueryObservation): void {
    const labels = { resource, code: String(code) };
    this.#total.inc(labels);
    if (!isWatch) this.#duration.observe(labels, ms / 1000);
  }
}
