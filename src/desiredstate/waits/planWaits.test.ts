import { describe, expect, test } from "vitest";
import type { RolloutStatus } from "../../apis/index.ts";
import { REPLACED } from "../rows/index.ts";
import type { Row, Target } from "../types.ts";
import { waitsOfRoom, waitsOfRows, waitsOfRun } from "./planWaits.ts";

const reasonsOf = (waits: readonly { for: string }[]): string[] => [...new Set(waits.map((wait) => wait.for))];
const row = (verb: string, more: object = {}): Row => ({ verb, cluster: "a", ...more }) as unknown as Row;
const held = (reason: string, wanted: boolean): Row => row("Hold", { wanted, why: { reason, message: "" } });
const applied = row("Apply");

test.each<{ name: string; one: Row; want: string[] }>([
  { name: "is applied", one: applied, want: [] },
  { name: "is held as it is wanted", one: held("Suspended", true), want: [] },
  { name: "is to go", one: row("Delete"), want: ["contact", "hubSync"] },
  { name: "is being deleted", one: held("Terminating", false), want: ["contact", "hubSync"] },
  { name: "cannot go", one: held("NeededByOthers", false), want: ["contact", "hubSync", "others"] },
  { name: "waits for a replacement", one: held(REPLACED, true), want: ["contact", "hubSync", "others"] },
])("an object with a copy that $name waits for $want", ({ one, want }) => {
  expect(reasonsOf(waitsOfRows(undefined, [one]))).toEqual(want);
  expect(reasonsOf(waitsOfRows(undefined, [applied, one]))).toEqual(want);
  expect(waitsOfRows(undefined, [])).toEqual([]);
});

test("a removal waits for the clusters of its rows and of the target", () => {
  const target = { decision: {}, clusters: [{ name: "b" }] } as unknown as Target;
  const waits = waitsOfRows(target, [row("Delete")]);
  expect(waits.filter((wait) => wait.for === "contact").map(({ of }) => of)).toEqual(["a", "b"]);
});

test.each<{ name: string; target: object; want: boolean }>([
  { name: "whose failover waits for contact", target: { failover: { awaitsContact: true }, decision: {} }, want: true },
  { name: "whose failover waits for nothing", target: { failover: {}, decision: {} }, want: false },
  { name: "for which room is being measured", target: { decision: { room: { uncounted: true } } }, want: true },
  { name: "for which all room is known", target: { decision: { room: { uncounted: false } } }, want: false },
  { name: "that is just placed", target: { decision: {} }, want: false },
])("an object $name waits for any cluster: $want", ({ target, want }) => {
  const waits = waitsOfRows({ clusters: [], ...target } as unknown as Target, [applied]);
  expect(waits.some((wait) => wait.for === "contact" && wait.of === undefined)).toBe(want);
});

test("only a division that awaits room waits for the room of its clusters", () => {
  const target = (awaited: boolean) => ({ decision: { room: { awaited, clusters: ["a"] } } }) as unknown as Target;
  expect(waitsOfRoom(target(true))).toEqual([{ for: "capacity", of: "a" }]);
  expect([waitsOfRoom(target(false)), waitsOfRoom({ decision: {} } as unknown as Target)]).toEqual([[], []]);
});

describe("a rollout", () => {
  const atGate: RolloutStatus = { state: "Paused", reason: "Gate", stages: [{ name: "eu", state: "Paused" }] };
  test.each<{ name: string; status: RolloutStatus | undefined; want: object[] }>([
    { name: "that the object does not have", status: undefined, want: [] },
    { name: "that goes on", status: { state: "Progressing" }, want: [] },
    { name: "that goes back", status: { state: "RollingBack" }, want: [] },
    { name: "without a slot", status: { state: "Planned" }, want: [{ for: "turn" }] },
    { name: "that a person holds", status: { state: "Planned", reason: "User" }, want: [{ for: "approval" }] },
    { name: "with too many failures", status: { state: "Paused", reason: "Failures" }, want: [{ for: "approval" }] },
    { name: "that asks a gate", status: atGate, want: [{ for: "gate", of: "eu" }] },
    {
      name: "with an open approval",
      status: { ...atGate, message: "stage eu waits for approval" },
      want: [{ for: "approval", of: "eu" }],
    },
  ])("$name waits for $want", ({ status, want }) => expect(waitsOfRun(status)).toEqual(want));
});
