import { describe, expect, test } from "vitest";
import type { Placement } from "../../apis/index.ts";
import type { ClusterReport, ObjectReport } from "../statusView.ts";
import { endOf, isLeftThere, remainingOn } from "./remaining.ts";
import { cordoned, DRAINING, drained, uncordoned } from "./taints.ts";

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

describe("what is left on a cluster", () => {
  const object = (name: string, more: Partial<ObjectReport> = {}): ObjectReport =>
    ({
      kind: "DemoApplication",
      namespace: "shop",
      name,
      placement: "Placement/where",
      conditions: [{ type: "Scheduled", status: "True" }],
      clusters: [{ name: "m1", state: "Removing", message: "it serves until the object is available on m2" }],
      unlistedClusters: [],
      ...more,
    }) as ObjectReport;
  const policy = (spec: object): Pick<Placement, "spec"> => ({ spec: spec as Placement["spec"] });
  const left = (objects: ObjectReport[], spec: object = {}, clusters: Partial<ClusterReport>[] = []) =>
    remainingOn(
      "m1",
      { objects, clusters: clusters as ClusterReport[] },
      new Map([["Placement/where shop", policy(spec)]]),
      DRAINING,
    );

  test("leaves, with why it has not left yet", () => {
    expect(left([object("web"), object("api", { clusters: [] })])).toEqual({
      leaving: [{ object: "demoapplication/web in shop", why: "it serves until the object is available on m2" }],
      staying: [],
    });
  });

  test("nothing, and the cluster is drained", () => {
    expect(endOf(left([]))).toBe("drained");
    expect(isLeftThere(left([]))).toBe(false);
  });

  test("copies of objects that the hub lacks, and the cluster is not drained", () => {
    const lost = left([], {}, [{ name: "m0" }, { name: "m1", held: "hub lacks 12 objects" }]);
    expect(lost).toEqual({ leaving: [], staying: [], held: "hub lacks 12 objects" });
    expect(endOf(lost)).toBe("cordoned, but not empty: copies stay there that the hub has no object for");
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
