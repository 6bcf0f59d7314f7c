import { describe, expect, test } from "vitest";
import type { Placement } from "../../apis/index.ts";
import { condition, entry, objectReport } from "../testing/statusObjects.ts";
import type { ClusterReport, ObjectReport } from "../view/statusView.ts";
import { endOf, isLeftThere, remainingOn } from "./remaining.ts";
import { movedFrom, movedText } from "./moved.ts";
import { cordoned, DRAINING, drained, uncordoned } from "../plan/taints.ts";

const NOW = Date.parse("2026-11-22T08:00:00Z");
const other = { key: "maintenance", effect: "NoSchedule" as const };

describe("the taints of a cluster", () => {
  test("cordon, drain and uncordon leave other taints alone, and can be repeated", () => {
    const once = cordoned([other], NOW);
    expect(once).toEqual([
      other,
      { key: "federation.paas.cmft.com/unschedulable", effect: "NoSchedule", timeAdded: "2026-11-22T08:00:00Z" },
    ]);
    expect(cordoned(once, NOW + 5_000)).toBe(once);
    const twice = drained(once, NOW);
    expect(twice.map(({ effect }) => effect)).toEqual(["NoSchedule", "NoSchedule", "NoExecute"]);
    expect(drained(twice, NOW)).toBe(twice);
    expect(uncordoned(twice, NOW)).toEqual([other]);
    const none = [other];
    expect(uncordoned(none, NOW)).toBe(none);
  });
});

describe("what became of the objects of a drained cluster", () => {
  const object = (name: string, clusters: string[], desired: number): ObjectReport =>
    objectReport(name, {
      namespace: "shop",
      replicas: { desired, updated: 0, ready: 0, available: 0 },
      clusters: clusters.map((cluster) => entry(cluster, "Available", 1)),
    });
  const told = (before: ObjectReport[], after: ObjectReport[]) =>
    movedText(movedFrom("m1", { objects: before, clusters: [] }, { objects: after, clusters: [] }));

  test.each([
    {
      what: "moved to another cluster",
      after: object("web", ["m2"], 4),
      want: "demoapplication/web in shop: moved to m2\n",
    },
    {
      what: "moved with fewer replicas",
      after: object("web", ["m2"], 2),
      want: "demoapplication/web in shop: moved to m2; 4 replicas before, 2 now\n",
    },
    {
      what: "removed without a place elsewhere",
      after: object("web", [], 0),
      want: "demoapplication/web in shop: removed, and no other cluster took over (runs nowhere); 4 replicas before, 0 now\n",
    },
    { what: "still there", after: object("web", ["m1"], 4), want: "" },
    { what: "deleted meanwhile", after: undefined, want: "" },
  ])("$what", ({ after, want }) => {
    expect(told([object("web", ["m1"], 4)], after === undefined ? [] : [after])).toBe(want);
  });

  test("replicas go to the clusters that the object had", () => {
    expect(told([object("web", ["m1", "m2"], 10)], [object("web", ["m2"], 10)])).toBe(
      "demoapplication/web in shop: its 10 replicas run on its other clusters\n",
    );
    expect(told([object("web", ["m1", "m2"], 10)], [object("web", ["m2"], 8)])).toBe(
      "demoapplication/web in shop: removed, and no other cluster took over (runs on 1 cluster); 10 replicas before, 8 now\n",
    );
  });

  test("losses come first, and what was elsewhere is not named", () => {
    const before = [object("api", ["m1"], 1), object("far", ["m3"], 1), object("web", ["m1"], 1)];
    const after = [object("api", ["m2"], 1), object("far", ["m3"], 1), object("web", [], 0)];
    expect(told(before, after).match(/demoapplication\/\w+/g)).toEqual(["demoapplication/web", "demoapplication/api"]);
  });
});

describe("what is left on a cluster", () => {
  const object = (name: string, more: Partial<ObjectReport> = {}): ObjectReport =>
    objectReport(name, {
      namespace: "shop",
      placement: "Placement/where",
      conditions: [condition("Scheduled", "True")],
      clusters: [entry("m1", "Removing", 0, { message: "it serves until the object is available on m2" })],
      ...more,
    });
  const policy = (spec: object): Pick<Placement, "spec"> => ({ spec: spec as Placement["spec"] });
  const left = (objects: ObjectReport[], spec: object = {}, clusters: Partial<ClusterReport>[] = []) =>
    remainingOn(
      "m1",
      { objects, clusters: clusters as ClusterReport[] },
      new Map([["Placement/where shop", policy(spec)]]),
      DRAINING,
    );

  test("is nothing of what has come to its end: it stays, and nobody waits for it", () => {
    const done = object("done", { finishedOn: ["m1"] });
    const elsewhere = object("web", { finishedOn: ["m2"] });
    expect(left([done, elsewhere])).toMatchObject({
      leaving: [{ object: "demoapplication/web in shop" }],
      staying: [],
    });
  });

  test("leaves, with why it has not left yet", () => {
    expect(left([object("web"), object("api", { clusters: [] })])).toEqual({
      leaving: [{ object: "demoapplication/web in shop", why: "it serves until the object is available on m2" }],
      staying: [],
    });
  });

  test("copies of objects that the hub lacks, and the cluster is not drained", () => {
    const lost = left([], {}, [{ name: "m0" }, { name: "m1", held: "hub lacks 12 objects" }]);
    expect(lost).toEqual({ leaving: [], staying: [], held: "hub lacks 12 objects" });
    expect(endOf(lost)).toBe("cordoned, but not empty: copies without an object on the hub stay there");
    expect(isLeftThere(lost)).toBe(true);
    expect(isLeftThere(left([], {}, [{ name: "m0", held: "hub lacks 12 objects" }]))).toBe(false);
  });

  test("counts on a fleet so large that the status does not list each cluster", () => {
    const many = object("web", { clusters: [], unlistedClusters: ["m0", "m1"] });
    expect(left([many, object("api", { clusters: [], unlistedClusters: ["m0"] })])).toEqual({
      leaving: [{ object: "demoapplication/web in shop", why: "it runs there" }],
      staying: [],
    });
  });

  test.each([
    { why: "Placement/where tolerates the drain", spec: { tolerations: [{ operator: "Exists" }] }, more: {} },
    { why: "Placement/where is suspended", spec: { suspend: true }, more: {} },
    {
      why: "no cluster fits: cordoned",
      spec: {},
      more: { conditions: [{ type: "Scheduled", status: "False", message: "no cluster fits: cordoned" }] },
    },
    {
      why: "it stays with its data",
      spec: {},
      more: { clusters: [{ name: "m1", state: "Held", reason: "HoldsData", message: "it stays with its data" }] },
    },
    {
      why: "CustomObjectsExist",
      spec: {},
      more: { clusters: [{ name: "m1", state: "Held", reason: "CustomObjectsExist" }] },
    },
    { why: "Held", spec: {}, more: { clusters: [{ name: "m1", state: "Held" }] } },
  ])("stays: $why", ({ why, spec, more }) => {
    const stays = left([object("web", more as Partial<ObjectReport>)], spec);
    expect(isLeftThere(stays)).toBe(true);
    expect(endOf(stays)).toBe("cordoned, but not empty: 1 object stays there");
    expect(stays).toEqual({
      leaving: [],
      staying: [{ object: "demoapplication/web in shop", why }],
    });
  });
});
