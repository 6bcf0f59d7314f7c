import type { Variable } from "./panels.ts";

/** The jobs of Prometheus that scrape managers, of which a reader chooses one release. */
export const JOB: Variable = {
  name: "job",
  label: "Job",
  query: "label_values(leader_election_master_status, job)",
};

/** A metric of the chosen jobs, with more matchers. */
export function of(metric: string, ...matchers: string[]): string {
  return `${metric}{${['job=~"$job"', ...matchers].join()}}`;
}

/** What a counter gains in a second, over as much time as the width of the panel asks for. */
export function perSecond(metric: string, ...matchers: string[]): string {
  return `rate(${of(metric, ...matchers)}[$__rate_interval])`;
}

export function sumBy(labels: string, expr: string): string {
  return `sum by (${labels}) (${expr})`;
}

/** Of a histogram; `labels` beside `le` tell curves apart. */
export function quantile(share: number, histogram: string, labels = "", ...matchers: string[]): string {
  const by = ["le", labels].filter(Boolean).join(", ");
  return `histogram_quantile(${share}, ${sumBy(by, perSecond(`${histogram}_bucket`, ...matchers))})`;
}

/** The share of the events of an objective that were good. */
export function goodShare(objective: string): string {
  const events = (kind: string) =>
    `sum(${perSecond(`federation_objective_${kind}events_total`, `objective="${objective}"`)})`;
  return `${events("good_")} / ${events("")}`;
}
