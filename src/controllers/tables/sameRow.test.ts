import { expect, test } from "vitest";
import type { ReleaseRow, Row } from "../../desiredstate/index.ts";
import { isSameRow } from "./sameRow.ts";
import { applyRow, CONFIG_REF, CLUSTER, deleteRow, holdRow, SHOP } from "../testing/builders.ts";

const why = { reason: "NotSelected", message: "not there any more" };
function releaseRow(change: Partial<ReleaseRow> = {}): ReleaseRow {
  return {
    cluster: CLUSTER,
    ref: CONFIG_REF,
    owner: SHOP,
    role: "rendered",
    verb: "Release",
    uid: "m",
    why,
    ...change,
  };
}
const variant = (hash: string) => applyRow({ hash });
const others = { reason: why.reason, message: "other words" };

const CASES: readonly { name: string; a: Row; b: Row; same: boolean }[] = [
  { name: "an apply as before", a: applyRow(), b: applyRow(), same: true },
  { name: "an apply for another object", a: applyRow(), b: applyRow({ owner: { ...SHOP, name: "x" } }), same: true },
  { name: "an apply of other content", a: applyRow(), b: applyRow({ hash: "h2" }), same: false },
  { name: "an apply that adopts", a: applyRow(), b: applyRow({ conflictResolution: "Adopt" }), same: false },
  { name: "an apply of other work", a: applyRow({ run: "r1" }), b: applyRow({ run: "r2" }), same: false },
  {
    name: "an apply of work that is done",
    a: applyRow({ run: "r1" }),
    b: applyRow({ run: "r1", done: "Complete" }),
    same: false,
  },
  { name: "an apply in another role", a: applyRow(), b: applyRow({ role: "dependency" }), same: false },
  { name: "an apply that becomes a hold", a: applyRow(), b: holdRow(), same: false },
  {
    name: "an apply with a label for the namespace",
    a: applyRow(),
    b: applyRow({ namespaceLabels: { a: "b" } }),
    same: false,
  },
  {
    name: "an apply with the same label for the namespace",
    a: applyRow({ namespaceLabels: { a: "b" } }),
    b: applyRow({ namespaceLabels: { a: "b" } }),
    same: true,
  },
  {
    name: "a hold with another label for the namespace",
    a: holdRow({ namespaceLabels: { a: "b" } }),
    b: holdRow({ namespaceLabels: { a: "c" } }),
    same: false,
  },
  {
    name: "a hold with the same label for the namespace",
    a: holdRow({ namespaceLabels: { a: "b" } }),
    b: holdRow({ namespaceLabels: { a: "b" } }),
    same: true,
  },
  { name: "an apply with an alternative", a: applyRow(), b: applyRow({ alternatives: [variant("v1")] }), same: false },
  {
    name: "an apply without its alternative",
    a: applyRow({ alternatives: [variant("v1")] }),
    b: applyRow(),
    same: false,
  },
  { name: "an apply with no alternatives", a: applyRow({ alternatives: [] }), b: applyRow(), same: true },
  {
    name: "an apply with the same alternatives",
    a: applyRow({ alternatives: [variant("v1"), variant("v2")] }),
    b: applyRow({ alternatives: [variant("v1"), variant("v2")] }),
    same: true,
  },
  {
    name: "an apply with one other alternative",
    a: applyRow({ alternatives: [variant("v1"), variant("v2")] }),
    b: applyRow({ alternatives: [variant("v1"), variant("v3")] }),
    same: false,
  },
  {
    name: "an apply reported on other terms",
    a: applyRow(),
    b: applyRow({ reporting: { withStatus: true } }),
    same: false,
  },
  { name: "a hold as before", a: holdRow(), b: holdRow(), same: true },
  { name: "a hold of what no policy places", a: holdRow(), b: holdRow({ unplaced: true }), same: false },
  { name: "a hold of what is wanted no more", a: holdRow(), b: holdRow({ wanted: false }), same: false },
  { name: "a hold that is to be confirmed", a: holdRow(), b: holdRow({ confirm: true }), same: false },
  { name: "a hold of other content", a: holdRow(), b: holdRow({ hash: "h2" }), same: false },
  { name: "a hold for another reason", a: holdRow({ why }), b: holdRow({ why: { ...why, reason: "X" } }), same: false },
  { name: "a hold in other words", a: holdRow({ why }), b: holdRow({ why: others }), same: false },
  { name: "a deletion as before", a: deleteRow(), b: deleteRow(), same: true },
  { name: "a deletion of another life", a: deleteRow(), b: deleteRow({ uid: "member-2" }), same: false },
  { name: "a deletion that was agreed to", a: deleteRow(), b: deleteRow({ agreed: true }), same: false },
  { name: "a deletion that leaves claims behind", a: deleteRow(), b: deleteRow({ keepsClaims: true }), same: false },
  { name: "a deletion in other words", a: deleteRow({ why }), b: deleteRow({ why: others }), same: false },
  { name: "a deletion that becomes a release", a: deleteRow({ uid: "m", why }), b: releaseRow(), same: false },
  { name: "a release as before", a: releaseRow(), b: releaseRow(), same: true },
  { name: "a release of another life", a: releaseRow(), b: releaseRow({ uid: "n" }), same: false },
  { name: "a release in other words", a: releaseRow(), b: releaseRow({ why: others }), same: false },
];

test.each(CASES)("$name asks for the same: $same", ({ a, b, same }) => {
  expect([isSameRow(a, b), isSameRow(b, a)]).toEqual([same, same]);
});

test("a row where there was none asks for another thing", () => {
  expect(isSameRow(applyRow(), undefined)).toBe(false);
});
