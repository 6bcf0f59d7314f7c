import { describe, expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import { asksTheSame, isForgettable, rowFor } from "./rowChanges.ts";
import { deleteRow, holdRow, OWNER, releaseRow, row, seen } from "../testing/builders.ts";

describe("two rows", () => {
  const other = { reason: "Other", message: "other words" };

  test.each<{ name: string; a: Row; b: Row }>([
    { name: "applies of the same hash", a: row(), b: row({ owner: { ...OWNER, name: "bank" } }) },
    { name: "holds for different reasons", a: holdRow(), b: holdRow({ why: other, wanted: false }) },
    { name: "holds that both ask to look", a: holdRow({ confirm: true }), b: holdRow({ confirm: true }) },
    { name: "removals of the same life", a: deleteRow(), b: deleteRow({ why: other }) },
    { name: "agreed removals", a: deleteRow({ agreed: true }), b: deleteRow({ agreed: true }) },
    { name: "releases of the same life", a: releaseRow(), b: releaseRow({ why: other }) },
  ])("ask the same: $name", ({ a, b }) => {
    expect([asksTheSame(a, b), asksTheSame(b, a)]).toEqual([true, true]);
  });

  test.each<{ name: string; a: Row; b: Row }>([
    { name: "applies of different hashes", a: row(), b: row({ hash: "h2" }) },
    { name: "an apply that takes over what is there", a: row(), b: row({ conflictResolution: "Adopt" }) },
    { name: "a hold that asks to look", a: holdRow(), b: holdRow({ confirm: true }) },
    { name: "an apply and a hold", a: row(), b: holdRow() },
    { name: "an apply and a removal", a: row(), b: deleteRow() },
    { name: "a hold and a removal", a: holdRow(), b: deleteRow() },
    { name: "a hold and a release", a: holdRow(), b: releaseRow() },
    { name: "a removal and a release", a: deleteRow(), b: releaseRow() },
    { name: "removals of different lives", a: deleteRow(), b: deleteRow({ uid: "member-2" }) },
    { name: "releases of different lives", a: releaseRow(), b: releaseRow({ uid: "member-2" }) },
    { name: "a removal to which somebody agreed", a: deleteRow(), b: deleteRow({ agreed: true }) },
    { name: "a removal that leaves claims behind", a: deleteRow(), b: deleteRow({ keepsClaims: true }) },
  ])("ask for different things: $name", ({ a, b }) => {
    expect([asksTheSame(a, b), asksTheSame(b, a)]).toEqual([false, false]);
  });
});

test.each([
  { name: "of which nothing is left is forgotten", object: {}, want: true },
  { name: "with a row is kept", object: { row: row() }, want: false },
  { name: "that is there is kept", object: { observed: seen() }, want: false },
  { name: "that is being written is kept", object: { writing: true }, want: false },
])("a member object $name", ({ object, want }) => {
  const nothing = { row: undefined, observed: undefined, writing: false };
  expect(isForgettable({ ...nothing, ...object } as Parameters<typeof isForgettable>[0])).toBe(want);
});

describe("the row that counts", () => {
  const bank = { ...OWNER, name: "bank", uid: "app-2" };
  const alternative = row({ owner: bank, hash: "h2" });
  const given = row({ role: "dependency", alternatives: [alternative] });

  test.each([
    { name: "is none when none was given", given: undefined, observed: seen(), want: undefined },
    { name: "is the given one when nothing is there", given, observed: undefined, want: given },
    { name: "is the given one when the member object names its owner", given, observed: seen(), want: given },
    {
      name: "is that of the owner that the member object names",
      given,
      observed: seen({ owner: bank }),
      want: alternative,
    },
  ])("$name", ({ given: asked, observed, want }) => {
    expect(rowFor({ given: asked, observed })).toEqual(want);
  });
});
