import { describe, expect, test } from "vitest";
import { parsePrometheusText, valuesBy } from "../testing/prometheusText.ts";
import { createMetrics, type Metrics } from "./metrics.ts";

const VERBS = ["get", "list", "watch", "create", "apply", "patch", "delete", "raw"];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const LOAD = { isBreakerOpen: true, silentKinds: 2, queued: 3, oldestMs: 4_000 };

/** Everything that can be measured of a member, which answers with any code. */
function measure(metrics: Metrics, cluster: string, codes: number): void {
  metrics.setMemberReady(cluster, true);
  metrics.setStatusStaleness(cluster, 1);
  metrics.setDeletionsHeld(cluster, false);
  metrics.setMemberLoad(cluster, LOAD);
  metrics.breakerTripped(cluster);
  for (let index = 0; index < codes; index += 1) {
    const method = METHODS[index % METHODS.length] ?? "GET";
    const verb = VERBS[index % VERBS.length] ?? "get";
    metrics.observeRequest({ cluster, method, verb, code: 200 + index, resource: "deployments", ms: 12 });
  }
}

async function seriesOf(metrics: Metrics): Promise<{ total: number; byCluster: Map<string, number> }> {
  const byCluster = new Map<string, number>();
  let total = 0;
  for await (const { values } of metrics.families())
    for (const { labels } of values) {
      total += 1;
      const cluster = String(labels["cluster"] ?? labels["scope"] ?? "");
      byCluster.set(cluster, (byCluster.get(cluster) ?? 0) + 1);
    }
  byCluster.delete("");
  return { total, byCluster };
}

describe("the series of members", () => {
  test("are at most 100 for each of 1,000 members, whatever their servers answer", async () => {
    const metrics = createMetrics({ processMetrics: false });
    for (let index = 0; index < 1_000; index += 1) measure(metrics, `member-${index}`, 40);
    const { total, byCluster } = await seriesOf(metrics);
    expect(byCluster.size).toBe(1_000);
    expect(Math.max(...byCluster.values())).toBeLessThanOrEqual(100);
    // Few are of the fleet as a whole.
    expect(total - [...byCluster.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(200);
  });

  test("go with the member", async () => {
    const metrics = createMetrics({ processMetrics: false });
    measure(metrics, "gone", 600);
    metrics.forgetCluster("gone");
    expect((await seriesOf(metrics)).byCluster.size).toBe(0);
  });

  test("lose no request: a code too many counts as other", async () => {
    const metrics = createMetrics({ processMetrics: false });
    measure(metrics, "odd", 300);
    measure(metrics, "odd", 300);
    const families = parsePrometheusText((await metrics.scrape()).body);
    const byCode = valuesBy(families, "rest_client_requests_total", "code");
    expect(Object.values(byCode).reduce((sum, count) => sum + count, 0)).toBe(600);
    expect(byCode).toMatchObject({ 200: 2, other: 560 });
  });
});

test("the load of a member is its breaker, its silent kinds and its queue", async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.setMemberLoad("frankfurt", LOAD);
  const before = (await metrics.scrape()).body;
  metrics.breakerTripped("frankfurt");
  expect(before).toContain('federation_member_breaker_trips_total{cluster="frankfurt"} 0');
  for (const line of [
    "breaker_open 1",
    "breaker_trips_total 1",
    "silent_kinds 2",
    "queue_depth 3",
    "queue_oldest_seconds 4",
  ]) {
    const [name, value] = line.split(" ");
    expect((await metrics.scrape()).body).toContain(`federation_member_${name}{cluster="frankfurt"} ${value}`);
  }
});

describe("objectives", () => {
  const objectives = { propagatedMs: 20_000, freshMs: 45_000 };
  const counted = async (metrics: Metrics) => {
    const families = parsePrometheusText((await metrics.scrape()).body);
    const of = (name: string) => valuesBy(families, `federation_objective_${name}`, "objective");
    return { total: of("events_total"), good: of("good_events_total"), seconds: of("seconds"), families };
  };

  test("count changes and ages, and those within the objective as good", async () => {
    const metrics = createMetrics({ processMetrics: false, objectives });
    for (const ms of [1_000, 20_000, 20_001]) metrics.observePropagation(ms);
    metrics.observePropagation(3_600_000, false);
    metrics.propagationLate(2);
    for (const ms of [0, 45_000, 60_000, 70_000]) metrics.observeMemberAge(ms);
    expect(await counted(metrics)).toMatchObject({
      total: { propagated: 5, fresh: 4 },
      good: { propagated: 2, fresh: 2 },
      seconds: { propagated: 20, fresh: 45 },
    });
  });

  test("begin at 0, so that a rate sees the first event", async () => {
    const { total, good } = await counted(createMetrics({ processMetrics: false }));
    expect([total, good]).toEqual(Array(2).fill({ propagated: 0, fresh: 0 }));
  });

  test.each([
    { metric: "federation_propagation_duration_seconds", bound: "20" },
    { metric: "federation_member_age_seconds", bound: "45" },
  ])("end a bucket of $metric", async ({ metric, bound }) => {
    const metrics = createMetrics({ processMetrics: false, objectives });
    metrics.observePropagation(1);
    metrics.observeMemberAge(1);
    const { families } = await counted(metrics);
    expect(valuesBy(families, `${metric}_bucket`, "le")).toHaveProperty([bound], 1);
  });
});

test("waits and rollouts are counted by kind and state, and a process that leads no more has none", async () => {
  const metrics = createMetrics({ processMetrics: false });
  const scraped = async (name: string, label: string) =>
    valuesBy(parsePrometheusText((await metrics.scrape()).body), name, label);
  metrics.setWaits(
    new Map([
      ["contact", { objects: 2, since: 1_000 }],
      ["turn", { objects: 0, since: Infinity }],
    ]),
    6_000,
  );
  metrics.setRollouts(new Map([["Progressing", 3]]));
  expect(await scraped("federation_waits", "for")).toEqual({ contact: 2, turn: 0 });
  expect(await scraped("federation_wait_oldest_seconds", "for")).toEqual({ contact: 5, turn: 0 });
  expect(await scraped("federation_rollouts", "state")).toEqual({ Progressing: 3 });
  metrics.setRollouts(new Map([["Paused", 1]]));
  expect(await scraped("federation_rollouts", "state")).toEqual({ Paused: 1 });
  metrics.forgetObjects();
  expect(await scraped("federation_waits", "for")).toEqual({});
  expect(await scraped("federation_rollouts", "state")).toEqual({});
});
