import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "../envtest/index.ts";
import { type Dashboard, expressionsOf } from "./dashboards.ts";
import { complaintOf } from "./promtool.ts";

const FOLDER = join(REPOSITORY, "charts/meridian/files/dashboards");
const files = (await readdir(FOLDER)).sort();

test("there is one of the fleet, of a cluster, and of applications", () => {
  expect(files).toEqual(["application.json", "cluster.json", "fleet.json"]);
});

describe.each(files)("%s", async (file) => {
  const text = await readFile(join(FOLDER, file), "utf8");
  const dashboard = JSON.parse(text) as Dashboard;
  const panels = dashboard.panels.filter(({ type }) => type !== "row");

  test("has queries that Prometheus can parse", async () => {
    const rules = expressionsOf(dashboard).map((expr, index) => ({ record: `query:${index}`, expr }));
    expect(rules.length).toBeGreaterThanOrEqual(panels.length);
    expect(
      await complaintOf(["check", "rules", "rules.yaml"], { "rules.yaml": { groups: [{ name: file, rules }] } }),
    ).toBe("");
  });

  test("says which version of Grafana's schema it is of, and leaves its uid to Grafana", () => {
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    expect(dashboard).not.toHaveProperty("uid");
    expect(dashboard).not.toHaveProperty("id");
    expect(new Set([...text.matchAll(/"uid": "([^"]*)"/g)].map(([, uid]) => uid))).toEqual(new Set(["${datasource}"]));
  });

  test("uses the variables that it has, and has those that it uses", () => {
    const has = dashboard.templating.list.map(({ name }) => name);
    expect(has[0]).toBe("datasource");
    const used = [...text.matchAll(/\$\{?(\w+)/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !name.startsWith("__"));
    expect(new Set(used)).toEqual(new Set(has));
  });

  test("explains each panel, and no two lie on the same place", () => {
    for (const { title, description } of panels) expect(description, title).toMatch(/^[\w<].*\.$/);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const [index, { gridPos: one, title }] of dashboard.panels.entries()) {
      expect(one.x + one.w, title).toBeLessThanOrEqual(24);
      const over = dashboard.panels.slice(index + 1).filter(({ gridPos: other }) => overlap(one, other));
      expect(
        over.map((panel) => panel.title),
        title,
      ).toEqual([]);
    }
  });
});

type Place = Dashboard["panels"][number]["gridPos"];

function overlap(one: Place, other: Place): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
}
