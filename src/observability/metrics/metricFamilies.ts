import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Buckets for durations of milliseconds, in seconds. */
export const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Buckets for durations up to minutes, in seconds. */
export const SLOW = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export interface MetricFamilies {
  readonly counter: <L extends string>(name: string, help: string, labels: L[]) => Counter<L>;
  readonly gauge: <L extends string>(name: string, help: string, labels: L[]) => Gauge<L>;
  readonly histogram: <L extends string>(name: string, help: string, labels: L[], buckets: number[]) => Histogram<L>;
}

export function familiesOf(registry: Registry): MetricFamilies {
  const registers = [registry];
  return {
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames, registers }),
    gauge: (name, help, labelNames) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name, help, labelNames, buckets) => new Histogram({ name, help, labelNames, buckets, registers }),
  };
}
