import { describe, expect, test } from "vitest";
import { type FederatedStatus, FIRST_RECORD_ANNOTATION, type KubeObject, type Placement } from "../../apis/index.ts";
import {
  assembleSnapshot,
  AWAITING_REPLACEMENT,
  isReleasedFrom,
  type Observation,
  previousOf,
  type ResolvedNeeds,
  type Row,
  type Target,
} from "../../desiredstate/index.ts";
import { applyRow, CLUSTER, CONFIG_REF, deleteRow, holdRow, observation } from "../testing/builders.ts";
import { copySources, hubObject, leaving, member, planOn } from "../testing/copySources.ts";
import { placementObject } from "../../../test/builders/policyObjects.ts";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";

test.each<[string, object | undefined, object | undefined, object | undefined]>([
  ["nothing of a new object", undefined, undefined, undefined],
  ["its status", undefined, { observedGeneration: 3 }, { observedGeneration: 3 }],
  ["the deletion policy of its first record", { deletionPolicy: "Orphan" }, undefined, { deletionPolicy: "Orphan" }],
  [
    "that policy beside the status of another writer",
    { deletionPolicy: "Orphan" },
    { selector: "app=shop" },
    { selector: "app=shop", deletionPolicy: "Orphan" },
  ],
])("the previous status is %s", (_, record, status, want) => {
  const annotations = record && { [FIRST_RECORD_ANNOTATION]: JSON.stringify({ clusters: ["a"], ...record }) };
  const metadata = { name: "shop", ...(annotations === undefined ? {} : { annotations }) };
  const object: KubeObject = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata };
  expect(previousOf(object, status as FederatedStatus | undefined)).toEqual(want);
});

describe("the snapshot that a plan is made of", () => {
  const SETTING = { namespaceLabels: { team: "shop" } };
  const sourcesOf = (found: KubeObject, more: object = {}) => {
    const all = copySources();
    const key = all.have(found);
    Object.assign(all.sources.hub, {
      allPlacements: () => ["placement"],
      allOverrides: () => ["override"],
      clusterSnapshots: () => ["cluster"],
      planned: { settingOf: () => SETTING },
    });
    Object.assign(all.known, more);
    return { ...all, key, running: () => [...(assembleSnapshot(all.hubState, found).running ?? [])] };
  };

  test.each([
    { name: "not where only a sum is known: what was seen is not all", status: { summary: [] }, want: undefined },
    { name: "where the rest is named beside the sum", status: { summary: [], unlistedClusters: ["x"] }, want: [] },
  ])("says where copies were seen, $name", ({ status, want }) => {
    const found = hubObject("shop", [], status);
    const { hubState } = sourcesOf(found);
    const { running } = assembleSnapshot(hubState, found);
    expect(running === undefined ? undefined : [...running]).toEqual(want);
  });
  const unwanted = (reason: string) => holdRow({ wanted: false, why: { reason, message: "" } });
  test.each<[string, Row | undefined, string[], boolean?, string[]?]>([
    ["a copy before the first plan", undefined, [CLUSTER], false],
    ["a copy that its row applies", applyRow(), [CLUSTER]],
    ["no copy without a row", undefined, []],
    ["no copy to be removed", deleteRow(), []],
    ["a copy that serves until its replacement does", unwanted(AWAITING_REPLACEMENT), [CLUSTER]],
    ["no copy on a cluster outside the record", applyRow(), [], true, []],
    ["no copy from before the join", unwanted("FoundOnJoin"), [], false],
  ])("counts as running %s", (_, row, want, planned = true, recorded = [CLUSTER]) => {
    const all = sourcesOf(hubObject("shop", recorded));
    all.join(member(CLUSTER, { creationTimestamp: "2026-01-02T00:00:00Z" }));
    all.observations.report(CLUSTER, [observation({ present: { createdAt: "2026-01-01T00:00:00Z" } })]);
    if (planned) all.states.setPlan(all.key, planOn([CLUSTER]));
    if (row !== undefined) all.assignments.replace(all.key, [row]);
    expect(all.running()).toEqual(want);
  });
});

describe("an object without a record", () => {
  const setUp = (more: Parameters<typeof hubObject>[2] = {}) => {
    const all = copySources();
    const found = { ...hubObject("shop"), status: more } as KubeObject;
    const key = all.have(found);
    const { hubState } = all;
    const seen = () => {
      const { running, found: copies } = assembleSnapshot(hubState, found);
      return { running: [...(running ?? [])], found: copies?.map(({ cluster }) => cluster) };
    };
    const copies = () => assembleSnapshot(hubState, found).found;
    return { ...all, key, seen, copies, uid: found.metadata.uid };
  };
  const shown = {
    health: { state: "Available" as const, replicas: { desired: 3, updated: 3, ready: 3, available: 3 } },
  };

  test("is found where members hold copies of it, whatever its rows were before", () => {
    const all = setUp();
    all.observations.report(CLUSTER, [observation({ present: shown })]);
    expect(all.seen()).toEqual({ running: [], found: [CLUSTER] });
    all.assignments.replace(all.key, [deleteRow()]);
    expect(all.seen()).toEqual({ running: [], found: [CLUSTER] });
    all.states.setPlan(all.key, planOn([], { uid: "of another life" }));
    expect(all.seen()).toEqual({ running: [], found: [CLUSTER] });
  });

  test.each([
    { name: "that is being deleted", present: { deleting: true } },
    { name: "whose marks nobody can prove", present: { proven: false } },
  ])("is not found by a copy $name", ({ present }) => {
    const all = setUp();
    all.observations.report(CLUSTER, [observation({ present })]);
    expect(all.seen()).toEqual({ running: [], found: undefined });
  });

  test("is found by a copy from before the join of the cluster as no more than that", () => {
    const all = setUp();
    all.join(member(CLUSTER, { creationTimestamp: "2026-01-02T00:00:00Z" }));
    all.observations.report(CLUSTER, [observation({ present: { createdAt: "2026-01-01T00:00:00Z" } })]);
    expect(all.copies()).toMatchObject([{ cluster: CLUSTER, beforeJoin: true }]);
    all.join(member(CLUSTER, { creationTimestamp: "2025-01-02T00:00:00Z" }));
    expect(all.copies()).toMatchObject([{ cluster: CLUSTER }]);
    expect(all.copies()).not.toMatchObject([{ beforeJoin: true }]);
  });

  test("runs where this process has placed it, and is found where it is kept for its copy alone", () => {
    const all = setUp();
    all.observations.report(CLUSTER, [observation()]);
    const plan = (frozen: boolean) =>
      planOn([], { uid: all.uid, target: { clusters: [{ name: CLUSTER, frozen }] } as unknown as Target });
    all.states.setPlan(all.key, plan(true));
    expect(all.seen()).toEqual({ running: [], found: [CLUSTER] });
    all.states.setPlan(all.key, plan(false));
    expect(all.seen()).toEqual({ running: [CLUSTER], found: [CLUSTER] });
    all.assignments.replace(all.key, [deleteRow()]);
    expect(all.seen()).toEqual({ running: [], found: undefined });
  });
});

describe("a copy is released by a person", () => {
  const target = (status: "True" | "False", clusters: string[] = [], suspended = false): Target =>
    ({ scheduled: { status }, suspended, clusters: clusters.map((name) => ({ name })) }) as unknown as Target;
  test.each<[string, Target | undefined, boolean, string[]?, object?]>([
    ["of an unplaced object, outside the record", target("False"), true],
    ["not of a placed object", target("True"), false],
    ["not on a cluster of the target", target("False", [CLUSTER]), false],
    ["not of a deleted object", undefined, false],
    ["not on a cluster of the record", target("False"), false, [CLUSTER]],
    ["not on a cluster that leaves", target("False"), false, [], leaving],
  ])("%s", (_, given, want, recorded = [], cluster = {}) => {
    const { hubState, have, join } = copySources();
    join(member(CLUSTER, cluster));
    const key = have(hubObject("shop", recorded));
    expect(isReleasedFrom(hubState, key, given, observation())).toBe(want);
  });
});

describe("when it is the turn of an object to leave a lost cluster", () => {
  test("is asked where its policy bounds how many do in a minute", () => {
    const { snapshot, placedBy, asked, key } = setUp();
    expect(snapshot(placedBy({ failover: { maxEvictionsPerMinute: 6 } })).turnAt).toBe(NOW + 5);
    expect(asked).toEqual([["Placement/default/subject", 6, key, NOW]]);
  });

  test.each([
    { name: "does not", spec: { failover: {} } },
    { name: "knows no failover", spec: {} },
  ])("is no question where its policy $name", ({ spec }) => {
    const { snapshot, placedBy, asked } = setUp();
    expect(snapshot(placedBy(spec))).not.toHaveProperty("turnAt");
    expect(snapshot()).not.toHaveProperty("turnAt");
    expect(asked).toEqual([]);
  });
});

describe("where an object of that kind keeps its replicas", () => {
  test("is what the hub says of the kind, where it says it", () => {
    const { sources, snapshot } = setUp();
    expect(snapshot()).not.toHaveProperty("scale");
    const scale = { specReplicasPath: ".spec.count" };
    Object.assign(sources.hub, { kindOf: () => ({ type: { ...DEMOAPPLICATIONS, scale } }) });
    expect(snapshot().scale).toBe(scale);
    Object.assign(sources.hub, { kindOf: () => undefined });
    expect(snapshot()).not.toHaveProperty("scale");
  });
});

describe("the replicas that a cluster was given last", () => {
  const copy = (cluster: string, name: string, desired?: number): Observation =>
    observation({
      cluster,
      ref: { ...CONFIG_REF, name },
      present: {
        health: {
          state: "Available",
          ...(desired === undefined ? {} : { replicas: { desired, updated: 0, ready: 0, available: 0 } }),
        },
      },
    });
  const heldOf = (all: ReturnType<typeof setUp>) => {
    const held = all.snapshot().held?.();
    return ["a", "b", "c"].map((name) => held?.get(name));
  };
  const divided = (clusters: { name: string; replicas?: number }[]) =>
    planOn([], { target: { clusters: [], missing: new Set(), decision: { clusters } } as unknown as Target });

  test("are what its copies ask for there, before the first plan", () => {
    const all = setUp();
    all.observations.report("a", [copy("a", "one", 2), copy("a", "two", 3), copy("a", "none")]);
    all.observations.report("b", [copy("b", "none")]);
    expect(heldOf(all)).toEqual([5, undefined, undefined]);
  });

  test("are those of the plan before, and none elsewhere: what it left there is on its way out", () => {
    const all = setUp();
    all.observations.report("c", [copy("c", "one", 2)]);
    all.states.setPlan(all.key, divided([{ name: "a", replicas: 4 }, { name: "b" }]));
    expect(heldOf(all)).toEqual([4, 0, 0]);
  });

  test("are what its copies ask for, where the plan before divided nothing, or had no target", () => {
    const all = setUp();
    all.observations.report("a", [copy("a", "one", 2)]);
    for (const plan of [divided([{ name: "b" }]), divided([]), planOn([], { target: undefined })]) {
      all.states.setPlan(all.key, plan);
      expect(heldOf(all)).toEqual([2, undefined, undefined]);
    }
  });
});
const NOW = Date.UTC(2026, 0, 1);

/** A hub with one application. `asked`: the requests for turns of eviction. */
function setUp() {
  const all = copySources();
  const object = hubObject("shop");
  const key = all.have(object);
  const asked: unknown[] = [];
  Object.assign(all.sources.hub, { now: () => NOW });
  const pace = {
    turnOf: (...args: unknown[]) => {
      asked.push(args);
      return NOW + 5;
    },
  };
  Object.assign(all.known, { pace });
  const snapshot = (resolved?: ResolvedNeeds) => assembleSnapshot(all.hubState, object, resolved);
  const placedBy = (spec: Record<string, unknown>): ResolvedNeeds => ({
    choice: { placement: placementObject(spec) as unknown as Placement, passedOver: [] },
    needs: { dependencies: [] },
    dependencies: new Map(),
  });
  return { ...all, key, asked, snapshot, placedBy };
}
