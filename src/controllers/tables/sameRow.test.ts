import { expect, test } from "vitest";
import type { ReleaseRow, Row } from "../../desiredstate/index.ts";
import { isSameRow } from "./sameRow.ts";
import { applyRow, deleteRow, holdRow, SHOP } from "../testing/builders.ts";

const why = { reason: "NotSelected", message: "not there any more" };
const others = { ...why, message: "other words" };
const labels = (a: string) => ({ namespaceLabels: { a } });
const variants = (...hashes: string[]) => ({ alternatives: hashes.map((hash) => applyRow({ hash })) });
const release = (more: object = {}): ReleaseRow => ({ ...deleteRow({ uid: "m", why }), verb: "Release", ...more });

test.each<[string, Row, Row, boolean]>([
  ["apply", applyRow(), applyRow({ hubVersion: "9" }), true],
  ["apply, other owner", applyRow(), applyRow({ owner: { ...SHOP, name: "x" } }), true],
  ["apply, other content", applyRow(), applyRow({ hash: "h2" }), false],
  ["apply, adopting", applyRow(), applyRow({ conflictResolution: "Adopt" }), false],
  ["apply, other run", applyRow({ run: "r1" }), applyRow({ run: "r2" }), false],
  ["apply, run that is done", applyRow({ run: "r1" }), applyRow({ run: "r1", done: "Complete" }), false],
  ["apply, other role", applyRow(), applyRow({ role: "dependency" }), false],
  ["apply, then hold", applyRow(), holdRow({ hash: "h1" }), false],
  ["apply, other namespace labels", applyRow(), applyRow(labels("b")), false],
  ["apply, same namespace labels", applyRow(labels("b")), applyRow(labels("b")), true],
  ["apply, first alternative", applyRow(), applyRow(variants("v1")), false],
  ["apply, no alternatives", applyRow({ alternatives: [] }), applyRow(), true],
  ["apply, same alternatives", applyRow(variants("v1", "v2")), applyRow(variants("v1", "v2")), true],
  ["apply, one other alternative", applyRow(variants("v1", "v2")), applyRow(variants("v1", "v3")), false],
  ["apply, other report terms", applyRow(), applyRow({ reporting: { withStatus: true } }), false],
  ["hold", holdRow(), holdRow(), true],
  ["hold, unplaced", holdRow(), holdRow({ unplaced: true }), false],
  ["hold, no longer wanted", holdRow(), holdRow({ wanted: false }), false],
  ["hold, to be confirmed", holdRow(), holdRow({ confirm: true }), false],
  ["hold, other content", holdRow(), holdRow({ hash: "h2" }), false],
  ["hold, other namespace labels", holdRow(labels("b")), holdRow(labels("c")), false],
  ["hold, same namespace labels", holdRow(labels("b")), holdRow(labels("b")), true],
  ["hold, other reason", holdRow({ why }), holdRow({ why: { ...why, reason: "X" } }), false],
  ["hold, other message", holdRow({ why }), holdRow({ why: others }), false],
  ["delete", deleteRow(), deleteRow(), true],
  ["delete, other UID", deleteRow(), deleteRow({ uid: "member-2" }), false],
  ["delete, agreed", deleteRow(), deleteRow({ agreed: true }), false],
  ["delete, keeping claims", deleteRow(), deleteRow({ keepsClaims: true }), false],
  ["delete, other message", deleteRow({ why }), deleteRow({ why: others }), false],
  ["delete, then release", deleteRow({ uid: "m", why }), release(), false],
  ["release", release(), release(), true],
  ["release, other UID", release(), release({ uid: "n" }), false],
  ["release, other message", release(), release({ why: others }), false],
])("%s", (_, a, b, same) => {
  expect([isSameRow(a, b), isSameRow(b, a), isSameRow(a, undefined)]).toEqual([same, same, false]);
});
