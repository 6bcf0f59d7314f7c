import { describe, expect, test } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import type { Observation, Row } from "../../desiredstate/index.ts";
import { hasBegun, openCell } from "./rowProgress.ts";
import { type Plan, ObjectStates } from "../states/index.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_REF,
  deleteRow,
  holdRow,
  inContact,
  observation,
  owner,
  SHOP,
  workTables,
} from "../testing/builders.ts";

const SHOP_KEY = refKey(SHOP);
const OTHER: ObjectRef = { ...CONFIG_REF, name: "other" };
const failure = { reason: "QuotaExceeded", message: "too much", final: false };

/** The rows of the application and the reports about them; `plan`: its clusters, and those with possible leftovers. */
function tables(
  rows: readonly Row[],
  reported: readonly Observation[] = [],
  { target, remaining }: { target?: readonly string[]; remaining?: readonly string[] } = { target: [CLUSTER] },
) {
  const all = workTables();
  const states = new ObjectStates();
  states.setPlan(SHOP_KEY, {
    ...{ uid: "u", generation: 1, ours: true, remaining: new Set(remaining) },
    target: target && { clusters: target.map((name) => ({ name, objects: [] })) },
  } as unknown as Plan);
  all.assignments.replace(SHOP_KEY, rows);
  all.observations.report(CLUSTER, reported);
  const sources = { ...all, states };
  return { ...sources, open: (known?: Parameters<typeof openCell>[2]) => openCell(sources, SHOP_KEY, known) };
}

describe("a row is open", () => {
  const unwanted = holdRow({ wanted: false });
  test.each<[string, Row, Observation | undefined, boolean, Parameters<typeof tables>[2]?]>([
    ["if the object is to be created", applyRow(), undefined, true],
    ["not if the object is in sync", applyRow(), observation(), false],
    ["not if the row has failed", applyRow(), absent({ failure }), false],
    ["if the object has other content", applyRow({ hash: "h2" }), observation(), true],
    ["while the object to be removed is there", deleteRow(), observation(), true],
    ["while the object to be removed is written", deleteRow(), absent({ writing: true }), true],
    ["on a cluster with possible leftovers", deleteRow(), observation(), true, { remaining: [CLUSTER] }],
    [
      "not on a cluster outside plan and record",
      deleteRow(),
      observation(),
      false,
      { target: ["x"], remaining: ["x"] },
    ],
    ["not if the removed object is gone", deleteRow(), undefined, false],
    ["not if the object is held as wanted", holdRow(), observation(), false],
    ["if an unwanted object is held", unwanted, observation(), true],
  ])("%s", (_, row, reported, want, plan) => {
    const { open } = tables([row], reported === undefined ? [] : [reported], plan);
    expect(open()?.ref).toEqual(want ? CONFIG_REF : undefined);
  });

  test("after its withdrawal, while the copy is there", () => {
    const { assignments, open } = tables([applyRow()], [observation()]);
    assignments.replace(SHOP_KEY, []);
    expect(open()?.ref).toEqual(CONFIG_REF);
  });

  test("not on a cluster that does not answer", () => {
    const { observations, open } = tables([applyRow()]);
    observations.contact(CLUSTER, { ...inContact, ok: false });
    expect(open()).toBeUndefined();
  });
});

test.each<[string, Row, Observation, boolean, number?]>([
  ["if an object is in sync", applyRow(), observation(), true],
  ["if a row has failed", applyRow(), absent({ failure }), true],
  ["not if the object has other content", applyRow({ hash: "h2" }), observation(), false],
  ["not by a row from before", applyRow(), observation(), false, 6],
])("a new plan has begun %s", (_, row, reported, want, plannedAt = 5) => {
  const all = tables([]);
  all.state.now = 5;
  all.assignments.replace(SHOP_KEY, [row]);
  all.observations.report(CLUSTER, [reported]);
  expect(hasBegun(all, SHOP_KEY, plannedAt)).toBe(want);
});

describe("a new plan has begun", () => {
  test.each<[string, Row[], Observation | undefined, boolean, number?]>([
    ["if an object is in sync", [applyRow()], observation(), true],
    ["if a row has failed", [applyRow()], absent({ failure }), true],
    ["not if nothing is there", [applyRow()], undefined, false],
    ["not if the object has other content", [applyRow({ hash: "h2" })], observation(), false],
    ["not if the object is held", [holdRow({ hash: "h1" })], observation(), false],
    ["not by a row from before", [applyRow()], observation(), false, 6],
    ["by a row of the same moment", [applyRow()], observation(), true, 5],
    ["if one of several objects is in sync", [applyRow({ ref: OTHER }), applyRow()], observation(), true],
  ])("%s", (_, rows, reported, want, plannedAt = 5) => {
    const all = tables([]);
    all.state.now = 5;
    all.assignments.replace(SHOP_KEY, rows);
    all.observations.report(CLUSTER, reported === undefined ? [] : [reported]);
    expect([hasBegun(all, SHOP_KEY, plannedAt), hasBegun(all, refKey(owner("cart")), 0)]).toEqual([want, false]);
  });

  test("not by a withdrawn row whose copy is there", () => {
    const all = tables([applyRow()], [observation()]);
    all.assignments.replace(SHOP_KEY, []);
    expect(hasBegun(all, SHOP_KEY, 0)).toBe(false);
  });
});
