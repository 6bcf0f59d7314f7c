import { expect, test } from "vitest";
import { REPLACED, type Row, type Target } from "../../desiredstate/index.ts";
import { applyRow, deleteRow, holdRow } from "../testing/builders.ts";
import { awaitsNews, isHeld } from "./openRows.ts";

const waits = holdRow({ why: { reason: REPLACED, message: "" } });
const held = holdRow({ wanted: false });
const ending = holdRow({ wanted: false, why: { reason: "Terminating", message: "" } });

test.each<{ name: string; row: Row; news: boolean; stuck: boolean }>([
  { name: "is applied", row: applyRow(), news: false, stuck: false },
  { name: "is held as it is wanted", row: holdRow(), news: false, stuck: false },
  { name: "is to go", row: deleteRow(), news: true, stuck: false },
  { name: "cannot go", row: held, news: true, stuck: true },
  { name: "is on its way out", row: ending, news: true, stuck: false },
  { name: "waits for a replacement", row: waits, news: true, stuck: true },
])("a copy that $name waits for news: $news, and is held: $stuck", ({ row, news, stuck }) => {
  expect([awaitsNews(undefined, [row]), isHeld(row)]).toEqual([news, stuck]);
  expect([awaitsNews(undefined, [applyRow(), row]), awaitsNews(undefined, [])]).toEqual([news, false]);
});

test.each<{ name: string; target: object; want: boolean }>([
  { name: "whose failover waits for contact", target: { failover: { awaitsContact: true }, decision: {} }, want: true },
  { name: "whose failover waits for nothing", target: { failover: {}, decision: {} }, want: false },
  { name: "for which room is being measured", target: { decision: { room: { uncounted: true } } }, want: true },
  { name: "for which all room is known", target: { decision: { room: { uncounted: false } } }, want: false },
  { name: "that is just placed", target: { decision: {} }, want: false },
])("an object $name waits for news: $want", ({ target, want }) => {
  expect(awaitsNews(target as unknown as Target, [applyRow()])).toBe(want);
});
