import { describe, expect, test } from "vitest";
import { namesIn } from "../apis/index.ts";
import { aggregate } from "./aggregate.ts";
import { after, inputOf, refused, row, T0, unhealthy, view } from "./testing/builders.ts";

const nameOf = (index: number): string =>
  `cluster-with-a-rather-long-name-in-some-region-${String(index).padStart(4, "0")}`;
const many = (count: number, more: Parameters<typeof view>[1] = {}) =>
  Array.from({ length: count }, (_, index) => view(nameOf(index), { region: `region-${index % 7}`, ...more }));

describe("a status of very many clusters", () => {
  test.each([
    { name: "that are lost", more: { contact: { ...refused, message: "x".repeat(2_000) } } },
    { name: "that are healthy", more: {} },
  ])("$name stays far below what etcd takes, and names all of them", ({ more }) => {
    const input = inputOf(many(5_000, more));
    const status = aggregate(input, T0);
    expect(JSON.stringify(status).length).toBeLessThan(600_000);
    expect(namesIn(status).size).toBe(5_000);
    expect(status.summary?.reduce((sum, { clusters }) => sum + clusters, 0)).toBe(status.unlistedClusters?.length);
    expect(aggregate(after(input, status), T0)).toEqual(status);
  });

  test("of a hundred clusters stays far below what an object may hold, whatever they report", () => {
    const long = (type: string) => ({
      type: type.repeat(60),
      status: "False" as const,
      reason: "R".repeat(63),
      message: "m".repeat(120),
    });
    const conditions = Array.from({ length: 8 }, (_, index) => long(String.fromCharCode(65 + index)));
    const addresses = Array.from({ length: 8 }, () => ({ type: "LoadBalancer" as const, host: "h".repeat(253) }));
    const rows = [row({ health: unhealthy("Degraded", 1), conditions, addresses })];
    const views = Array.from({ length: 100 }, (_, index) => view(`c${index}`, { rows }));
    expect(JSON.stringify(aggregate(inputOf(views), T0)).length).toBeLessThan(700_000);
  });
});
