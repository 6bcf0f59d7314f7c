import { expect, test } from "vitest";
import type { Target } from "../desiredstate/index.ts";
import { needsOfPod } from "../interpreter/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { RoomCount, type RoomReading } from "../scheduler/index.ts";
import { Observations } from "./observations.ts";
import { type Plan, Plans } from "./plans.ts";
import { Rooms } from "./rooms.ts";

const needs = needsOfPod({ containers: [{ resources: { requests: { cpu: "1" } } }] });

/** One node with so many cores. */
function reading(cpu: string): RoomReading {
  const count = new RoomCount();
  const metadata = { name: "node" };
  count.addNode({ apiVersion: "v1", kind: "Node", metadata, status: { allocatable: { cpu, pods: "9" } } });
  return { room: count.room() };
}

function table() {
  const clock = new FakeClock(0);
  const plans = new Plans();
  const observations = new Observations();
  const rooms = new Rooms({ plans, observations, clock });
  const wanted: string[] = [];
  rooms.wanted.subscribe((cluster) => void wanted.push(`${cluster} ${rooms.isWanted(cluster)}`));
  const woken: string[] = [];
  rooms.changes.subscribe((cluster) => void woken.push(...rooms.awaiting(cluster)));
  const plan = (owner: string, clusters?: string[], added: Record<string, number> = {}, awaited = false): void => {
    const room = { clusters, awaited, unhoused: 0, added: new Map(Object.entries(added)) };
    const decision = clusters === undefined ? {} : { room };
    plans.set(owner, { target: { decision, podNeeds: needs } as unknown as Target } as Plan);
  };
  const cores = (cluster: string): number | undefined => {
    const known = rooms.get(cluster);
    return known !== undefined && "room" in known
      ? (known.room.groups[0]?.nodes[0]?.free["cpu"] ?? 0) / 1000
      : undefined;
  };
  return { clock, plans, observations, rooms, wanted, woken, plan, cores };
}

test("a cluster is measured while a plan asks for it", () => {
  const { plans, wanted, plan } = table();
  plan("plain");
  plan("shop", ["a", "b"]);
  plan("cart", ["b"]);
  expect(wanted).toEqual(["a true", "b true"]);
  plan("shop", ["b", "c"]);
  plans.drop("cart");
  expect(wanted.slice(2)).toEqual(["c true", "a false"]);
  plan("shop");
  expect(wanted.slice(4)).toEqual(["b false", "c false"]);
});

test("a reading wakes those that wait for room, and only when it tells something new", () => {
  const { observations, woken, plan } = table();
  plan("shop", ["a"]);
  plan("cart", ["a", "b"], {}, true);
  const first = reading("4");
  observations.room("a", first);
  observations.room("a", first);
  observations.room("c", first);
  expect(woken).toEqual(["cart"]);
  observations.room("a", reading("5"));
  expect(woken).toEqual(["cart", "cart"]);
});

test("what was given out counts as taken up until a reading can have seen it", async () => {
  const { clock, observations, woken, plan, cores } = table();
  plan("cart", ["a"], {}, true);
  const first = reading("4");
  observations.room("a", first);
  plan("shop", ["a"], { a: 3 });
  expect(cores("a")).toBe(1);
  // That reading began before the pods were there.
  await clock.advance(1_000);
  observations.room("a", first);
  expect(cores("a")).toBe(1);
  await clock.advance(5_000);
  observations.room("a", first);
  expect(cores("a")).toBe(4);
  expect(woken).toEqual(["cart", "cart"]);
});
