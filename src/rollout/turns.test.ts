import { describe, expect, test } from "vitest";
import { stopOf } from "./stop.ts";
import { START, World } from "./testing.ts";
import type { RolloutPolicy } from "./types.ts";

/** A run that waits for its turn since the policy bounds how many objects are rolled out at once, or since it has yielded its turn. */

const WAITS = "others go first";
const STAGES = { stages: [{ name: "first", approval: "Manual" as const }, { name: "second" }] };

/** Revision 1 is everywhere, and 2 is wanted. */
function world(policy: RolloutPolicy = STAGES): World {
  const it = new World(policy).add("first", "a").add("second", "b");
  it.commands = { paused: false, approvals: new Map([["first", "anna"]]) };
  it.settle();
  expect(it.status?.state).toBe("Succeeded");
  it.commands = { paused: false, approvals: new Map() };
  it.revision = 2;
  return it;
}

describe("a run that has not begun", () => {
  test("and is paused, asks for no turn until it is resumed", () => {
    const it = world();
    it.waitsForTurn = WAITS;
    it.commands = { ...it.commands, paused: true };
    it.settle();
    expect(it.status).toMatchObject({ state: "Planned", reason: "User" });
    expect(it.status).not.toHaveProperty("stages");
    expect(it.runs()).toEqual({ a: 1, b: 1 });
    it.commands = { ...it.commands, paused: false };
    it.settle();
    expect(it.status).toMatchObject({ state: "Planned", message: WAITS });
    expect(it.status).not.toHaveProperty("reason");
  });

  test("and is aborted, is taken back at once", () => {
    const it = world();
    it.waitsForTurn = WAITS;
    it.settle();
    it.commands = { ...it.commands, abort: 2 };
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
    expect(it.runs()).toEqual({ a: 1, b: 1 });
  });
});

describe("a run that has yielded its turn", () => {
  const yielded = (): World => {
    const it = world();
    it.settle();
    expect(it.status).toMatchObject({ state: "Paused", reason: "Gate" });
    it.waitsForTurn = WAITS;
    return it;
  };

  test("stays as it is while it has nothing to go on with", () => {
    const it = yielded();
    const before = it.status;
    it.settle();
    expect(it.status).toEqual(before);
    expect(it.runs()).toEqual({ a: 2, b: 1 });
  });

  test("waits for another turn before it goes on, and begins nothing meanwhile", () => {
    const it = yielded();
    it.commands = { ...it.commands, approvals: new Map([["first", "anna"]]) };
    it.settle();
    expect(it.status).toMatchObject({ state: "Planned", message: WAITS });
    expect(it.runs()).toEqual({ a: 2, b: 1 });
    const plan = it.status?.stages?.map(({ name }) => name);
    it.waitsForTurn = undefined;
    it.settle();
    expect(it.status).toMatchObject({ state: "Succeeded" });
    expect(it.status?.stages?.map(({ name }) => name)).toEqual(plan);
    expect(it.runs()).toEqual({ a: 2, b: 2 });
  });

  test("goes back without one", () => {
    const it = yielded();
    it.commands = { ...it.commands, abort: 2 };
    it.settle();
    expect(it.status?.state).toBe("RolledBack");
    expect(it.runs()).toEqual({ a: 1, b: 1 });
  });
});

describe("a run stops", () => {
  const HOUR = 3_600_000;
  const since = "2026-11-22T08:00:00Z";
  const stages = [
    { name: "first", state: "Succeeded" as const },
    { name: "second", state: "Paused" as const },
  ];
  const deadlines = {
    stages: [
      { name: "first", deadline: "5m" },
      { name: "second", deadline: "10m" },
    ],
  };

  test.each([
    { name: "for an hour, where the policy says nothing", policy: {}, want: HOUR },
    { name: "for the deadline of its stage", policy: deadlines, want: 600_000 },
    { name: "for what the policy says", policy: { ...deadlines, yieldAfter: "2h" }, want: 2 * HOUR },
  ])("$name", ({ policy, want }) => {
    expect(stopOf(policy, { state: "Paused", since, stages })).toEqual({ since: START, patienceMs: want });
  });

  test.each(["Paused", "RolledBack"] as const)("when it is %s", (state) => {
    expect(stopOf({}, { state, since })).toBeDefined();
  });

  test.each(["Planned", "Progressing", "RollingBack", "Succeeded", "Superseded"] as const)(
    "not when it is %s",
    (state) => {
      expect(stopOf({}, { state, since })).toBeUndefined();
    },
  );
});
