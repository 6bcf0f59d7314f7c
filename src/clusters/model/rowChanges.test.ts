import { describe, expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import { asksTheSame, isForgettable, rowFor } from "./rowChanges.ts";
import { deleteRow, holdRow, memberObject, OWNER, releaseRow, row, seen } from "../testing/builders.ts";

const other = { reason: "Other", message: "other words" };

test.each<[name: string, a: Row, b: Row, want: boolean]>([
  ["applies of the same hash", row(), row({ owner: { ...OWNER, name: "bank" } }), true],
  ["applies of different hashes", row(), row({ hash: "h2" }), false],
  ["another conflict resolution", row(), row({ conflictResolution: "Adopt" }), false],
  ["another run", row({ run: "r1" }), row({ run: "r2" }), false],
  ["a run that is done", row({ run: "r1" }), row({ run: "r1", done: "Complete" }), false],
  ["holds for different reasons", holdRow(), holdRow({ why: other, wanted: false }), true],
  ["holds that both ask for a confirmation", holdRow({ confirm: true }), holdRow({ confirm: true }), true],
  ["a hold that asks for a confirmation", holdRow(), holdRow({ confirm: true }), false],
  ["removals of one UID", deleteRow({ agreed: true }), deleteRow({ agreed: true, why: other }), true],
  ["removals of two UIDs", deleteRow(), deleteRow({ uid: "member-2" }), false],
  ["a removal to which a person agreed", deleteRow(), deleteRow({ agreed: true }), false],
  ["a removal that keeps claims", deleteRow(), deleteRow({ keepsClaims: true }), false],
  ["releases of one UID", releaseRow(), releaseRow({ why: other }), true],
  ["releases of two UIDs", releaseRow(), releaseRow({ uid: "member-2" }), false],
  ["an apply and a hold", row(), holdRow(), false],
  ["an apply and a removal", row(), deleteRow(), false],
  ["a hold and a removal", holdRow(), deleteRow(), false],
  ["a hold and a release", holdRow(), releaseRow(), false],
  ["a removal and a release", deleteRow(), releaseRow(), false],
])("%s: the same request %4$s", (_, a, b, want) => {
  expect([asksTheSame(a, b), asksTheSame(b, a)]).toEqual([want, want]);
});

test.each([
  { name: "nothing", object: {}, want: true },
  { name: "a row", object: { row: row() }, want: false },
  { name: "an observation", object: { observed: seen() }, want: false },
  { name: "a write under way", object: { writing: true }, want: false },
])("a member object with $name can be forgotten: $want", ({ object, want }) => {
  expect(isForgettable(memberObject(object))).toBe(want);
});

describe("the row in effect", () => {
  const bank = { ...OWNER, name: "bank", uid: "app-2" };
  const alternative = row({ owner: bank, hash: "h2" });
  const given = row({ role: "dependency", alternatives: [alternative] });

  test.each([
    { name: "is none without a given row", given: undefined, observed: seen(), want: undefined },
    { name: "is the given row while nothing is observed", given, observed: undefined, want: given },
    { name: "is the given row when the object names its owner", given, observed: seen(), want: given },
    {
      name: "is the row of the owner that the object names",
      given,
      observed: seen({ owner: bank }),
      want: alternative,
    },
  ])("$name", ({ given: asked, observed, want }) => expect(rowFor({ given: asked, observed })).toEqual(want));
});
