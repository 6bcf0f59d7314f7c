import { expect, test } from "vitest";
import type { RolloutStatus } from "../apis/index.ts";
import { RolloutPlaces } from "./rolloutPlaces.ts";

const POLICY = "Placement/default/all";

/** Objects by what the hub says of their rollouts; `placed`: how many objects the policy places. */
function world(known: Record<string, RolloutStatus["state"] | undefined> = {}, placed = 10) {
  const hub = {
    owners: () => [...Object.keys(known), "gone"],
    object: (owner: string) => (owner === "gone" ? undefined : { object: { owner }, kind: {} }),
    statuses: {
      of: ({ owner }: { owner: string }) => {
        if (owner === "elsewhere before") return { rollout: { state: known[owner] } };
        if (owner === "of no rollout") return { placement: { kind: "Placement", namespace: "default", name: "all" } };
        const state = known[owner];
        const [policy = "all", name] = owner.includes("/") ? owner.split("/") : [undefined, owner];
        const placement = { kind: "Placement", namespace: "default", name: policy };
        return name === undefined || state === undefined ? undefined : { placement, rollout: { state } };
      },
    },
  };
  const options = { hub, plans: { placedBy: () => placed } } as unknown as ConstructorParameters<
    typeof RolloutPlaces
  >[0];
  const places = new RolloutPlaces(options);
  const called: string[] = [];
  places.changes.subscribe((owner) => called.push(owner));
  const run = (owner: string, maxObjects: number | string = 1, policy = POLICY) => ({ owner, policy, maxObjects });
  return { places, called, run };
}

test.each([
  { maxObjects: 3, placed: 10, want: 3 },
  { maxObjects: "25%", placed: 10, want: 2 },
  { maxObjects: "1%", placed: 10, want: 1 },
  { maxObjects: "100%", placed: 0, want: 1 },
])("$maxObjects of $placed objects are $want at once", ({ maxObjects, placed, want }) => {
  expect(world({}, placed).places.limitOf({ policy: POLICY, maxObjects })).toBe(want);
});

test("so many begin, and the next one is called when one of them is over, in the order of their coming", () => {
  const { places, called, run } = world();
  expect(["a", "b", "c", "d"].map((owner) => places.mayBegin(run(owner, 2)))).toEqual([true, true, false, false]);
  // Who asks again has the same place.
  expect(places.mayBegin(run("a", 2))).toBe(true);
  expect(places.mayBegin(run("d", 2))).toBe(false);
  places.release("b");
  expect(called).toEqual(["c"]);
  expect(places.mayBegin(run("d", 2))).toBe(false);
  expect(places.mayBegin(run("c", 2))).toBe(true);
  expect(places.mayBegin(run("d", 2))).toBe(false);
  places.release("a");
  places.release("c");
  expect(called).toEqual(["c", "d", "d"]);
  expect(places.mayBegin(run("d", 2))).toBe(true);
});

test("one that was called and does not come makes room for the next", () => {
  const { places, called, run } = world();
  for (const owner of ["a", "b", "c"]) places.mayBegin(run(owner));
  places.release("a");
  places.release("b");
  expect(called).toEqual(["b", "c"]);
  expect(places.mayBegin(run("c"))).toBe(true);
});

test("a policy that lets more in is obeyed as soon as somebody asks", () => {
  const { places, run } = world();
  for (const owner of ["a", "b", "c"]) places.mayBegin(run(owner));
  expect(places.mayBegin(run("c", 3))).toBe(true);
  expect(places.mayBegin(run("b", 3))).toBe(true);
});

test("an object that another policy places gives its place up", () => {
  const { places, called, run } = world();
  for (const owner of ["a", "b"]) places.mayBegin(run(owner));
  expect(places.mayBegin(run("a", 1, "Placement/default/other"))).toBe(true);
  expect(called).toEqual(["b"]);
  expect(places.mayBegin(run("b"))).toBe(true);
});

test("what had begun before this process did has its place, whatever became of it", () => {
  const { places, called, run } = world({
    going: "Progressing",
    stuck: "Paused",
    back: "RolledBack",
    well: "Succeeded",
    waits: "Planned",
    new: undefined,
    "other/elsewhere": "Progressing",
    "elsewhere before": "Progressing",
    "of no rollout": "Progressing",
  });
  expect(["x", "y"].map((owner) => places.mayBegin(run(owner, 4)))).toEqual([true, false]);
  places.release("well");
  places.release("other/elsewhere");
  expect(called).toEqual([]);
  places.release("back");
  expect(called).toEqual(["y"]);
});

test("a run that goes on counts, though nobody asked whether it may begin", () => {
  const { places, run, called } = world();
  places.mayBegin(run("a"));
  expect(places.mayBegin(run("b"))).toBe(false);
  places.keep(run("b"));
  places.release("a");
  // It waits no more.
  expect(called).toEqual([]);
  expect(places.mayBegin(run("c"))).toBe(false);
});

test("what had begun under another policy counts where it is now", () => {
  const { places, run } = world({ "other/moved": "Progressing" });
  expect(places.mayBegin(run("other/moved", 1))).toBe(true);
  const other = "Placement/default/other";
  expect(places.mayBegin(run("x", 1, other))).toBe(true);
  expect(places.mayBegin(run("y", 1))).toBe(false);
});

test("who never had a place, and waited for none, frees none", () => {
  const { places, called, run } = world();
  for (const owner of ["a", "b"]) places.mayBegin(run(owner));
  places.release("c");
  expect(called).toEqual([]);
});
