import { describe, expect, test } from "vitest";
import type { Condition, KubeObject } from "../../apis/index.ts";
import { formatStatus } from "../view/statusTable.ts";
import { buildReport, isHealthy } from "../view/statusView.ts";
import { app, cluster, condition, entry, fine } from "../testing/statusObjects.ts";

/** Which objects and clusters `meridian status` calls well, and what it says of the others. */

const now = Date.parse("2026-11-21T08:30:00Z");
const ready = condition("Ready", "True", "Connected");
const lost = condition("Ready", "False", "ClusterUnreachable", "connection refused");

describe("an object is unhealthy", () => {
  test.each([
    { name: "when nobody reported on it", object: app("x", undefined), reason: "NotReported" },
    { name: "when a condition is missing", object: app("x", fine.slice(0, 3)), reason: "NotReported" },
    { name: "when its status speaks of an older spec", object: app("x", fine, [], {}, 2), reason: "NotObserved" },
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
  const why = `AdmissionDenied: ${denied.message} (goes on when the cluster allows it)`;
  expect(shop).toMatchObject({ reason: "Deleting", message: `waits for a since ${since}: ${why}` });
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
    expect(formatStatus(built, { wide: false, color: false, now })).toContain(`   ${reason}\n`);
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
