import { expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { newMemberObject } from "./memberObject.ts";
import { CONFIG_REF } from "../testing/builders.ts";

test("a new member object has its name, and nothing else is asked or known of it", () => {
  const { key, ref, ...rest } = newMemberObject(CONFIG_REF);
  expect([key, ref]).toEqual([refKey(CONFIG_REF), CONFIG_REF]);
  const { revision, isAbsent, mayBeThere, writing, reportedWriting, carriedOut, ...unknown } = rest;
  expect({ revision, isAbsent, mayBeThere, writing, reportedWriting, carriedOut }).toEqual({
    revision: 0,
    isAbsent: false,
    mayBeThere: false,
    writing: false,
    reportedWriting: false,
    carriedOut: false,
  });
  expect(Object.values(unknown).filter((value) => value !== undefined)).toEqual([]);
  expect(Object.keys(unknown).toSorted()).toEqual([
    "contested",
    "effective",
    "ended",
    "failure",
    "given",
    "gone",
    "healed",
    "judged",
    "observed",
    "origin",
    "refused",
    "removed",
    "replaced",
    "row",
    "run",
    "told",
    "trouble",
  ]);
});
