import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import type { KubeObject } from "../../src/apis/index.ts";
import { createMetrics } from "../../src/observability/index.ts";
import { chartFile, find, render } from "./chart.ts";
import { dashboardFiles } from "./dashboards/index.ts";

/** Metrics that the hub's API server counts itself. */
const OF_API_SERVERS: ReadonlySet<string> = new Set([
  "apiserver_admission_webhook_rejection_count",
  "apiserver_admission_webhook_fail_open_count",
]);

interface Dashboard {
  panels: { targets?: { expr: string }[] }[];
}

const expressionsOf = ({ targets = [] }: Dashboard["panels"][number]): string[] => targets.map(({ expr }) => expr);

test("alerts and dashboards ask for metrics that exist", async () => {
  const names = new Set((await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name));
  const rules = await Promise.all(["alerts", "recording"].map((name) => chartFile(`files/${name}.yaml`)));
  const groups = (rules as { groups: { rules: { expr: string }[] }[] }[]).flatMap((file) => file.groups);
  const expressions = [
    ...Object.values(dashboardFiles()).flatMap((text) => (JSON.parse(text) as Dashboard).panels.flatMap(expressionsOf)),
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ];
  const asked = expressions.flatMap((text) =>
    [...text.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?=[{[])/g)].map(([name]) =>
      OF_API_SERVERS.has(name) ? name : name.replace(/_(?:bucket|count)$/, ""),
    ),
  );
  expect(asked.length).toBeGreaterThanOrEqual(expressions.length);
  // Those of the hub's API server are counted there.
  expect([...new Set(asked)].filter((name) => !names.has(name) && !OF_API_SERVERS.has(name))).toEqual([]);
});

test("the sidecar of Grafana finds every dashboard, with its queries untouched", async () => {
  const objects = await render(["--set", "dashboard.enabled=true,dashboard.labels.team=sre"]);
  const map = find(objects, "ConfigMap", "meridian-dashboard") as unknown as KubeObject & {
    data: Record<string, string>;
  };
  expect(map.metadata.labels).toMatchObject({ grafana_dashboard: "1", team: "sre" });
  const shown = Object.entries(map.data).map(([file, text]) => [file.replace(/^meridian-/, ""), JSON.parse(text)]);
  const files = Object.entries(dashboardFiles()).map(([file, text]) => [file, JSON.parse(text)]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(files));
});

describe("the rules of Prometheus", () => {
  interface Rule {
    alert?: string;
    record?: string;
    expr: string;
    for?: string;
    annotations?: { runbook_url: string };
  }
  const rulesOf = async (...set: string[]): Promise<Rule[]> => {
    const objects = await render(["prometheusRule.enabled=true", ...set].flatMap((value) => ["--set", value]));
    const { groups } = find(objects, "PrometheusRule").spec as unknown as { groups: { rules: Rule[] }[] };
    return groups.flatMap(({ rules }) => rules);
  };
  const named = (rules: Rule[]) => rules.map(({ alert }) => alert);

  test("ask for the series of one release, so that two do not hide each other's trouble", async () => {
    for (const { alert, record, expr } of await rulesOf("leaderElection.leaseName=lease", "fullnameOverride=fed")) {
      expect(expr).not.toMatch(/\$|job=/);
      if (alert === "MeridianWebhookUnreachable") continue;
      const series = [...expr.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+(?=\{)/g)];
      expect(series.length, expr).toBeGreaterThan(0);
      const own =
        alert === "MeridianNoLeader"
          ? 'namespace="meridian-system",name="lease"'
          : 'namespace="meridian-system",pod=~"fed-[a-z0-9]+-[a-z0-9]+"';
      expect(expr.split(`{${own}`).length - 1, alert ?? record).toBe(series.length);
    }
  });

  test("miss a leader only where one is elected", async () => {
    expect(named(await rulesOf())).toContain("MeridianNoLeader");
    const alone = named(await rulesOf("leaderElection.enabled=false", "replicas=1"));
    expect(alone).not.toContain("MeridianNoLeader");
    expect(alone).toContain("MeridianReconcileErrors");
  });

  test.each([
    { set: "resources.requests.cpu=1", bytes: "512 * 1024 ^ 2" },
    { set: "resources.limits.memory=1.5Gi", bytes: "1.5 * 1024 ^ 3" },
    { set: "resources.limits.memory=900M", bytes: "900 * 1000 ^ 2" },
    { set: "resources.limits.memory=600000Ki", bytes: "600000 * 1024 ^ 1" },
    { set: "resources.limits.memory=1073741824", bytes: "1073741824 * 1" },
  ])("know the memory limit of $set", async ({ set, bytes }) => {
    const rule = (await rulesOf(set)).find(({ alert }) => alert === "MeridianManagerMemory");
    expect(rule?.expr.endsWith(` > 0.9 * ${bytes}`), rule?.expr).toBe(true);
  });

  test("know a limit from a file of values, where Helm reads numbers as floats", async () => {
    await using folder = await temporaryFolder("meridian-values-");
    const file = join(folder.path, "values.yaml");
    await writeFile(file, "resources: {limits: {memory: 1073741824}}\nprometheusRule: {enabled: true}\n");
    const { groups } = find(await render(["--values", file]), "PrometheusRule").spec as { groups: { rules: Rule[] }[] };
    const rule = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === "MeridianManagerMemory");
    expect(rule?.expr).toContain(" > 0.9 * 1073741824 * 1");
  });

  test("say nothing about memory where there is no limit", async () => {
    expect(named(await rulesOf("resources.limits.memory=null"))).not.toContain("MeridianManagerMemory");
  });

  test("link to the section of the page of runbooks, wherever that page is", async () => {
    for (const { alert, annotations } of await rulesOf("prometheusRule.runbooks=https://git.example.com/R.md")) {
      if (alert === undefined) continue;
      expect(annotations?.runbook_url).toBe(`https://git.example.com/R.md#${alert.toLowerCase()}`);
    }
  });
});
