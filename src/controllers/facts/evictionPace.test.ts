import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { EvictionPace } from "./evictionPace.ts";

const MINUTE = 60_000;
const NOW = Date.parse("2026-11-22T08:00:00Z");
const POLICY = "Placement/default/where";

function paced(...departures: string[]) {
  const objects = departures.map((at) => ({ departures: [{ cluster: "a", reason: "ClusterLost" as const, at }] }));
  const hub = {
    objects: () => objects as unknown as KubeObject[],
    statuses: { of: (object: KubeObject) => object as never },
  };
  const pace = new EvictionPace(hub as unknown as ConstructorParameters<typeof EvictionPace>[0]);
  const leaves = (owner: string, perMinute: number, now: number): number => {
    const turn = pace.turnOf(POLICY, perMinute, owner, now);
    const target = { placement: { kind: "Placement", namespace: "default", name: "where" }, failover: { turn } };
    pace.note(owner, target as unknown as Target, now);
    return turn;
  };
  return { pace, leaves };
}

test("the first leaves at once, the others one after the other with the same time between them", () => {
  const { leaves } = paced();
  expect(["a", "b", "c"].map((owner) => leaves(owner, 2, NOW) - NOW)).toEqual([0, 30_000, 60_000]);
  expect(["c", "b"].map((owner) => leaves(owner, 2, NOW + 10_000) - NOW)).toEqual([60_000, 30_000]);
});

test.each([
  {
    name: "that it was unhealthy there",
    departures: [{ cluster: "a", reason: "ObjectUnhealthy", at: "2026-11-22T07:59:50Z" }],
  },
  { name: "nothing", departures: undefined },
])("an object that says $name holds up nobody", ({ departures }) => {
  const hub = {
    objects: () => [{}, {}],
    statuses: { of: () => (departures === undefined ? undefined : { departures }) },
  };
  const pace = new EvictionPace(hub as unknown as ConstructorParameters<typeof EvictionPace>[0]);
  expect(pace.turnOf(POLICY, 2, "a", NOW)).toBe(NOW);
});

test("the latest of those that an earlier process let go counts", () => {
  const { leaves } = paced("2026-11-22T07:59:50Z", "2026-11-22T07:59:30Z");
  expect(leaves("a", 2, NOW) - NOW).toBe(20_000);
});

test("a turn is forgotten a minute after it has come, and not before", () => {
  const { pace, leaves } = paced();
  leaves("a", 60, NOW);
  leaves("b", 60, NOW + MINUTE);
  expect(pace.turnOf(POLICY, 60, "a", NOW + MINUTE)).toBe(NOW);
  leaves("c", 60, NOW + MINUTE + 1);
  expect(pace.turnOf(POLICY, 60, "a", NOW + MINUTE + 1)).toBeGreaterThan(NOW + MINUTE);
});

test("each policy has a pace of its own, and a plan that leaves nothing takes no turn", () => {
  const { pace, leaves } = paced();
  leaves("a", 1, NOW);
  expect(pace.turnOf("Placement/default/other", 1, "b", NOW)).toBe(NOW);
  const placement = { kind: "Placement", namespace: "default", name: "other" };
  const failover = { turn: NOW + 5 };
  for (const target of [{ failover }, { placement }, { placement, failover: {} }])
    pace.note("b", target as unknown as Target, NOW);
  expect(pace.turnOf("Placement/default/other", 1, "c", NOW)).toBe(NOW);
  pace.note("d", { placement: { ...placement, name: "unasked" }, failover } as unknown as Target, NOW);
  expect(pace.turnOf("Placement/default/unasked", 1, "e", NOW)).toBe(NOW);
});

test("asking alone takes no turn", () => {
  const { pace, leaves } = paced();
  expect(pace.turnOf(POLICY, 1, "a", NOW)).toBe(NOW);
  expect(leaves("b", 1, NOW)).toBe(NOW);
  expect(pace.turnOf(POLICY, 1, "a", NOW)).toBe(NOW + MINUTE);
});

property.prop([
  fc.integer({ min: 1, max: 20 }),
  fc.array(fc.tuple(fc.nat(30), fc.nat(120_000)), { minLength: 1, maxLength: 60 }),
])("never more than the bound in any minute", (perMinute, asked) => {
  const { leaves } = paced();
  const turns = new Map<string, number>();
  for (const [owner, at] of asked.toSorted((a, b) => a[1] - b[1])) {
    const now = NOW + at;
    const known = turns.get(`${owner}`);
    if (known !== undefined && known <= now) continue;
    turns.set(`${owner}`, leaves(`${owner}`, perMinute, now));
  }
  const times = [...turns.values()].toSorted((a, b) => a - b);
  for (const [i, time] of times.entries()) {
    const within = times.slice(i).filter((other) => other < time + MINUTE).length;
    expect(within).toBeLessThanOrEqual(perMinute);
  }
});
