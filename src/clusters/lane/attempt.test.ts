import { describe, expect, test } from "vitest";
import { REPLACED, type Row } from "../../desiredstate/index.ts";
import type { LostPlace } from "../../interpreter/index.ts";
import { attemptOf, contested, isHealing } from "./attempt.ts";
import { type Action, decide } from "../model/decide.ts";
import type { ObservedObject } from "../model/observed.ts";
import { deleteRow, holdRow, memberObject, objectsWithLog, releaseRow, row, seen } from "../testing/builders.ts";

/** A member object with this row and observation, and its next action. */
function objectWith(wanted: Row, observed?: ObservedObject) {
  const { see, take, find } = objectsWithLog();
  if (observed !== undefined) see(observed);
  take(wanted);
  return { object: find(), action: decide(find(), true) };
}

const nameOf = (wanted: Row, observed?: ObservedObject): string => {
  const { object, action } = objectWith(wanted, observed);
  return attemptOf(object, action);
};
const updating = (drift: LostPlace[]): Action => ({
  ...{ kind: "Update", row: row(), observed: seen(), drift, yielded: [], kept: [] },
});
const drift = (takenBy?: string): LostPlace => ({
  path: "data.key",
  ...(takenBy === undefined ? {} : { takenBy }),
  elements: ["f:data", "f:key"],
  isHeld: takenBy !== undefined,
});
const creating: Action = { kind: "Create", row: row() };
const deleting: Action = { kind: "Delete", observed: seen() };

const old = seen({ hash: "h0" });
test.each<[string, first: string, second: string, isSame: boolean]>([
  [
    "a new resourceVersion",
    nameOf(row(), old),
    nameOf(row({ hubVersion: "12" }), { ...old, resourceVersion: "9" }),
    true,
  ],
  ["another hash", nameOf(row(), old), nameOf(row({ hash: "h2" }), old), false],
  ["another conflict resolution", nameOf(row(), old), nameOf(row({ conflictResolution: "Adopt" }), old), false],
  ["another UID", nameOf(row(), old), nameOf(row(), { ...old, uid: "member-2" }), false],
  ["a missing object", nameOf(row(), old), nameOf(row()), false],
  ["a deletion", nameOf(row(), old), nameOf(deleteRow(), old), false],
  ["a release", nameOf(deleteRow(), old), nameOf(releaseRow(), old), false],
  ["a deletion to which a person agreed", nameOf(deleteRow(), old), nameOf(deleteRow({ agreed: true }), old), false],
  ["a deletion that keeps claims", nameOf(deleteRow(), old), nameOf(deleteRow({ keepsClaims: true }), old), false],
  ["a confirmation", nameOf(deleteRow()), nameOf(holdRow({ confirm: true })), false],
])("with %s it is the same attempt: %4$s", (_, first, second, isSame) => expect(first === second).toBe(isSame));

describe("a write corrects drift", () => {
  const replaced = { reason: REPLACED, message: "replaced on the hub" };
  test.each<[string, carriedOut: boolean, Row, Action, boolean]>([
    ["not as a first creation", false, row(), creating, false],
    ["as a later creation", true, row(), creating, true],
    ["not as a first update", false, row(), updating([]), false],
    ["as an update of a carried-out row", true, row(), updating([]), true],
    ["as an update of lost fields", false, row(), updating([drift()]), true],
    ["not as a removal", true, deleteRow(), deleting, false],
    ["as the removal of a replaced object", false, deleteRow({ why: replaced }), deleting, true],
    ["not as a release", true, releaseRow({ why: replaced }), { kind: "Release", observed: seen() }, false],
    ["not as a confirmation", true, deleteRow(), { kind: "Confirm", owner: row().owner }, false],
  ])("%s", (_, carriedOut, given, action, want) =>
    expect(isHealing(memberObject({ row: given, carriedOut }), action)).toBe(want),
  );

  test.each([
    ["member-1", false],
    ["an earlier UID", true],
  ])("as a creation after this worker removed %s: %s", (uid, want) => {
    const { objects, take, see, gone, find } = objectsWithLog();
    see();
    take(deleteRow({ uid }));
    objects.removed(find(), uid);
    take(row());
    objects.carryOut(find(), row().hash);
    gone();
    expect(isHealing(find(), decide(find(), true))).toBe(want);
  });
});

test.each<[Action, string]>([
  [updating([drift("kubectl")]), "kubectl changes data.key"],
  [updating([drift()]), "somebody changes data.key"],
  [updating([]), "somebody changes Meridian's marks"],
  [creating, "somebody deletes it"],
  [deleting, "somebody makes the old one"],
])("a contested object names the other writer: %#", (action, what) => {
  const message = `${what} again and again; it is put right less and less often`;
  expect(contested(action)).toEqual({ reason: "Contested", message, final: false });
});
