import { describe, expect, test } from "vitest";
import type { RolloutStatus } from "../../apis/index.ts";
import { REPLACED, type Row, type Target } from "../../desiredstate/index.ts";
import { applyRow, deleteRow, holdRow } from "../testing/builders.ts";
import { awaitsMembers, waitsOfRollout, waitsOfRoom, waitsOfRows } from "./openWaits.ts";
import type { ObjectRollout } from "./rolloutStep.ts";

const reasonsOf = (waits: readonly { for: string }[]): string[] => [...new Set(waits.map((wait) => wait.for))];
const replaced = holdRow({ why: { reason: REPLACED, message: "" } });
const held = holdRow({ wanted: false });
const ending = holdRow({ wanted: false, why: { reason: "Terminating", message: "" } });

test.each<{ name: string; row: Row; want: string[] }>([
  { name: "is applied", row: applyRow(), want: [] },
  { name: "is held as it is wanted", row: holdRow(), want: [] },
  { name: "is to go", row: deleteRow(), want: ["contact", "hubSync"] },
  { name: "is being deleted", row: ending, want: ["contact", "hubSync"] },
  { name: "cannot go", row: held, want: ["contact", "hubSync", "others"] },
  { name: "waits for a replacement", row: replaced, want: ["contact", "hubSync", "others"] },
])("an object with a copy that $name waits for $want", ({ row, want }) => {
  expect(reasonsOf(waitsOfRows(undefined, [row]))).toEqual(want);
  expect(reasonsOf(waitsOfRows(undefined, [applyRow(), row]))).toEqual(want);
  expect(waitsOfRows(undefined, [])).toEqual([]);
});

test("a removal waits for the clusters of its rows and of the target", () => {
  const target = { decision: {}, clusters: [{ name: "b" }] } as unknown as Target;
  const waits = waitsOfRows(target, [deleteRow({ cluster: "a" })]);
  expect(waits.filter((wait) => wait.for === "contact").map(({ of }) => of)).toEqual(["a", "b"]);
});

test.each<{ name: string; target: object; want: boolean }>([
  { name: "whose failover waits for contact", target: { failover: { awaitsContact: true }, decision: {} }, want: true },
  { name: "whose failover waits for nothing", target: { failover: {}, decision: {} }, want: false },
  { name: "for which room is being measured", target: { decision: { room: { uncounted: true } } }, want: true },
  { name: "for which all room is known", target: { decision: { room: { uncounted: false } } }, want: false },
  { name: "that is just placed", target: { decision: {} }, want: false },
])("an object $name waits for any cluster: $want", ({ target, want }) => {
  const waits = waitsOfRows({ clusters: [], ...target } as unknown as Target, [applyRow()]);
  expect(waits.some((wait) => wait.for === "contact" && wait.of === undefined)).toBe(want);
});

describe("a rollout", () => {
  const rollout = (status: Partial<RolloutStatus>, more: Partial<ObjectRollout> = {}): string[] =>
    reasonsOf(waitsOfRollout({ isUnderWay: true, asks: [], status, ...more } as unknown as ObjectRollout));

  test.each<{ name: string; got: string[]; want: string[] }>([
    { name: "that is over", got: rollout({}, { isUnderWay: false }), want: [] },
    { name: "that goes on", got: rollout({ state: "Progressing" }), want: ["contact"] },
    { name: "without a slot", got: rollout({ state: "Planned" }), want: ["contact", "turn"] },
    { name: "that a person holds", got: rollout({ state: "Planned", reason: "User" }), want: ["contact", "approval"] },
    { name: "that waits for an approval", got: rollout({ state: "Paused" }), want: ["contact", "approval"] },
    { name: "that asks a gate", got: rollout({ state: "Paused" }, { asks: ["x"] }), want: ["contact", "gate"] },
    {
      name: "with a time limit",
      got: rollout({ state: "Progressing" }, { recheckAt: 1 }),
      want: ["contact", "window"],
    },
  ])("$name waits for $want", ({ got, want }) => expect(got).toEqual(want));
});

test("only a division that awaits room waits for the room of its clusters", () => {
  const target = (awaited: boolean) => ({ decision: { room: { awaited, clusters: ["a"] } } }) as unknown as Target;
  expect(waitsOfRoom(target(true))).toEqual([{ for: "capacity", of: "a" }]);
  expect([waitsOfRoom(target(false)), waitsOfRoom({ decision: {} } as unknown as Target)]).toEqual([[], []]);
});

test("only a wait for pending members has contact and an end", () => {
  expect(awaitsMembers([{ for: "contact", until: 1 }])).toBe(true);
  expect(awaitsMembers([{ for: "contact" }, { for: "window", until: 1 }])).toBe(false);
});
