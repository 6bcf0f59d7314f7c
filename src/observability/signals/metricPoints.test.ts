import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { Counter, Gauge, Histogram } from "prom-client";
import { otlpMetric, partsOf } from "./metricPoints.ts";

const TIMES = { startedAt: 1_000, now: 61_000 };
const NANO = { startTimeUnixNano: "1000000000", timeUnixNano: "61000000000" };

describe("a metric for OTLP", () => {
  test("of a counter is a cumulative sum with its name and labels", async () => {
    const counter = new Counter({ name: "federation_x_total", help: "What.", labelNames: ["cause"], registers: [] });
    counter.inc({ cause: "failed" }, 3);
    const metric = otlpMetric(await counter.get(), TIMES);
    expect(metric).toEqual({
      name: "federation_x_total",
      description: "What.",
      unit: "",
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ ...NANO, asDouble: 3, attributes: [{ key: "cause", value: { stringValue: "failed" } }] }],
      },
    });
  });

  test("of a gauge has no point for a value that is no number", async () => {
    const gauge = new Gauge({ name: "age_seconds", help: "Age.", labelNames: ["of"], registers: [] });
    gauge.set({ of: "a" }, 1.5);
    gauge.set({ of: "b" }, Number.NaN);
    expect(otlpMetric(await gauge.get(), TIMES)).toMatchObject({
      unit: "s",
      gauge: { dataPoints: [{ asDouble: 1.5 }] },
    });
  });

  property.prop([
    fc.array(fc.record({ of: fc.constantFrom("a", "b"), value: fc.double({ min: 0, max: 20, noNaN: true }) })),
  ])("of a histogram counts each value in exactly one bucket", async (values) => {
    const buckets = [0.1, 1, 10];
    const histogram = new Histogram({ name: "took_seconds", help: "T.", labelNames: ["of"], buckets, registers: [] });
    for (const { of, value } of values) histogram.observe({ of }, value);
    const points = otlpMetric(await histogram.get(), TIMES).histogram?.dataPoints ?? [];
    expect(points).toHaveLength(new Set(values.map(({ of }) => of)).size);
    for (const { attributes, explicitBounds, bucketCounts, count, sum } of points) {
      const [of] = attributes.map(({ value }) => ("stringValue" in value ? value.stringValue : undefined));
      const mine = values.filter((one) => one.of === of).map(({ value }) => value);
      const bounds = [-1, ...buckets, Number.POSITIVE_INFINITY];
      const within = (index: number) => (value: number) =>
        value > (bounds[index] ?? 0) && value <= (bounds[index + 1] ?? 0);
      expect(explicitBounds).toEqual(buckets);
      expect(bucketCounts.map(Number)).toEqual(bucketCounts.map((_, index) => mine.filter(within(index)).length));
      expect(Number(count)).toBe(mine.length);
      expect(sum).toBeCloseTo(mine.reduce((total, value) => total + value, 0));
    }
  });

  property.prop([fc.nat(50), fc.integer({ min: 1, max: 20 })])("in parts loses no point", async (series, most) => {
    const gauge = new Gauge({ name: "many", help: "M.", labelNames: ["of"], registers: [] });
    for (let index = 0; index < series; index += 1) gauge.set({ of: `s${index}` }, index);
    const parts = [...partsOf(otlpMetric(await gauge.get(), TIMES), most)];
    expect(parts.every(({ points }) => points <= most)).toBe(true);
    const values = parts.flatMap(({ part }) => part.gauge?.dataPoints.map(({ asDouble }) => asDouble) ?? []);
    expect(values).toEqual(Array.from({ length: series }, (_, index) => index));
  });
});
