import { describe, expect, test } from "vitest";
import type { MemberCluster } from "../apis/index.ts";
import { DeletionGate } from "./gate.ts";
import type { Hub } from "./hub.ts";

function gateOf(cluster?: { deleting?: boolean; deletionPolicy?: "Drain" | "Orphan" }) {
  const state = { synced: true, deletionsHeld: false };
  const member = cluster && {
    metadata: { name: "shanghai", ...(cluster.deleting === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
    spec: { deletionPolicy: cluster.deletionPolicy ?? "Orphan" },
  };
  const hub = {
    get synced() {
      return state.synced;
    },
    get deletionsHeld() {
      return state.deletionsHeld;
    },
    clusters: { get: () => member as unknown as MemberCluster | undefined },
  };
  const told: (string | undefined)[] = [];
  const gate = new DeletionGate(hub as unknown as Hub, (namespace) => void told.push(namespace));
  const allows = (namespace?: string, ...owners: string[]) =>
    gate.deletesAllowed({ cluster: "shanghai", namespace, owners });
  return { gate, state, allows, told };
}

const app = (namespace: string, name: string) => `paas.cmft.com/DemoApplication/${namespace}/${name}`;

test("it opens, once, when everything that was there has been planned", () => {
  const { gate, allows, told } = gateOf({});
  expect(allows("a")).toBe(false);
  gate.expect([app("a", "x"), app("b", "y")]);
  gate.planned(app("a", "x"));
  gate.planned(app("a", "unknown"));
  expect([allows("a"), allows("b"), told.length]).toEqual([false, false, 0]);
  gate.planned(app("b", "y"));
  gate.planned(app("b", "y"));
  expect([allows("a"), allows("b"), told]).toEqual([true, true, [undefined]]);
});

test("on an empty hub it opens at once", () => {
  const { gate, allows, told } = gateOf({});
  gate.expect([]);
  expect([allows("a"), told.length]).toEqual([true, 1]);
});

test.each([
  { name: "while a cache of the hub is not complete", cluster: {}, state: { synced: false } },
  { name: "while deletions are held", cluster: {}, state: { deletionsHeld: true } },
  { name: "for a cluster that nobody knows", cluster: undefined, state: {} },
  {
    name: "for a cluster that leaves and keeps what runs there",
    cluster: { deleting: true, deletionPolicy: "Orphan" as const },
    state: {},
  },
])("it is closed $name", ({ cluster, state: change }) => {
  const { gate, state, allows } = gateOf(cluster);
  gate.expect([]);
  Object.assign(state, change);
  expect(allows("a")).toBe(false);
});

test("it is open for a cluster that is drained", () => {
  const { gate, allows } = gateOf({ deleting: true, deletionPolicy: "Drain" });
  gate.expect([]);
  expect(allows("a")).toBe(true);
});

describe("an object that cannot be planned", () => {
  function withOneFailed(failed = app("a", "x")) {
    const made = gateOf({});
    made.gate.expect([failed, app("b", "y")]);
    made.gate.failed(failed);
    return made;
  }

  test("does not open the gate before every other one has been tried", () => {
    const { gate, allows, told } = withOneFailed();
    expect([gate.settled, allows("b"), told.length]).toEqual([false, false, 0]);
  });

  test("keeps it closed in its own namespace, for what names it, and for what is in no namespace", () => {
    const { gate, allows, told } = withOneFailed();
    gate.planned(app("b", "y"));
    expect(told).toEqual([undefined]);
    expect([allows("a"), allows("a", app("a", "z")), allows("c", app("a", "x")), allows(undefined)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([allows("b"), allows("b", app("b", "y")), allows("c")]).toEqual([true, true, true]);
    expect([gate.isKnownAround(app("a", "z")), gate.isKnownAround(app("b", "y"))]).toEqual([false, true]);
  });

  test("opens it there when it has been planned, or is gone", () => {
    const { gate, allows, told } = withOneFailed();
    gate.planned(app("b", "y"));
    gate.failed(app("a", "x"));
    gate.planned(app("a", "x"));
    expect([allows("a"), allows(undefined), told]).toEqual([true, true, [undefined, "a"]]);
  });

  test("keeps it closed there as long as another one is left", () => {
    const { gate, allows } = gateOf({});
    gate.expect([app("a", "x"), app("a", "y")]);
    gate.failed(app("a", "x"));
    gate.failed(app("a", "y"));
    gate.planned(app("a", "x"));
    expect(allows("a")).toBe(false);
    gate.planned(app("a", "y"));
    expect(allows("a")).toBe(true);
  });

  test("keeps it closed everywhere when it is in no namespace itself", () => {
    const { gate, allows } = withOneFailed(app("", "x"));
    gate.planned(app("b", "y"));
    expect([allows("a"), allows("b"), allows(undefined)]).toEqual([false, false, false]);
  });

  test("does not matter when it has been planned before: its rows are there", () => {
    const { gate, allows } = gateOf({});
    gate.expect([app("a", "x")]);
    gate.planned(app("a", "x"));
    gate.failed(app("a", "x"));
    expect(allows("a")).toBe(true);
  });
});
