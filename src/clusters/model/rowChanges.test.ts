import { expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import { asksTheSame } from "./rowChanges.ts";
import { deleteRow, holdRow, OWNER, releaseRow, row } from "../testing/builders.ts";

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
