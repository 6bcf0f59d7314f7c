import { describe, expect, test } from "vitest";
import type { Observation, Row } from "../../desiredstate/index.ts";
import { SyncCounts, type SyncState, syncStateOf } from "./syncCounts.ts";
import { applyRow, deleteRow, holdRow, observation } from "../testing/builders.ts";

const right = observation();
const { inSyncWith: _, ...altered } = right;

describe("a member object", () => {
  test.each<{ name: string; row: Row | undefined; seen: Observation | undefined; want: SyncState | undefined }>([
    { name: "that nobody asks for is not counted", row: undefined, seen: right, want: undefined },
    { name: "that is as its row says", row: applyRow(), seen: right, want: "upToDate" },
    { name: "that is not there yet", row: applyRow(), seen: undefined, want: "outOfSync" },
    { name: "that is as an earlier row said", row: applyRow({ hash: "h2" }), seen: right, want: "outOfSync" },
    { name: "of which a field was taken", row: applyRow(), seen: altered, want: "outOfSync" },
    { name: "that is to go", row: deleteRow(), seen: right, want: "outOfSync" },
    { name: "that is gone", row: deleteRow(), seen: undefined, want: undefined },
    { name: "that is to go and may not yet", row: holdRow({ wanted: false }), seen: right, want: "outOfSync" },
    {
      name: "that is frozen as it is to be",
      row: holdRow({ wanted: true, hash: "h1" }),
      seen: right,
      want: "upToDate",
    },
    { name: "that is frozen as it was", row: holdRow({ wanted: true, hash: "h2" }), seen: right, want: "outOfSync" },
    { name: "that is retained", row: holdRow({ wanted: true }), seen: right, want: "upToDate" },
    {
      name: "that is frozen, and is not there",
      row: holdRow({ wanted: true, hash: "h1" }),
      seen: undefined,
      want: "outOfSync",
    },
    { name: "that may not go yet, and is gone", row: holdRow({ wanted: false }), seen: undefined, want: undefined },
    { name: "that is to be let go of", row: deleteRow({ verb: "Release" as never }), seen: right, want: "outOfSync" },
    { name: "that is let go of", row: deleteRow({ verb: "Release" as never }), seen: undefined, want: undefined },
  ])("$name", ({ row, seen, want }) => expect(syncStateOf(row, seen)).toBe(want));
});

test("counts follow every change, by kind", () => {
  const counts = new SyncCounts();
  counts.move("Deployment", undefined, "outOfSync");
  counts.move("Deployment", undefined, "outOfSync");
  counts.move("Service", undefined, "upToDate");
  counts.move("Deployment", "outOfSync", "upToDate");
  counts.move("Service", "upToDate", undefined);
  counts.move("Secret", undefined, undefined);
  expect([...counts]).toEqual([
    { kind: "Deployment", upToDate: 1, outOfSync: 1 },
    { kind: "Service", upToDate: 0, outOfSync: 0 },
  ]);
});
