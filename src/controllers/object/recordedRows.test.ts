import { expect, test } from "vitest";
import { Plans } from "../tables/plans.ts";
import { RecordedRows } from "./recordedRows.ts";
import { applyRow, deleteRow, holdRow } from "../testing/builders.ts";
import { planOn } from "../testing/copySources.ts";

const OWNER = "shop";
const ROWS = [
  applyRow({ cluster: "a" }),
  applyRow({ cluster: "b" }),
  deleteRow({ cluster: "c" }),
  holdRow({ cluster: "d" }),
];

/** The plan has the clusters a and b. */
function recording(...names: string[]) {
  const recorded = new Set(names);
  const plans = new Plans();
  plans.set(OWNER, planOn(["a", "b"]));
  return { recorded, plans, rows: new RecordedRows({ plans, store: { recorded: () => recorded } }) };
}

test("what is recorded everywhere goes out, and nothing waits", () => {
  const { rows } = recording("a", "b");
  expect(rows.of(OWNER, ROWS)).toBe(ROWS);
  expect(rows.hasArrived(OWNER)).toBe(false);
});

test("what a cluster is to get waits for its record; what is to go or to stay there waits for nothing", () => {
  const { rows, recorded } = recording("a");
  expect(rows.of(OWNER, ROWS)).toEqual([ROWS[0], ROWS[2], ROWS[3]]);
  expect(rows.hasArrived(OWNER)).toBe(false);
  recorded.add("b");
  expect([rows.hasArrived(OWNER), rows.hasArrived("another")]).toEqual([true, false]);
  expect(rows.of(OWNER, ROWS)).toBe(ROWS);
  expect(rows.hasArrived(OWNER)).toBe(false);
});

test("an object that is forgotten waits for no record", () => {
  const { rows, recorded } = recording();
  rows.of(OWNER, ROWS);
  recorded.add("a").add("b");
  rows.forget(OWNER);
  expect(rows.hasArrived(OWNER)).toBe(false);
});

test("an object without a plan, or one that is being deleted, waits for none", () => {
  const { rows, plans } = recording();
  plans.set(OWNER, planOn([], { target: undefined }));
  expect(rows.of(OWNER, ROWS)).toBe(ROWS);
  plans.drop(OWNER);
  expect(rows.of(OWNER, ROWS)).toBe(ROWS);
});
