import { describe, expect, test } from "vitest";
import type { KubeObject, Running } from "../../apis/index.ts";
import { formatStatus } from "../view/statusTable.ts";
import { buildReport } from "../view/statusView.ts";
import { app, condition, entry, fine } from "../testing/statusObjects.ts";

const now = Date.parse("2026-11-21T08:30:00Z");
const rolledBack = [...fine, condition("Progressing", "False", "RolledBack", "failed: a")];
const wanted = { image: "nginx:2", revision: 2 };

function running(object: KubeObject, runs: Running, state = "Succeeded"): KubeObject {
  const rollout = { state, revision: 2, lastGoodRevision: 1 };
  return { ...object, status: { ...(object["status"] as object), runs, rollout } };
}

const normal = running(app("blog", fine, [entry("a", "Available", 1)]), { summary: "blog:7" });
const back = running(
  app("shop", rolledBack, [
    entry("a", "Available", 2, { runs: { image: "nginx:1", revision: 1, wanted } }),
    entry("b", "Available", 2),
  ]),
  {
    summary: "nginx:1 on 1 of 2",
    clusters: 2,
    differing: 1,
    versions: [
      { ...wanted, wanted: true, clusters: 1 },
      { image: "nginx:1", revision: 1, clusters: 1 },
    ],
  },
  "RolledBack",
);

const table = (objects: KubeObject[], wide: boolean): string =>
  formatStatus(buildReport(objects, []), { wide, color: false, now });

describe("what runs, in the tables of status", () => {
  test("is said as soon as some object runs what is not wanted", () => {
    const lines = table([normal, back], false).split("\n");
    expect(lines.find((line) => line.startsWith("default     shop"))).toContain(
      "nginx:2 wanted, nginx:1 runs on 1 of 2: rolled back",
    );
    expect(lines.find((line) => line.startsWith("default     blog"))).toContain("blog:7");
  });

  test("takes no room while every cluster runs what is wanted, but in wide", () => {
    expect(table([normal], false)).not.toContain("RUNS");
    expect(table([normal], true)).toMatch(/RUNS(.|\n)*blog:7/);
  });

  test("is said of each cluster that differs", () => {
    expect(table([back], true)).toMatch(/ a +r-a .*nginx:1, wanted: nginx:2/);
    expect(table([back], true)).not.toMatch(/ b +r-b .*nginx/);
  });
});

test("the JSON has the versions, and the sentence", () => {
  const [shop] = buildReport([back], []).objects;
  expect(shop?.runs).toMatchObject({
    differing: 1,
    message: "nginx:2 wanted, nginx:1 runs on 1 of 2: rolled back",
    versions: [{ image: "nginx:2" }, { image: "nginx:1" }],
  });
  expect(buildReport([normal], []).objects[0]?.runs).toEqual({ summary: "blog:7" });
  expect(buildReport([app("old", fine)], []).objects[0]).not.toHaveProperty("runs");
});
