import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { causesOf } from "./statusCauses.ts";
import { formatStatus } from "./statusTable.ts";
import { buildReport } from "./statusView.ts";
import { app, cluster, condition, entry, fine } from "../testing/statusObjects.ts";

const now = Date.parse("2026-11-21T08:30:00Z");
const lost = condition("Ready", "False", "ClusterUnreachable", "connection refused");
const ready = condition("Ready", "True", "Connected");
const since = (minute: number) => ({ since: `2026-11-21T08:${minute}:00Z` });
const names = Array.from({ length: 12 }, (_, index) => `r${String(index).padStart(2, "0")}`);

/** Twelve regions, of which ten cannot pull the image, one is over its quota, and one is lost. */
function billing(): KubeObject {
  const entries = names.map((name, index) =>
    index < 10
      ? entry(name, "Degraded", 2, { reason: "ImagePullBackOff", message: "no such image", ...since(20 + index) })
      : index === 10
        ? entry(name, "Degraded", 2, { reason: "QuotaExceeded", message: "pods", ...since(10) })
        : entry(name, "Unknown", 2, { reason: "ClusterUnreachable", message: "connection refused", ...since(12) }),
  );
  return app("billing", [...fine.slice(0, 2), condition("Available", "False", "ClusterUnreachable"), lost], entries);
}
const report = buildReport(
  [billing()],
  [...names.slice(0, 11).map((name) => cluster(name, ready)), cluster("r11", lost)],
);

describe("an object that several causes keep from being well", () => {
  test("counts each of them, the worst for users first", () => {
    expect(report.objects[0]).toMatchObject({
      reason: "ImagePullBackOff",
      reasons: [
        { reason: "ImagePullBackOff", clusters: 10 },
        { reason: "QuotaExceeded", clusters: 1 },
        { reason: "ClusterUnreachable", clusters: 1 },
      ],
      since: "2026-11-21T08:25:00Z",
    });
    const text = formatStatus(report, { wide: false, color: false, now });
    expect(text).toMatch(/^default\/billing +0\/24 +0\/12 +r00:ImagePullBackOff +5m +gen 1 +18m$/m);
  });

  test("comes after its causes, each with its clusters, objects, time and next step", () => {
    const lines = formatStatus(report, { wide: false, color: false, now }).split("\n").slice(0, 10);
    expect(lines.filter((line) => !line.startsWith("  next: "))).toEqual([
      "TROUBLE",
      "ImagePullBackOff: default/billing in 10 clusters since 08:20 UTC (10m)",
      "  default/billing in r00, r01, r02 and 7 more: no such image",
      "QuotaExceeded: default/billing in r10 since 08:10 UTC (20m)",
      "  pods",
      "ClusterUnreachable: default/billing in r11 since 08:12 UTC (18m)",
      "  connection refused",
    ]);
    for (const { nextStep } of causesOf(report)) expect(nextStep.length).toBeGreaterThan(20);
    expect(causesOf(report)[2]?.nextStep).toContain("meridian unjoin r11");
  });
});

test("a cause that is no matter of clusters names the object only", () => {
  const unplaced = app("lonely", [condition("Scheduled", "False", "NoPlacement", "none selects it"), ...fine.slice(1)]);
  expect(causesOf(buildReport([unplaced], []))).toEqual([
    {
      reason: "NoPlacement",
      standing: "Trouble",
      shape: "none selects it",
      message: "none selects it",
      clusters: [],
      objects: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "lonely" }],
      since: "2026-11-21T08:25:00Z",
      nextStep: "apply a Placement that selects the object",
    },
  ]);
});

test("what is under way is no cause, and is said of an object where nothing else is", () => {
  const rolling = condition("Ready", "False", "RollingOut", "rolling out on a");
  const moving = entry("a", "Progressing", 2, { reason: "RollingOut" });
  const other = entry("b", "Degraded", 2, { reason: "CrashLoopBackOff" });
  const alone = buildReport([app("zed", [...fine, rolling], [moving, entry("b", "Available", 2)])], []);
  expect(causesOf(alone)).toEqual([]);
  expect(alone.objects[0]?.reasons).toEqual([{ reason: "RollingOut", clusters: 1 }]);
  const both = buildReport([app("zed", [...fine, rolling], [moving, other])], []);
  expect(both.objects[0]?.reasons).toEqual([{ reason: "CrashLoopBackOff", clusters: 1 }]);
});

test("a cluster that leaves and waits for a word is a cause", () => {
  const going = cluster("a", ready);
  const waits = condition("Removed", "False", "DeletionPolicyMissing", "say Drain or Orphan");
  const object = {
    ...going,
    metadata: { ...going.metadata, deletionTimestamp: "2026-11-21T08:00:00Z" },
    status: { conditions: [ready, waits] },
  };
  expect(causesOf(buildReport([], [object]))).toMatchObject([{ reason: "DeletionPolicyMissing", clusters: ["a"] }]);
});

test("nothing is wrong where all is well", () => {
  const well = buildReport([app("blog", fine, [entry("a", "Available", 1)])], [cluster("a", ready)]);
  expect(causesOf(well)).toEqual([]);
  expect(well.objects[0]).toMatchObject({ reasons: [], since: "" });
});
