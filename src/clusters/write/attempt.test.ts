import { describe, expect, test } from "vitest";
import { REPLACED, type Row } from "../../desiredstate/index.ts";
import type { LostPlace } from "../../interpreter/index.ts";
import { attemptOf, contested, isHealing, isStillAskedFor } from "./attempt.ts";
import { type Action, decide } from "../model/decide.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CONFIG_REF, deleteRow, holdRow, objectsWithLog, releaseRow, row, seen } from "../testing/builders.ts";

/** A member object with that row and that observation, and what is to be done about it. */
function objectWith(wanted: Row, observed?: ObservedObject) {
  const { objects, take, find } = objectsWithLog();
  if (observed !== undefined) objects.observe(CONFIG_REF, observed);
  take(wanted);
  const object = find();
  return { object, action: decide(object, true) };
}

const taken = (path: string, takenBy?: string): LostPlace => ({
  path,
  ...(takenBy === undefined ? {} : { takenBy }),
  elements: path.split(".").map((name) => `f:${name}`),
  isHeld: takenBy !== undefined,
});

const nameOf = (wanted: Row, observed?: ObservedObject): string => {
  const { object, action } = objectWith(wanted, observed);
  return attemptOf(object, action);
};

describe("an attempt is the same as the one before", () => {
  const before = seen({ hash: "h0" });

  test("while the same is done, for the same row, to the same life of the object", () => {
    expect(nameOf(row(), before)).toBe(nameOf(row({ hubVersion: "12" }), seen({ hash: "h0", resourceVersion: "99" })));
  });

  test.each<{ name: string; wanted: Row; observed?: ObservedObject }>([
    { name: "another state is wanted", wanted: row({ hash: "h2" }), observed: before },
    { name: "a conflict is to be resolved otherwise", wanted: row({ conflictResolution: "Adopt" }), observed: before },
    { name: "the object is another life of it", wanted: row(), observed: seen({ hash: "h0", uid: "member-2" }) },
    { name: "the object is gone", wanted: row() },
    { name: "it is to go", wanted: deleteRow(), observed: before },
    { name: "it is to be let go of", wanted: releaseRow(), observed: before },
  ])("but not when $name", ({ wanted, observed }) => {
    expect(nameOf(wanted, observed)).not.toBe(nameOf(row(), before));
  });

  test("nor when a removal is another one", () => {
    expect(nameOf(deleteRow(), seen())).not.toBe(nameOf(releaseRow(), seen()));
    expect(nameOf(deleteRow())).not.toBe(nameOf(holdRow({ confirm: true })));
  });
});

describe("what was written is asked for still", () => {
  const { object, action } = objectWith(row(), seen({ hash: "h0" }));

  test.each<{ name: string; wanted: Row; want: boolean }>([
    { name: "by the same row", wanted: row(), want: true },
    { name: "by a row with another conflict resolution", wanted: row({ conflictResolution: "Adopt" }), want: true },
    { name: "not by a row with another state", wanted: row({ hash: "h2" }), want: false },
    { name: "not by a removal", wanted: deleteRow(), want: false },
    { name: "not by a hold of the same state", wanted: holdRow({ hash: "h1" }), want: false },
  ])("$name", ({ wanted, want }) => {
    expect(isStillAskedFor({ ...object, row: wanted }, action)).toBe(want);
  });

  test("where the object was created, too, and never where nothing was applied", () => {
    const created = objectWith(row());
    expect(isStillAskedFor(created.object, created.action)).toBe(true);
    const removed = objectWith(deleteRow(), seen());
    expect(isStillAskedFor({ ...removed.object, row: row() }, removed.action)).toBe(false);
  });
});

describe("a write puts right what somebody did", () => {
  const drift = [taken("data.key")];
  const observed = seen();
  const replaced = { reason: REPLACED, message: "replaced on the hub" };

  test.each<{ name: string; carriedOut: boolean; wanted: Row; action: Action; want: boolean }>([
    { name: "a first creation", carriedOut: false, wanted: row(), action: { kind: "Create", row: row() }, want: false },
    { name: "a creation anew", carriedOut: true, wanted: row(), action: { kind: "Create", row: row() }, want: true },
    {
      name: "a change that is wanted",
      carriedOut: false,
      wanted: row(),
      action: { kind: "Update", row: row(), observed, drift: [], yielded: [], kept: [] },
      want: false,
    },
    {
      name: "a change of what was as it should be",
      carriedOut: true,
      wanted: row(),
      action: { kind: "Update", row: row(), observed, drift: [], yielded: [], kept: [] },
      want: true,
    },
    {
      name: "a field taken back",
      carriedOut: false,
      wanted: row(),
      action: { kind: "Update", row: row(), observed, drift, yielded: [], kept: [] },
      want: true,
    },
    {
      name: "a removal",
      carriedOut: true,
      wanted: deleteRow(),
      action: { kind: "Delete", observed },
      want: false,
    },
    {
      name: "the removal of what was replaced, which somebody may make again each time",
      carriedOut: false,
      wanted: deleteRow({ why: replaced }),
      action: { kind: "Delete", observed },
      want: true,
    },
    {
      name: "letting go",
      carriedOut: true,
      wanted: releaseRow({ why: replaced }),
      action: { kind: "Release", observed },
      want: false,
    },
    {
      name: "a look",
      carriedOut: true,
      wanted: deleteRow(),
      action: { kind: "Confirm", owner: row().owner },
      want: false,
    },
  ])("$name: $want", ({ carriedOut, wanted, action, want }) => {
    const { object } = objectWith(row());
    expect(isHealing({ ...object, row: wanted, carriedOut }, action)).toBe(want);
  });
});

describe("an object that is made anew", () => {
  /** This worker removes the object, and it is wanted again before it has gone. */
  function removedAndWanted(removedUid: string) {
    const { objects, take, find } = objectsWithLog();
    objects.observe(CONFIG_REF, seen());
    take(row());
    take(deleteRow({ uid: removedUid }));
    objects.removed(find(), removedUid);
    take(row());
    objects.carryOut(find(), row().hash);
    objects.observe(CONFIG_REF, undefined);
    const object = find();
    return isHealing(object, decide(object, true));
  }

  test("is no heal where this worker had removed that life of it, and one where somebody else had", () => {
    expect(removedAndWanted(seen().uid)).toBe(false);
    expect(removedAndWanted("an-earlier-life")).toBe(true);
  });
});

describe("somebody undoes it again and again", () => {
  const observed = seen();
  const rest = "again and again; it is put right less and less often";

  test.each<{ name: string; action: Action; message: string }>([
    {
      name: "who takes a field is named, with the field",
      action: { kind: "Update", row: row(), observed, drift: [taken("data.key", "kubectl")], yielded: [], kept: [] },
      message: `kubectl changes data.key ${rest}`,
    },
    {
      name: "who cannot be known is somebody",
      action: { kind: "Update", row: row(), observed, drift: [taken("data.key")], yielded: [], kept: [] },
      message: `somebody changes data.key ${rest}`,
    },
    {
      name: "who changes the marks",
      action: { kind: "Update", row: row(), observed, drift: [], yielded: [], kept: [] },
      message: `somebody changes Meridian's marks ${rest}`,
    },
    { name: "who deletes it", action: { kind: "Create", row: row() }, message: `somebody deletes it ${rest}` },
    {
      name: "who makes again what was replaced",
      action: { kind: "Delete", observed },
      message: `somebody makes the old one ${rest}`,
    },
  ])("$name", ({ action, message }) => {
    expect(contested(action)).toEqual({ reason: "Contested", message, final: false });
  });
});
