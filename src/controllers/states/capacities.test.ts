import { expect, test } from "vitest";
import type { Target } from "../../desiredstate/index.ts";
import { needsOfPod } from "../../interpreter/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { HeadroomCount, type CapacityReading } from "../../scheduler/index.ts";
import { Observations } from "../tables/index.ts";
import { type Plan, ObjectStates } from "./objectStates.ts";
import { Capacities } from "./capacities.ts";

const needs = needsOfPod({ containers: [{ resources: { requests: { cpu: "1" } } }] });

function reading(cpu: string): CapacityReading {
  const count = new HeadroomCount();
  const metadata = { name: "node" };
  count.addNode({ apiVersion: "v1", kind: "Node", metadata, status: { allocatable: { cpu, pods: "9" } } });
  return { room: count.room() };
}

function table() {
  const clock = new FakeClock(0);
  const states = new ObjectStates();
  const observations = new Observations();
  const capacities = new Capacities({ states, observations, clock });
  const wanted: string[] = [];
  capacities.wanted.subscribe((cluster) => void wanted.push(`${cluster} ${capacities.isWanted(cluster)}`));
  const woken: string[] = [];
  capacities.changes.subscribe((cluster) => void woken.push(cluster));
  const plan = (owner: string, clusters?: string[], added: Record<string, number> = {}, awaited = false): void => {
    const room = { clusters, awaited, unhoused: 0, added: new Map(Object.entries(added)) };
    const decision = clusters === undefined ? {} : { room };
    states.setPlan(owner, { target: { decision, podNeeds: needs } as unknown as Target } as Plan);
  };
  const cores = (cluster: string): number | undefined => {
    const known = capacities.get(cluster);
    return known !== undefined && "room" in known
      ? (known.room.groups[0]?.nodes[0]?.free["cpu"] ?? 0) / 1000
      : undefined;
  };
  return { clock, states, observations, capacities, wanted, woken, plan, cores };
}

test("a cluster is measured while a plan asks for it", () => {
  const { states, wanted, plan } = table();
  plan("plain");
  plan("shop", ["a", "b"]);
  plan("cart", ["b"]);
  expect(wanted).toEqual(["a true", "b true"]);
  plan("shop", ["b", "c"]);
  states.dropPlan("cart");
  expect(wanted.slice(2)).toEqual(["c true", "a false"]);
  plan("shop");
  expect(wanted.slice(4)).toEqual(["b false", "c false"]);
});

test("a reading is a change only when it tells something new", () => {
  const { observations, woken, plan } = table();
  plan("shop", ["a"]);
  plan("cart", ["a", "b"], {}, true);
  const first = reading("4");
  observations.capacity("a", first);
  observations.capacity("a", first);
  observations.capacity("c", first);
  expect(woken).toEqual(["a", "c"]);
  observations.capacity("a", reading("5"));
  expect(woken).toEqual(["a", "c", "a"]);
});

test("what was given out counts as taken up until a reading can have seen it", async () => {
  const { clock, observations, woken, plan, cores } = table();
  plan("cart", ["a"], {}, true);
  const first = reading("4");
  observations.capacity("a", first);
  plan("shop", ["a"], { a: 3 });
  expect(cores("a")).toBe(1);
  // This reading began before the pods existed.
  await clock.advance(1_000);
  observations.capacity("a", first);
  expect(cores("a")).toBe(1);
  await clock.advance(5_000);
  observations.capacity("a", first);
  expect(cores("a")).toBe(4);
  expect(woken).toEqual(["a", "a"]);
});

test("a reading sees what was written three seconds before it", async () => {
  const { clock, observations, woken, plan, cores } = table();
  plan("shop", ["a"], { a: 1 }, true);
  const first = reading("4");
  observations.capacity("a", first);
  await clock.advance(1);
  plan("shop", ["a"], { a: 2 }, true);
  expect(cores("a")).toBe(1);
  woken.length = 0;
  await clock.advance(2_998);
  observations.capacity("a", first);
  expect([cores("a"), woken]).toEqual([1, []]);
  await clock.advance(1);
  observations.capacity("a", first);
  expect([cores("a"), woken]).toEqual([2, ["a"]]);
});

test("a cluster that nobody asks for any more is forgotten, with what was given out there", () => {
  const { observations, states, capacities, wanted, woken, plan, cores } = table();
  const first = reading("4");
  plan("shop", ["a", "b"], { a: 3 }, true);
  observations.capacity("a", first);
  expect([cores("a"), woken]).toEqual([1, ["a"]]);
  states.dropPlan("shop");
  expect([capacities.isWanted("a"), cores("a")]).toEqual([false, 4]);
  plan("shop", ["a", "b"], {}, true);
  expect([cores("a"), wanted]).toEqual([4, ["a true", "b true", "a false", "b false", "a true", "b true"]]);
  woken.length = 0;
  observations.capacity("a", first);
  expect(woken).toEqual(["a"]);
});

test("an object that asks for the same again, or is one of several, changes nothing that is measured", () => {
  const { states, wanted, plan } = table();
  plan("shop", ["a"], {}, true);
  plan("cart", ["a"], {}, true);
  plan("shop", ["a"]);
  expect(wanted).toEqual(["a true"]);
  states.dropPlan("cart");
  plan("shop", ["a"], {}, true);
  expect(wanted).toEqual(["a true"]);
  // The joined names of two clusters are not the name of a third cluster.
  plan("shop", ["a", "b"], {}, true);
  plan("cart", ["ab"], {}, true);
  expect(wanted).toEqual(["a true", "b true", "ab true"]);
});
