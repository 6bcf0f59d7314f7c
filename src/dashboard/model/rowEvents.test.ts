import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { type RowEvent, RowTable, watchEventOf } from "./rowEvents.ts";

describe("watchEventOf", () => {
  const status = { name: "web" };
  const metadata = { namespace: "shop", name: "web" };
  const cases: { name: string; data: object; want: object | undefined }[] = [
    {
      name: "ADDED sets a row",
      data: { type: "ADDED", object: { metadata, status } },
      want: { type: "SET", key: "shop/web", row: status },
    },
    {
      name: "MODIFIED sets a row",
      data: { type: "MODIFIED", object: { metadata, status } },
      want: { type: "SET", key: "shop/web", row: status },
    },
    {
      name: "DELETED names a row",
      data: { type: "DELETED", object: { metadata, status } },
      want: { type: "DELETED", key: "shop/web" },
    },
    {
      name: "a row of no namespace",
      data: { type: "DELETED", object: { metadata: { name: "eu-1" } } },
      want: { type: "DELETED", key: "/eu-1" },
    },
    {
      name: "a bookmark",
      data: { type: "BOOKMARK", object: { metadata: { resourceVersion: "7" } } },
      want: { type: "BOOKMARK" },
    },
    {
      name: "the end of a watch",
      data: { type: "ERROR", object: { code: 410, message: "too slow" } },
      want: { type: "ERROR", code: 410, message: "too slow" },
    },
    { name: "a type of a later server", data: { type: "RENAMED", object: { metadata, status } }, want: undefined },
  ];
  test.each(cases)("$name", ({ data, want }) =>
    expect(watchEventOf({ event: "", data: JSON.stringify({ watch: "w1", ...data }) })?.change).toEqual(want),
  );

  test.each([
    { name: "the version of an object", resourceVersion: "7", version: "7" },
    { name: "no version among the first rows", resourceVersion: "0", version: undefined },
    { name: "no version", resourceVersion: undefined, version: undefined },
  ])("says which watch it belongs to, and where it can go on: $name", ({ resourceVersion, version }) => {
    const data = { watch: "w1", type: "DELETED", object: { metadata: { ...metadata, resourceVersion } } };
    const change = { type: "DELETED", key: "shop/web" };
    expect(watchEventOf({ event: "", data: JSON.stringify(data) })).toEqual({ watch: "w1", version, change });
  });

  test("an event of no watch is left out", () => {
    expect(watchEventOf({ event: "", data: JSON.stringify({ type: "BOOKMARK" }) })).toBeUndefined();
  });
});

type Event = RowEvent<number>;
const keys = fc.constantFrom("a", "b", "c", "d");
const change: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ type: fc.constant("SET" as const), key: keys, row: fc.nat(9) }),
  fc.record({ type: fc.constant("DELETED" as const), key: keys }),
);
const changes = fc.array(change, { maxLength: 12 });
const bookmark: Event = { type: "BOOKMARK" };

function replayed(events: readonly Event[]): Map<string, number> {
  const rows = new Map<string, number>();
  for (const event of events) {
    if (event.type === "SET") rows.set(event.key, event.row);
    if (event.type === "DELETED") rows.delete(event.key);
  }
  return rows;
}

function sorted(rows: Iterable<number>): number[] {
  return [...rows].toSorted((a, b) => a - b);
}

describe("RowTable", () => {
  property.prop([changes, changes])(
    "has the rows of the present after a fresh start, and none of before",
    (before, after) => {
      const table = new RowTable<number>();
      for (const event of [...before, bookmark]) table.apply(event);
      table.restart();
      for (const event of [...after, bookmark]) table.apply(event);
      expect(sorted(table.rows())).toEqual(sorted(replayed(after).values()));
    },
  );

  property.prop([changes, changes])("keeps its rows where a stream goes on", (before, after) => {
    const table = new RowTable<number>();
    for (const event of [...before, bookmark, ...after, bookmark]) table.apply(event);
    expect(sorted(table.rows())).toEqual(sorted(replayed([...before, ...after]).values()));
  });

  property.prop([changes, changes])("tells of every change once, with the row before", (before, after) => {
    const told: number[] = [];
    const table = new RowTable<number>((was, is) => {
      if (was !== undefined) told.splice(told.indexOf(was), 1);
      if (is !== undefined) told.push(is);
    });
    for (const event of [...before, bookmark]) table.apply(event);
    table.restart();
    for (const event of [...after, bookmark]) table.apply(event);
    expect(sorted(told)).toEqual(sorted(table.rows()));
  });

  test("shows the old rows until all new ones are here", () => {
    const table = new RowTable<number>();
    for (const event of [{ type: "SET", key: "a", row: 1 }, bookmark] as const) table.apply(event);
    table.restart();
    expect([table.isComplete, table.rows()]).toEqual([false, [1]]);
    table.apply(bookmark);
    expect([table.isComplete, table.rows()]).toEqual([true, []]);
  });
});
