import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { DeletionPolicy } from "../../desiredstate/index.ts";
import { Finalizations } from "./finalizations.ts";
import { planOn } from "../testing/copySources.ts";
import { APP, app, placement, planning } from "../testing/planning.ts";

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "default", name: "data" };
const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
const NEEDS_SECRET = { envFrom: [{ secretRef: { name: "password" } }] };

/** The finalization of an application with this spec. `policy`: fields of its Placement. */
async function finalizing(policy: object = {}, spec: object = {}) {
  const all = await planning({ apps: [app({}, spec)], placements: [placement(["a", "b"], policy)] });
  const orphaned = new Set<string>();
  const finalizations = new Finalizations({
    ...all.shared,
    events: all.recorder,
    orphaning: { isOrphaned: ({ metadata }: KubeObject) => orphaned.has(metadata.name) },
  });
  const decide = () => {
    const found = all.cache.object(APP);
    if (found === undefined) throw new Error("the hub has no application");
    return finalizations.of(APP, found.object, found.kind);
  };
  /** Sets the last plan. */
  const planned = (deletionPolicy: DeletionPolicy): void => {
    const plan = planOn(["a"]);
    all.plans.set(APP, { ...plan, target: { ...plan.target, deletionPolicy, decision: { clusters: [] } } as never });
  };
  return { ...all, orphaned, finalizations, decide, planned };
}

const fault = new TypeError("x is not a function");
const failing = (): never => {
  throw fault;
};

describe("an object that is being deleted", () => {
  test.each(["Delete", "Orphan"] as const)(
    "parts as it was planned last, and needs no new plan: %s",
    async (policy) => {
      const { decide, planned, cache } = await finalizing({
        deletionPolicy: policy === "Delete" ? "Orphan" : "Delete",
      });
      planned(policy);
      cache.clusterSnapshots = failing;
      expect(decide().policy).toBe(policy);
    },
  );

  test("lets its copies go where whoever deleted it says so, whatever was planned", async () => {
    const { decide, orphaned, planned } = await finalizing();
    orphaned.add("shop");
    planned("Delete");
    expect(decide().policy).toBe("Orphan");
  });

  test("parts as was decided first, whatever becomes of its policy, until it is forgotten", async () => {
    const { decide, cache, finalizations } = await finalizing({ deletionPolicy: "Orphan" });
    expect(finalizations.get(APP)).toBeUndefined();
    const first = decide();
    expect(finalizations.get(APP)).toBe(first);
    cache.allPlacements = () => [];
    expect(decide()).toBe(first);
    finalizations.forget("another");
    expect(finalizations.get(APP)).toBe(first);
    finalizations.forget(APP);
    expect(finalizations.get(APP)).toBeUndefined();
    expect(decide().policy).toBe("Delete");
  });

  test("that cannot be planned is decided later, and said to be so", async () => {
    const { decide, cache, finalizations, plans, events } = await finalizing();
    const snapshots = cache.clusterSnapshots.bind(cache);
    cache.clusterSnapshots = failing;
    expect(decide).toThrow(fault);
    expect([finalizations.get(APP), finalizations.debounceMs(APP)]).toEqual([undefined, undefined]);
    expect(plans.get(APP)?.failure?.reason).toBe("PlanningFailed");
    expect(events.map(({ reason }) => reason)).toEqual(["PlanningFailed"]);
    cache.clusterSnapshots = snapshots;
    expect(decide().policy).toBe("Delete");
  });
});

describe("what is to be gone with an object", () => {
  test("is what it comes to, and the kinds of what goes along", async () => {
    const { decide } = await finalizing({}, NEEDS_SECRET);
    expect(decide().footprint).toEqual({ refs: [DEPLOYMENT], kinds: ["apps/Deployment", "/Secret"] });
  });

  test("is nothing that goes along where its policy says so", async () => {
    const { decide } = await finalizing({ dependencies: { mode: "None" } }, NEEDS_SECRET);
    expect(decide().footprint.kinds).toEqual(["apps/Deployment"]);
  });

  test("is also what goes along of a kind that is not watched everywhere, and the members are asked for that kind", async () => {
    const fields = [{ kind: "PersistentVolumeClaim", path: "spec.image" }];
    const { decide, cache } = await finalizing({ dependencies: { mode: "Auto", fields } }, { image: "data" });
    const watched = (): boolean => cache.catalog.memberKinds().some(({ kind }) => kind === CLAIM.kind);
    expect(watched()).toBe(false);
    expect(decide().footprint.refs).toEqual([DEPLOYMENT, CLAIM]);
    expect(watched()).toBe(true);
  });
});

test("news of copies is gathered for a moment once it is decided how their object parts from them", async () => {
  const { decide, finalizations } = await finalizing();
  const gathering = () => [APP, "another", undefined].map((owner) => finalizations.debounceMs(owner));
  expect(gathering()).toEqual([undefined, undefined, undefined]);
  decide();
  expect(gathering()).toEqual([50, undefined, undefined]);
  finalizations.forget(APP);
  expect(gathering()).toEqual([undefined, undefined, undefined]);
});
