import { describe, expect, test } from "vitest";
import { placementObject } from "../../../test/builders/policyObjects.ts";
import type { Placement } from "../../apis/index.ts";
import { assembleSnapshot, type Observation, type ResolvedNeeds, type Target } from "../../desiredstate/index.ts";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { CONFIG_REF, observation } from "../testing/builders.ts";
import { copySources, hubObject, planOn } from "../testing/copySources.ts";

const NOW = Date.UTC(2026, 0, 1);

/** Everything but what other tests ask of the snapshot; `asked`: what the pace of evictions was asked. */
function world() {
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
  /** Placed by a policy of this spec. */
  const placedBy = (spec: Record<string, unknown>): ResolvedNeeds => ({
    choice: { placement: placementObject(spec) as unknown as Placement, passedOver: [] },
    needs: { dependencies: [] },
    dependencies: new Map(),
  });
  return { ...all, key, asked, snapshot, placedBy };
}

describe("when it is the turn of an object to leave a lost cluster", () => {
  test("is asked where its policy bounds how many do in a minute", () => {
    const { snapshot, placedBy, asked, key } = world();
    expect(snapshot(placedBy({ failover: { maxEvictionsPerMinute: 6 } })).turnAt).toBe(NOW + 5);
    expect(asked).toEqual([["Placement/default/subject", 6, key, NOW]]);
  });

  test.each([
    { name: "does not", spec: { failover: {} } },
    { name: "knows no failover", spec: {} },
  ])("is no question where its policy $name", ({ spec }) => {
    const { snapshot, placedBy, asked } = world();
    expect(snapshot(placedBy(spec))).not.toHaveProperty("turnAt");
    expect(snapshot()).not.toHaveProperty("turnAt");
    expect(asked).toEqual([]);
  });
});

describe("where an object of that kind keeps its replicas", () => {
  test("is what the hub says of the kind, where it says it", () => {
    const { sources, snapshot } = world();
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
  const heldOf = (all: ReturnType<typeof world>) => {
    const held = all.snapshot().held?.();
    return ["a", "b", "c"].map((name) => held?.get(name));
  };
  const divided = (clusters: { name: string; replicas?: number }[]) =>
    planOn([], { target: { clusters: [], missing: new Set(), decision: { clusters } } as unknown as Target });

  test("are what its copies ask for there, before the first plan", () => {
    const all = world();
    all.observations.report("a", [copy("a", "one", 2), copy("a", "two", 3), copy("a", "none")]);
    all.observations.report("b", [copy("b", "none")]);
    expect(heldOf(all)).toEqual([5, undefined, undefined]);
  });

  test("are those of the plan before, and none elsewhere: what it left there is on its way out", () => {
    const all = world();
    all.observations.report("c", [copy("c", "one", 2)]);
    all.plans.set(all.key, divided([{ name: "a", replicas: 4 }, { name: "b" }]));
    expect(heldOf(all)).toEqual([4, 0, 0]);
  });

  test("are what its copies ask for, where the plan before divided nothing, or had no target", () => {
    const all = world();
    all.observations.report("a", [copy("a", "one", 2)]);
    for (const plan of [divided([{ name: "b" }]), divided([]), planOn([], { target: undefined })]) {
      all.plans.set(all.key, plan);
      expect(heldOf(all)).toEqual([2, undefined, undefined]);
    }
  });
});
