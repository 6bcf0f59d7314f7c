import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../apis/index.ts";
import type { DeletionPolicy } from "../../../desiredstate/index.ts";
import { finalizationOf } from "./finalization.ts";
import { planOn } from "../../testing/copySources.ts";
import { APP, app, placement, planning } from "../../testing/planning.ts";

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "default", name: "data" };
const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
const NEEDS_SECRET = { envFrom: [{ secretRef: { name: "password" } }] };

/** The finalization of an application with this spec. `policy`: fields of its Placement. */
async function finalizing(policy: object = {}, spec: object = {}) {
  const all = await planning({ apps: [app({}, spec)], placements: [placement(["a", "b"], policy)] });
  const orphaned = new Set<string>();
  const sources = {
    ...all.shared,
    events: all.recorder,
    orphaning: { isOrphaned: ({ metadata }: KubeObject) => orphaned.has(metadata.name) },
  };
  const decided = () => all.states.get(APP)?.finalization;
  const decide = () => {
    const found = all.cache.object(APP);
    if (found === undefined) throw new Error("the hub has no application");
    return finalizationOf(sources, APP, found.object, found.kind);
  };
  /** Sets the last plan. */
  const planned = (deletionPolicy: DeletionPolicy): void => {
    const plan = planOn(["a"]);
    all.states.setPlan(APP, {
      ...plan,
      target: { ...plan.target, deletionPolicy, decision: { clusters: [] } } as never,
    });
  };
  return { ...all, orphaned, decided, decide, planned };
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

  test("parts as was decided first, whatever becomes of its policy", async () => {
    const { decide, decided, cache } = await finalizing({ deletionPolicy: "Orphan" });
    expect(decided()).toBeUndefined();
    const first = decide();
    expect(decided()).toBe(first);
    cache.allPlacements = () => [];
    expect(decide()).toBe(first);
  });

  test("that cannot be planned is decided later, and said to be so", async () => {
    const { decide, decided, cache, states, events } = await finalizing();
    const snapshots = cache.clusterSnapshots.bind(cache);
    cache.clusterSnapshots = failing;
    expect(decide).toThrow(fault);
    expect(decided()).toBeUndefined();
    expect(states.planOf(APP)?.failure?.reason).toBe("PlanningFailed");
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
