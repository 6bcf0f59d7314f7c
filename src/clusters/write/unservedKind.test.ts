import { describe, expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import type { Action } from "../model/decide.ts";
import { CONFIG_REF, deleteRow, holdRow, row, seen } from "../testing/builders.ts";
import { memberObject } from "../testing/memberObject.ts";
import { kindNotServed, waitForKind } from "./unservedKind.ts";

const REF = { ...CONFIG_REF, apiVersion: "example.com/v1", kind: "Database" };
const FAILURE = {
  reason: "KindNotServed",
  message: "the member does not serve Database of example.com/v1 yet; it waits for the definition",
  final: false,
};

/** What is said of an object with that row, when that is what is to be done. */
function waiting(asked: Row, kind: Action["kind"], lacks: "No" | "Perhaps" | "Surely", observed = false) {
  const said: unknown[] = [];
  const object = memberObject({ ref: REF, row: asked, observed: observed ? seen() : undefined });
  const objects = {
    fail: (about: unknown, failure: unknown) => void said.push(["fail", about === object, failure]),
    found: (about: unknown, what: unknown) => void said.push(["found", about === object, what]),
  };
  waitForKind(objects, object, { kind } as Action, { lacks: () => lacks, denial: () => undefined });
  return said;
}

describe("an object whose kind is not watched on the member", () => {
  test.each(["Create", "Update"] as const)(
    "that is to be written (%s) waits where the member lacks the kind",
    (kind) => {
      const failed = [["fail", true, FAILURE]];
      expect(waiting(row(), kind, "Perhaps")).toEqual(failed);
      expect(waiting(row(), kind, "Surely")).toEqual(failed);
      expect(waiting(row(), kind, "No")).toEqual([]);
    },
  );

  test.each(["Nothing", "Delete", "Release", "Confirm", "Held"] as const)("waits for nothing by %s", (kind) => {
    expect(waiting(deleteRow(), kind, "Surely")).toEqual([]);
  });

  test("is certainly not there where the member certainly lacks the kind, and somebody asks for that", () => {
    const asking = holdRow({ confirm: true });
    expect(waiting(asking, "Confirm", "Surely")).toEqual([["found", true, undefined]]);
    expect(waiting(asking, "Confirm", "Perhaps")).toEqual([]);
    expect(waiting(asking, "Confirm", "No")).toEqual([]);
    expect(waiting(asking, "Confirm", "Surely", true)).toEqual([]);
    expect(waiting(holdRow(), "Confirm", "Surely")).toEqual([]);
  });

  test("is nothing that is without a row", () => {
    const found: unknown[] = [];
    const objects = { fail: () => undefined, found: () => void found.push("found") };
    const writer = { lacks: () => "Surely" as const, denial: () => undefined };
    waitForKind(objects, memberObject(), { kind: "Nothing" } as Action, writer);
    expect(found).toEqual([]);
  });
});

test("the sentence is cut where it would be too long for a status", () => {
  expect(kindNotServed(REF)).toEqual(FAILURE);
  const { message } = kindNotServed({ ...REF, kind: "K".repeat(200) });
  expect([message.length <= 120, message.endsWith("…")]).toEqual([true, true]);
});
