import { expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import { decide } from "./decide.ts";
import type { ObservedObject } from "./observed.ts";
import { deleteRow, holdRow, objectsWithLog, releaseRow, row, seen } from "../testing/builders.ts";

type Case = [name: string, row: Row | undefined, observed: ObservedObject | undefined, want: string, isKnown?: boolean];

const confirm = holdRow({ wanted: false, confirm: true });

test.each<Case>([
  ["a missing object is created", row(), undefined, "Create"],
  ["an object in sync is left alone", row(), seen(), "Nothing"],
  ["an object with another hash is updated", row({ hash: "h2" }), seen(), "Update"],
  ["a lost field is taken back", row(), seen({ owns: false }), "Update"],
  ["a held object is not updated", holdRow({ hash: "h2" }), seen(), "Nothing"],
  ["a held object is not created", holdRow(), undefined, "Nothing"],
  ["a held object is not removed", holdRow({ wanted: false }), seen(), "Nothing"],
  ["an object that is being deleted is not updated", row({ hash: "h2" }), seen({ deleting: true }), "Nothing"],
  ["an object without a row is left alone", undefined, seen(), "Nothing"],
  ["the UID that the row names is deleted", deleteRow(), seen(), "Delete"],
  ["the UID that the row names is released", releaseRow(), seen(), "Release"],
  ["another UID is not deleted", deleteRow({ uid: "other" }), seen(), "Nothing"],
  ["another UID is not released", releaseRow({ uid: "other" }), seen(), "Nothing"],
  ["nothing is deleted before its kind is known", deleteRow(), seen(), "Held", false],
  ["an object is deleted once", deleteRow(), seen({ deleting: true }), "Nothing"],
  ["an object that is not observed is confirmed before its deletion counts", deleteRow(), undefined, "Confirm"],
  ["an object that is not observed is confirmed before its release counts", releaseRow(), undefined, "Confirm"],
  ["an object is not confirmed before its kind is known", deleteRow(), undefined, "Held", false],
  ["a held object is not confirmed", holdRow({ wanted: false }), undefined, "Nothing"],
  ["a held object is confirmed when the row asks", confirm, undefined, "Confirm"],
  ["an object that the watch shows needs no confirmation", confirm, seen(), "Nothing"],
])("%s", (_, given, observed, want, isKnown = true) => {
  const { take, withdraw, see, find } = objectsWithLog();
  if (given === undefined) withdraw();
  else take(given);
  if (observed !== undefined) see(observed);
  const action = decide(find(), isKnown);
  expect(action.kind).toBe(want);
  if (action.kind === "Delete" || action.kind === "Release") expect(action.observed.uid).toBe("member-1");
});
