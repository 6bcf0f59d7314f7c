import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { createMetrics, type Metrics } from "../../src/observability/index.ts";
import { run } from "../envtest/index.ts";
import { prometheusHere } from "../envtest/prometheus.ts";
import { find, NAMESPACE, render, type Rendered } from "./chart.ts";
import { Autoscaler, type AutoscalerSpec } from "./autoscaler.ts";
import { evaluate, readScrape, type Series } from "./promql.ts";

/**
 * More than 5 errors a minute for 2 minutes add managers, from 2 to 6: the chart's recording rule over what real managers' metrics say when
 * scraped every 15 seconds, and what an HPA makes of the numbers.
 */

const SCRAPE = 15;
const ERRORS = "controller_runtime_reconcile_errors_total";
const PODS = ["meridian-7d9c5b6f4-abcde", "meridian-7d9c5b6f4-fghij"] as const;

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
}

let objects: Rendered[];
let rules: Rule[];
let hpa: AutoscalerSpec;

beforeAll(async () => {
  objects = await render(["--set", "autoscaling.enabled=true,prometheusRule.enabled=true"]);
  const { groups } = find(objects, "PrometheusRule").spec as unknown as { groups: { rules: Rule[] }[] };
  rules = groups.flatMap((group) => group.rules);
  hpa = find(objects, "HorizontalPodAutoscaler").spec as unknown as AutoscalerSpec;
});

function rule(of: Partial<Rule>): Rule {
  const found = rules.find(({ record, alert }) => record === of.record && alert === of.alert);
  if (found === undefined) throw new Error(`no rule ${of.record ?? of.alert}`);
  return found;
}

const recorded = () => rule({ record: "meridian:reconcile_errors:per_minute" });
const alert = () => rule({ alert: "MeridianReconcileErrors" });

/** Errors of one second, by controller; `leader` is the pod that has them. */
type Load = (second: number) => { leader: number; controllers: string[] };

/** What Prometheus holds after so many seconds. Only a pod that leads has controllers, and so the counter. */
async function scraped(seconds: number, load: Load): Promise<Series[]> {
  const pods: Metrics[] = PODS.map(() => createMetrics({ processMetrics: false }));
  const series = new Map<string, Series>();
  for (let second = 0; second <= seconds; second++) {
    const { leader, controllers } = load(second);
    const leading = pods[leader];
    for (const controller of ["placement", "cluster"]) {
      const metrics = leading?.controller(controller);
      for (const failing of controllers) if (failing === controller) metrics?.finished("error", 1);
    }
    if (second % SCRAPE !== 0) continue;
    for (const [index, metrics] of pods.entries()) {
      const { body } = await metrics.scrape();
      for (const { labels, value } of readScrape(body, { namespace: NAMESPACE, pod: PODS[index] ?? "" })) {
        if (labels["__name__"] !== ERRORS) continue;
        const key = JSON.stringify(labels);
        const one = series.get(key) ?? { labels, samples: [] };
        one.samples.push([second, value]);
        series.set(key, one);
      }
    }
  }
  return [...series.values()];
}

/** So many errors of one controller in each minute, evenly. */
const evenly = (perMinute: number): Load => {
  return (second) => ({ leader: 0, controllers: (second * perMinute) % 60 < perMinute ? ["placement"] : [] });
};

const times = (until: number): number[] => Array.from({ length: until / SCRAPE }, (_, index) => (index + 1) * SCRAPE);
const perMinute = (series: readonly Series[], time: number): number | undefined =>
  evaluate(recorded().expr, series, time).get("");

/** When the alert fires for the first time; undefined when it never does. */
function firesAt(series: readonly Series[], until: number): number | undefined {
  const bound = Number(/> (\d+)$/.exec(alert().expr)?.[1]);
  const lasting = Number(/^(\d+)m$/.exec(alert().for ?? "")?.[1]) * 60;
  let since: number | undefined;
  for (const time of times(until)) {
    const above = [...evaluate(alert().expr, series, time).values()].some((value) => value > bound);
    since = above ? (since ?? time) : undefined;
    if (since !== undefined && time - since >= lasting) return time;
  }
  return undefined;
}

/** Managers that the HPA wants over time, a number for each step of its loop. */
function scaled(series: readonly Series[], until: number): number[] {
  const autoscaler = new Autoscaler(hpa);
  return times(until).map((time) => autoscaler.step(time, perMinute(series, time)));
}

test("the HPA has the numbers, and asks for one number of the whole release", () => {
  expect(hpa).toMatchObject({
    minReplicas: 2,
    maxReplicas: 6,
    behavior: { scaleUp: { stabilizationWindowSeconds: 120 } },
    metrics: [
      {
        type: "Object",
        object: {
          describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "meridian" },
          metric: { name: "meridian_reconcile_errors_per_minute" },
          target: { type: "Value", value: "5" },
        },
      },
    ],
  });
  expect(recorded().labels).toEqual({ namespace: NAMESPACE, deployment: "meridian" });
  expect(alert()).toMatchObject({ expr: expect.stringMatching(/ > 5$/) as string, for: "2m" });
});

describe("with two managers of which one leads", () => {
  test("the metric is there, though the other has no such series, and counts exactly", async () => {
    const series = await scraped(300, evenly(6));
    expect(new Set(series.map(({ labels }) => labels["pod"]))).toEqual(new Set([PODS[0]]));
    for (const time of times(300).slice(5)) expect(perMinute(series, time)).toBeCloseTo(6, 6);
  });

  test("6 errors a minute add managers after 2 minutes, up to 6 and no more", async () => {
    const series = await scraped(1500, evenly(6));
    const wanted = scaled(series, 1500);
    const first = times(1500)[wanted.findIndex((replicas) => replicas > 2)] ?? 0;
    // The first minute has to be over before there is a number.
    expect(first).toBeGreaterThanOrEqual(150);
    expect(first).toBeLessThanOrEqual(210);
    expect(wanted.at(-1)).toBe(6);
    expect(Math.max(...wanted)).toBe(6);
    const fires = firesAt(series, 600) ?? 0;
    expect(fires).toBeGreaterThanOrEqual(150);
    expect(fires).toBeLessThanOrEqual(210);
  });

  test("errors of several controllers add up for the HPA", async () => {
    const series = await scraped(600, (second) => ({
      leader: 0,
      controllers: second % 20 === 0 ? ["placement"] : second % 20 === 10 ? ["cluster"] : [],
    }));
    expect(perMinute(series, 300)).toBeCloseTo(6, 6);
    expect(Math.max(...scaled(series, 600))).toBeGreaterThan(2);
    expect(firesAt(series, 600)).toBeUndefined();
  });

  test("5 errors a minute add none, however long", async () => {
    const series = await scraped(900, evenly(5));
    expect(perMinute(series, 600)).toBeCloseTo(5, 6);
    expect(new Set(scaled(series, 900))).toEqual(new Set([2]));
    expect(firesAt(series, 900)).toBeUndefined();
  });

  test("30 errors in half a minute add none: they are over before 2 minutes are", async () => {
    const series = await scraped(600, (second) => ({
      leader: 0,
      controllers: second >= 120 && second < 150 ? ["placement"] : [],
    }));
    expect(Math.max(...times(600).map((time) => perMinute(series, time) ?? 0))).toBeGreaterThan(20);
    expect(new Set(scaled(series, 600))).toEqual(new Set([2]));
    expect(firesAt(series, 600)).toBeUndefined();
  });

  test("errors go on counting when the other one takes over", async () => {
    const steady = evenly(12);
    const series = await scraped(600, (second) => ({ ...steady(second), leader: second < 300 ? 0 : 1 }));
    expect(new Set(series.map(({ labels }) => labels["pod"]))).toEqual(new Set(PODS));
    for (const time of times(600).slice(5)) expect(perMinute(series, time), `${time}`).toBeGreaterThan(5.5);
    expect(firesAt(series, 600)).toBeDefined();
  });

  test("the managers go again when the errors are over", async () => {
    const series = await scraped(1200, (second) =>
      second < 300 ? evenly(60)(second) : { leader: 0, controllers: [] },
    );
    const wanted = scaled(series, 1200);
    expect(Math.max(...wanted)).toBeGreaterThan(2);
    expect(wanted.at(-1)).toBe(2);
  });

  test("no number is no reason to change anything", () => {
    const autoscaler = new Autoscaler(hpa);
    expect(times(600).map((time) => autoscaler.step(time, undefined))).toEqual(times(600).map(() => 2));
  });
});

const promtool = await prometheusHere("promtool");
if (promtool === undefined) {
  process.stderr.write(
    "promtool is not here (`npm run promtool` builds it): the rules are evaluated by test/chart/promql.ts alone\n",
  );
}

describe.skipIf(promtool === undefined)("promtool agrees", () => {
  test.each([
    { name: "on 6 errors a minute", load: evenly(6), fires: true },
    { name: "on 5 errors a minute", load: evenly(5), fires: false },
  ])("$name", async ({ load, fires }) => {
    const series = await scraped(600, load);
    await using folder = await temporaryFolder("meridian-promtool-");
    const { spec } = find(objects, "PrometheusRule");
    await writeFile(join(folder.path, "rules.yaml"), stringify(spec));
    const at = times(600).slice(5);
    const labels = Object.entries(recorded().labels ?? {}).map(([key, value]) => `${key}="${value}"`);
    const expected = {
      exp_labels: { controller: "placement", severity: "warning" },
      exp_annotations: {
        summary: "Controller placement fails",
        description: "6 reconciles a minute of placement failed.",
        runbook_url: "charts/meridian/RUNBOOKS.md#meridianreconcileerrors",
      },
    };
    const tests = {
      rule_files: ["rules.yaml"],
      evaluation_interval: "15s",
      tests: [
        {
          interval: `${SCRAPE}s`,
          input_series: series.map(({ labels: of, samples }) => ({
            series: seriesName(of),
            values: samples.map(([, value]) => String(value)).join(" "),
          })),
          promql_expr_test: at.map((time) => ({
            expr: `round(${recorded().record}, 0.000001)`,
            eval_time: `${time}s`,
            exp_samples: [{ labels: `{${labels.join()}}`, value: Number((perMinute(series, time) ?? 0).toFixed(6)) }],
          })),
          alert_rule_test: [
            { eval_time: "10m", alertname: "MeridianReconcileErrors", exp_alerts: fires ? [expected] : [] },
          ],
        },
      ],
    };
    await writeFile(join(folder.path, "tests.yaml"), stringify(tests));
    const { code, stdout, stderr } = await run(promtool ?? "", ["test", "rules", join(folder.path, "tests.yaml")]);
    expect(code, stdout + stderr).toBe(0);
    const checked = await run(promtool ?? "", ["check", "rules", join(folder.path, "rules.yaml")]);
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
  });
});

function seriesName({ __name__: name, ...labels }: Record<string, string>): string {
  return `${name}{${Object.entries(labels)
    .map(([key, value]) => `${key}="${value}"`)
    .join()}}`;
}
