import { describe, expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import { decide } from "./decide.ts";
import type { ObservedObject } from "./observed.ts";
import { CONFIG_REF, deleteRow, holdRow, objectsWithLog, releaseRow, row, seen } from "../testing/builders.ts";

interface Case {
  name: string;
  row?: Row;
  observed?: ObservedObject;
  isKnown?: boolean;
  want: string;
}

describe("decide", () => {
  test.each<Case>([
    { name: "what is wanted and not there is created", row: row(), want: "Create" },
    { name: "what is as wanted is left alone", row: row(), observed: seen(), want: "Nothing" },
    { name: "another hash is applied", row: row({ hash: "h2" }), observed: seen(), want: "Update" },
    { name: "a lost field is taken back", row: row(), observed: seen({ owns: false }), want: "Update" },
    { name: "what is held is not written", row: holdRow({ hash: "h2" }), observed: seen(), want: "Nothing" },
    { name: "what is held is not created", row: holdRow(), want: "Nothing" },
    { name: "what is held is not removed", row: holdRow({ wanted: false }), observed: seen(), want: "Nothing" },
    {
      name: "what is on its way out is waited for",
      row: row({ hash: "h2" }),
      observed: seen({ deleting: true }),
      want: "Nothing",
    },
    { name: "what has no row is left alone", observed: seen(), want: "Nothing" },
    { name: "the life that a row names is deleted", row: deleteRow(), observed: seen(), want: "Delete" },
    { name: "or let go of", row: releaseRow(), observed: seen(), want: "Release" },
    { name: "another life is not deleted", row: deleteRow({ uid: "other" }), observed: seen(), want: "Nothing" },
    { name: "nor let go of", row: releaseRow({ uid: "other" }), observed: seen(), want: "Nothing" },
    { name: "nothing goes before its kind is known", row: deleteRow(), observed: seen(), isKnown: false, want: "Held" },
    { name: "and only once", row: deleteRow(), observed: seen({ deleting: true }), want: "Nothing" },
    { name: "what is not shown is looked for by its name", row: deleteRow(), want: "Confirm" },
    { name: "or let go of without our label", row: releaseRow(), want: "Confirm" },
    { name: "but not before its kind is known", row: deleteRow(), isKnown: false, want: "Held" },
    { name: "nor where it is only held", row: holdRow({ wanted: false }), want: "Nothing" },
    { name: "unless it should not be there", row: holdRow({ wanted: false, confirm: true }), want: "Confirm" },
    {
      name: "what is shown needs no looking for",
      row: holdRow({ wanted: false, confirm: true }),
      observed: seen(),
      want: "Nothing",
    },
  ])("$name", ({ row: wanted, observed, isKnown = true, want }) => {
    const { objects, take, withdraw, find } = objectsWithLog();
    if (wanted === undefined) withdraw();
    else take(wanted);
    if (observed !== undefined) objects.observe(CONFIG_REF, observed);
    expect(decide(find(), isKnown).kind).toBe(want);
  });

  test("a removal names the UID of the object that was seen", () => {
    const { objects, take, find } = objectsWithLog();
    take(deleteRow({ uid: "life-2" }));
    const observed = seen({ uid: "life-2" });
    objects.observe(CONFIG_REF, observed);
    expect(decide(find(), true)).toEqual({ kind: "Delete", observed });
  });
});
