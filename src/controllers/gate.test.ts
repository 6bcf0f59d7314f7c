import { expect, test } from "vitest";
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
  let opened = 0;
  const gate = new DeletionGate(hub as unknown as Hub, () => void (opened += 1));
  return { gate, state, opened: () => opened };
}

test("it opens, once, when everything that was there has been planned", () => {
  const { gate, opened } = gateOf({});
  expect(gate.deletesAllowed("shanghai")).toBe(false);
  gate.expect(["a", "b"]);
  gate.planned("a");
  gate.planned("unknown");
  expect([gate.deletesAllowed("shanghai"), opened()]).toEqual([false, 0]);
  gate.planned("b");
  gate.planned("b");
  expect([gate.deletesAllowed("shanghai"), opened()]).toEqual([true, 1]);
});

test("on an empty hub it opens at once", () => {
  const { gate, opened } = gateOf({});
  gate.expect([]);
  expect([gate.deletesAllowed("shanghai"), opened()]).toEqual([true, 1]);
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
  const { gate, state } = gateOf(cluster);
  gate.expect([]);
  Object.assign(state, change);
  expect(gate.deletesAllowed("shanghai")).toBe(false);
});

test("it is open for a cluster that is drained", () => {
  const { gate } = gateOf({ deleting: true, deletionPolicy: "Drain" });
  gate.expect([]);
  expect(gate.deletesAllowed("shanghai")).toBe(true);
});
