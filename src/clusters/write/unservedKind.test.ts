import { expect, test } from "vitest";
import type { Action } from "../model/decide.ts";
import { CONFIG_REF, deleteRow, holdRow, memberObject, row, seen } from "../testing/builders.ts";
import { kindNotServed, waitForKind } from "./unservedKind.ts";

const REF = { ...CONFIG_REF, apiVersion: "example.com/v1", kind: "Database" };
const message = "the member does not serve Database of example.com/v1 yet; it waits for the definition";
const FAILURE = { reason: "KindNotServed", message, final: false };
const confirming = { row: holdRow({ confirm: true }) };

test.each<[Action["kind"], Parameters<typeof memberObject>[0], "No" | "Perhaps" | "Surely", string]>([
  ["Create", { row: row() }, "Perhaps", "fails"],
  ["Create", { row: row() }, "Surely", "fails"],
  ["Create", { row: row() }, "No", "-"],
  ["Update", { row: row() }, "Perhaps", "fails"],
  ...(["Nothing", "Delete", "Release", "Confirm", "Held"] as const).map(
    (kind): [typeof kind, object, "Surely", string] => [kind, { row: deleteRow() }, "Surely", "-"],
  ),
  ["Confirm", confirming, "Surely", "is absent"],
  ["Confirm", confirming, "Perhaps", "-"],
  ["Confirm", confirming, "No", "-"],
  ["Confirm", { ...confirming, observed: seen() }, "Surely", "-"],
  ["Confirm", { row: holdRow() }, "Surely", "-"],
  ["Nothing", {}, "Surely", "-"],
])("%s of %j on a member that lacks the kind %s: %s", (kind, given, lacks, want) => {
  const changes: unknown[] = [];
  const object = memberObject({ ...given, ref: REF });
  const objects = {
    fail: (about: unknown, failure: unknown) => void changes.push(["fails", about === object, failure]),
    found: (about: unknown, observed: unknown) => void changes.push(["is absent", about === object, observed]),
  };
  waitForKind(objects, object, { kind } as Action, { lacks: () => lacks, denial: () => undefined });
  expect(changes).toEqual(want === "-" ? [] : [[want, true, want === "fails" ? FAILURE : undefined]]);
});

test("a kind that is not served may still come", () => expect(kindNotServed(REF)).toEqual(FAILURE));
