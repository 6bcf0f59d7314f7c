import { describe, expect, test } from "vitest";
import type { Condition, KubeObject, Running } from "../../apis/index.ts";
import { app, cluster, condition, entry, fine } from "../testing/statusObjects.ts";
import { formatStatus } from "./statusTable.ts";
import { buildReport, isHealthy } from "./statusView.ts";

/** Which objects and clusters `meridian status` calls well, and what it says of the others. */

const now = Date.parse("2026-11-21T08:30:00Z");
const ready = condition("Ready", "True", "Connected");
const lost = condition("Ready", "False", "ClusterUnreachable", "connection refused");

describe("an object is unhealthy", () => {
  test.each([
    { name: "when nobody reported on it", object: app("x", undefined), reason: "NotReported" },
    { name: "when a condition is missing", object: app("x", fine.slice(0, 3)), reason: "NotReported" },
    { name: "when its status speaks of an older spec", object: app("x", fine, [], {}, 2), reason: "NotReported" },
    {
      name: "when it is being deleted",
      object: app("x", fine, [], { deletionTimestamp: "2026-11-21T08:00:00Z" }),
      reason: "Deleting",
    },
    {
      name: "when a condition is unknown",
      object: app("x", [...fine.slice(0, 3), condition("Fresh", "Unknown", "NoContact")]),
      reason: "NoContact",
    },
    {
      name: "for the first cause in the chain",
      object: app("x", [
        condition("Scheduled", "False", "NoPlacement"),
        condition("Applied", "False", "B"),
        condition("Available", "False", "C"),
        condition("Fresh", "True"),
      ]),
      reason: "NoPlacement",
    },
  ])("$name", ({ object, reason }) => {
    const built = buildReport([object], []);
    expect(built.objects[0]).toMatchObject({ healthy: false, reason });
    expect(isHealthy(built)).toBe(false);
  });
});

test("of an object that is being deleted it says what that waits for, in full", () => {
  const since = "2026-11-21T08:00:00Z";
  const denied = {
    reason: "AdmissionDenied",
    message: `admission policy nodel: ${"change freeze ".repeat(6)}until Monday`,
  };
  const waits = { ...entry("a", "Removing", 0), ...denied };
  const said = [condition("Applied", "False", "Deleting"), condition("Progressing", "True", "Deleting", "a: cut…")];
  const [shop] = buildReport([app("shop", said, [waits], { deletionTimestamp: since })], []).objects;
  const why = `AdmissionDenied: ${denied.message}; goes on when the cluster allows it`;
  expect(shop).toMatchObject({ reason: "Deleting", message: `since ${since}: waits for a: ${why}` });
});

test("an object is not well while a change has not reached every cluster, and says at which stage it is", () => {
  const said = condition("Progressing", "False", "RolledBack", "stage canary: a (ImagePullBackOff) failed");
  const shop = app("shop", [...fine, said], [entry("a", "Available", 1)]);
  const withRollout = (state: string): KubeObject => ({
    ...shop,
    status: { ...(shop["status"] as object), rollout: { state, revision: 2 } },
  });
  const [rolledBack] = buildReport([withRollout("RolledBack")], []).objects;
  expect(rolledBack).toMatchObject({
    healthy: false,
    reason: "RolledBack",
    message: "stage canary: a (ImagePullBackOff) failed",
  });
  expect(buildReport([withRollout("Succeeded")], []).objects[0]?.healthy).toBe(true);
});

describe("an object that serves, and is not as it is to be everywhere", () => {
  const rolling = condition("Ready", "False", "RollingOut", "rolling out on a and b");
  const [progressing, degraded] = [entry("a", "Progressing", 2), entry("b", "Degraded", 2)];
  const binding = (conditions: Condition[]): KubeObject => ({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "ResourceBinding",
    metadata: { name: "any", namespace: "default" },
    spec: { resource: { apiVersion: "apps/v1", kind: "StatefulSet", namespace: "default", name: "zed", uid: "u" } },
    status: { observedGeneration: 3, conditions, clusters: [progressing] },
  });

  test.each([
    { name: "while a change rolls out", object: app("zed", [...fine, rolling], [progressing]), reason: "RollingOut" },
    {
      name: "after an outage of a member",
      object: app(
        "zed",
        [...fine, condition("Ready", "False", "PodsNotReady")],
        [entry("a", "Available", 2), degraded],
      ),
      reason: "PodsNotReady",
    },
    {
      name: "while nobody knows whether it is",
      object: app("zed", [...fine, condition("Ready", "Unknown", "NotPlanned")], [progressing]),
      reason: "NotPlanned",
    },
    { name: "though it is of another kind", object: binding([...fine, rolling]), reason: "RollingOut" },
  ])("is not well $name, and says why", ({ object, reason }) => {
    const built = buildReport([object], [cluster("a", ready)]);
    expect(built.objects[0]).toMatchObject({ healthy: false, reason });
    expect(isHealthy(built)).toBe(false);
    expect(formatStatus(built, { wide: false, color: false, now })).toMatch(
      new RegExp(`^[\\w/]+ +\\S+ +\\S+ +([\\w-]+:)?${reason} `, "m"),
    );
  });

  test("is told by the condition that is the cause, where one is", () => {
    const stale = [...fine.slice(0, 3), condition("Fresh", "False", "ClusterUnreachable"), rolling];
    expect(buildReport([app("zed", stale)], []).objects[0]?.reason).toBe("ClusterUnreachable");
  });

  test("is well as soon as it is Ready, suspended on purpose or not", () => {
    const conditions = [
      ...fine,
      condition("Progressing", "False", "Suspended", "suspended by its placement"),
      condition("Ready", "True", "AllClustersReady"),
    ];
    expect(buildReport([app("zed", conditions)], []).objects[0]).toMatchObject({ healthy: true, reason: "" });
  });

  test("is well by the other conditions where a manager of an older release writes no Ready", () => {
    expect(buildReport([app("zed", fine)], []).objects[0]?.healthy).toBe(true);
  });
});

test("all is well when every condition holds and every cluster is ready", () => {
  expect(isHealthy(buildReport([app("blog", fine, [entry("a", "Available", 1)])], [cluster("a", ready)]))).toBe(true);
  expect(isHealthy(buildReport([], [cluster("c", undefined)]))).toBe(false);
  expect(isHealthy(buildReport([], [cluster("b", lost)]))).toBe(false);
});

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
    expect(lines.find((line) => line.startsWith("default/shop"))).toContain(
      "nginx:2 wanted, nginx:1 runs on 1 of 2: rolled back",
    );
    expect(lines.find((line) => line.startsWith("default/blog"))).toContain("blog:7");
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

describe("what an object waits for", () => {
  const since = "2026-11-21T08:20:00Z";
  const rollout = { state: "Planned", since };
  const waiting = { ...app("shop", fine), status: { conditions: fine, rollout } };
  const wide = { wide: true, color: false, now };

  test("is in the wide table while some object waits", () => {
    const text = formatStatus(buildReport([waiting, app("blog", fine)], []), wide);
    expect(text).toMatch(/ WAITS +REASON\n/);
    expect(text).toMatch(
      new RegExp(`^default/shop .* for its turn among the rollouts of its policy since ${since} +`, "m"),
    );
    expect(formatStatus(buildReport([app("blog", fine)], []), wide)).not.toContain("WAITS");
    expect(formatStatus(buildReport([waiting], []), { ...wide, wide: false })).not.toContain("WAITS");
  });

  test("is data in the JSON, with the sentence", () => {
    const [shop, blog] = buildReport([waiting, app("blog", fine)], []).objects.toReversed();
    expect(shop?.waits).toEqual([
      { for: "turn", since, message: `for its turn among the rollouts of its policy since ${since}` },
    ]);
    expect(blog).not.toHaveProperty("waits");
  });
});
