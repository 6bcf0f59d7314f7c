import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { RolloutStatus } from "../../apis/index.ts";
import { ObjectStates } from "../states/index.ts";
import { RolloutSlots } from "./rolloutSlots.ts";

const POLICY = "Placement/default/all";

/** A hub with rollouts in these states, by object. `placed`: number of objects that the policy places. */
function setUp(known: Record<string, RolloutStatus["state"] | undefined> = {}, placed = 10) {
  const clock = { now: 0 };
  const hub = {
    now: () => clock.now,
    owners: () => [...Object.keys(known), "gone"],
    object: (owner: string) => (owner === "gone" ? undefined : { object: { owner }, kind: {} }),
    statuses: {
      of: ({ owner }: { owner: string }) => {
        if (owner === "elsewhere before") return { rollout: { state: known[owner] } };
        if (owner === "of no rollout") return { placement: { kind: "Placement", namespace: "default", name: "all" } };
        const state = known[owner];
        const [policy = "all", name] = owner.includes("/") ? owner.split("/") : [undefined, owner];
        const placement = { kind: "Placement", namespace: "default", name: policy };
        const stages = [{ name: "all", state: "Progressing" }];
        return name === undefined || state === undefined ? undefined : { placement, rollout: { state, stages } };
      },
    },
  };
  const states = Object.assign(new ObjectStates(), { placedBy: () => placed });
  const options = { hub, states } as unknown as ConstructorParameters<typeof RolloutSlots>[0];
  const places = new RolloutSlots(options);
  const called: string[] = [];
  places.changes.subscribe((owner) => called.push(owner));
  const run = (owner: string, maxObjects: number | string = 1, policy = POLICY, rules = {}) => ({
    owner,
    policy,
    maxObjects,
    rules,
  });
  return { places, called, run, clock };
}

test.each([
  { maxObjects: 3, placed: 10, want: 3 },
  { maxObjects: "25%", placed: 10, want: 2 },
  { maxObjects: "1%", placed: 10, want: 1 },
  { maxObjects: "100%", placed: 0, want: 1 },
])("$maxObjects of $placed objects are $want at once", ({ maxObjects, placed, want }) => {
  expect(setUp({}, placed).places.limitOf({ policy: POLICY, maxObjects })).toBe(want);
});

test("so many begin, and the next one is called when one of them is over, in the order of their coming", () => {
  const { places, called, run } = setUp();
  expect(["a", "b", "c", "d"].map((owner) => places.mayBegin(run(owner, 2)))).toEqual([true, true, false, false]);
  // A second request of one object gets the same answer.
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
  const { places, called, run } = setUp();
  for (const owner of ["a", "b", "c"]) places.mayBegin(run(owner));
  places.release("a");
  places.release("b");
  expect(called).toEqual(["b", "c"]);
  expect(places.mayBegin(run("c"))).toBe(true);
});

test("a policy that lets more in is obeyed as soon as somebody asks", () => {
  const { places, run } = setUp();
  for (const owner of ["a", "b", "c"]) places.mayBegin(run(owner));
  expect(places.mayBegin(run("c", 3))).toBe(true);
  expect(places.mayBegin(run("b", 3))).toBe(true);
});

test("an object that another policy places gives its place up", () => {
  const { places, called, run } = setUp();
  for (const owner of ["a", "b"]) places.mayBegin(run(owner));
  expect(places.mayBegin(run("a", 1, "Placement/default/other"))).toBe(true);
  expect(called).toEqual(["b"]);
  expect(places.mayBegin(run("b"))).toBe(true);
});

test("what had begun before this process did has its place, whatever became of it", () => {
  const { places, called, run } = setUp({
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
  const { places, run, called } = setUp();
  places.mayBegin(run("a"));
  expect(places.mayBegin(run("b"))).toBe(false);
  places.keep(run("b"));
  places.release("a");
  expect(called).toEqual([]);
  expect(places.mayBegin(run("c"))).toBe(false);
});

test("what had begun under another policy counts where it is now", () => {
  const { places, run } = setUp({ "other/moved": "Progressing" });
  expect(places.mayBegin(run("other/moved", 1))).toBe(true);
  const other = "Placement/default/other";
  expect(places.mayBegin(run("x", 1, other))).toBe(true);
  expect(places.mayBegin(run("y", 1))).toBe(false);
});

test("who never had a place, and waited for none, frees none", () => {
  const { places, called, run } = setUp();
  for (const owner of ["a", "b"]) places.mayBegin(run(owner));
  places.release("c");
  expect(called).toEqual([]);
});

describe("a run that has stopped", () => {
  const app = (namespace: string, name: string): string => `paas.cmft.com/DemoApplication/${namespace}/${name}`;
  const [A, A2, B, C] = [app("a", "one"), app("a", "two"), app("b", "one"), app("c", "one")];
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;

  test("keeps its place from another namespace for its time, and from its own without an end", () => {
    const { places, run, clock, called } = setUp();
    for (const owner of [A, A2, B]) places.mayBegin(run(owner));
    places.stop(run(A), { since: 0, patienceMs: HOUR });
    // Waiting objects name the stopped run in their status.
    expect(called.splice(0)).toEqual([A2, B]);
    expect(places.stoppedBefore(run(B))).toEqual([{ owner: A, since: 0, yieldsAt: HOUR }]);
    expect(places.stoppedOf(POLICY)).toHaveLength(1);
    clock.now = HOUR - 1;
    expect([A2, B].map((owner) => places.mayBegin(run(owner)))).toEqual([false, false]);
    expect(places.has(run(A))).toBe(true);
    clock.now = HOUR;
    expect(places.has(run(A))).toBe(false);
    expect(places.mayBegin(run(A2))).toBe(false);
    expect(places.stoppedBefore(run(A2))).toHaveLength(1);
    expect(places.stoppedBefore(run(C))).toEqual([]);
    expect(places.mayBegin(run(B))).toBe(true);
    expect(places.mayBegin(run(C))).toBe(false);
  });

  test("waits again before it goes on, once it has yielded, and holds nobody up meanwhile", () => {
    const { places, run, clock } = setUp();
    for (const owner of [A, A2, B]) places.mayBegin(run(owner));
    places.stop(run(A), { since: 0, patienceMs: HOUR });
    clock.now = 2 * HOUR;
    expect(places.mayBegin(run(B))).toBe(true);
    expect(places.mayBegin(run(A))).toBe(false);
    expect(places.stoppedBefore(run(A2))).toEqual([]);
    places.release(B);
    expect([A, A2].map((owner) => places.mayBegin(run(owner)))).toEqual([false, true]);
    places.release(A2);
    expect(places.mayBegin(run(A))).toBe(true);
  });

  test("goes on in its place as long as nobody else wants it", () => {
    const { places, run, clock } = setUp();
    places.mayBegin(run(A));
    places.stop(run(A), { since: 0, patienceMs: HOUR });
    expect(places.stoppedOf(POLICY)).toEqual([]);
    clock.now = 2 * HOUR;
    expect(places.mayBegin(run(A))).toBe(true);
    expect(places.mayBegin(run(B))).toBe(false);
  });

  test("does not begin its time anew by going on for a moment", () => {
    const { places, run, clock, called } = setUp();
    for (const owner of [A, B]) places.mayBegin(run(owner));
    for (let pause = 0; pause < 4; pause += 1) {
      places.stop(run(A), { since: clock.now, patienceMs: HOUR });
      clock.now += 15 * MINUTE;
      expect(places.mayBegin(run(B))).toBe(pause === 3);
      if (pause === 3) return;
      called.length = 0;
      places.keep(run(A));
      expect(called).toEqual([B]);
    }
  });

  test("takes no place that it did not have", () => {
    const { places, run } = setUp();
    places.mayBegin(run(A));
    places.mayBegin(run(B));
    places.stop(run(B), { since: 0, patienceMs: HOUR });
    expect([places.has(run(A)), places.has(run(B))]).toEqual([true, false]);
    places.release(A);
    expect(places.mayBegin(run(C))).toBe(true);
  });

  test.each([
    { name: "by the deadline of its stage", rules: { stages: [{ name: "all", deadline: "10m" }] }, minutes: 10 },
    {
      name: "by what the policy says",
      rules: { yieldAfter: "5m", stages: [{ name: "all", deadline: "10m" }] },
      minutes: 5,
    },
    { name: "by an hour", rules: {}, minutes: 60 },
  ])("is known to a manager that starts anew, $name", ({ rules, minutes }) => {
    const { places, run, clock } = setUp({ stuck: "Paused" });
    clock.now = minutes * MINUTE - 1;
    expect(places.mayBegin(run(B, 1, POLICY, rules))).toBe(false);
    clock.now += 1;
    expect(places.mayBegin(run(B, 1, POLICY, rules))).toBe(true);
  });

  /** A step of one object: its run begins, stops, goes on or ends, or time passes. */
  const step = fc.record({
    what: fc.constantFrom("ask", "ask", "stop", "resume", "end", "wait"),
    who: fc.nat(8),
    minutes: fc.nat(90),
  });

  test.prop([fc.array(step, { maxLength: 120, size: "max" }), fc.integer({ min: 1, max: 3 })])(
    "never lets more run than may, and keeps no object waiting for another tenant's stopped run",
    (steps, limit) => {
      const { places, run, clock } = setUp();
      const owners = ["a", "b", "c"].flatMap((namespace) => ["x", "y", "z"].map((name) => app(namespace, name)));
      const of = (owner: string) => run(owner, limit);
      const states = new Map<string, "Waiting" | "Running" | "Stopped">();
      const ask = (owner: string): void => {
        states.set(owner, places.mayBegin(of(owner)) ? "Running" : "Waiting");
      };
      const running = (): string[] => owners.filter((owner) => states.get(owner) === "Running");
      for (const { what, who, minutes } of steps) {
        const owner = owners[who] ?? "";
        const state = states.get(owner);
        if (what === "wait") clock.now += minutes * MINUTE;
        else if (what === "ask" && (state === undefined || state === "Waiting")) ask(owner);
        else if (what === "stop" && state === "Running") {
          states.set(owner, "Stopped");
          places.stop(of(owner), { since: clock.now, patienceMs: HOUR });
        } else if (what === "resume" && state === "Stopped") {
          if (places.has(of(owner))) {
            places.keep(of(owner));
            states.set(owner, "Running");
          } else ask(owner);
        } else if (what === "end" && state !== undefined) {
          places.release(owner);
          states.delete(owner);
        }
        expect(running().length).toBeLessThanOrEqual(limit);
      }
      // From now on, running runs end, stopped runs stay stopped, and waiting objects ask again.
      for (let round = 0; round < owners.length * 2; round += 1) {
        for (const owner of running()) {
          places.release(owner);
          states.delete(owner);
        }
        clock.now += HOUR;
        for (const owner of owners) if (states.get(owner) === "Waiting") ask(owner);
        expect(running().length).toBeLessThanOrEqual(limit);
      }
      for (const owner of owners) {
        if (states.get(owner) !== "Waiting") continue;
        const own = owners.filter(
          (other) => states.get(other) === "Stopped" && other.split("/")[2] === owner.split("/")[2],
        );
        expect(own.length).toBeGreaterThanOrEqual(limit);
      }
    },
  );
});
