import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { type LostPlace, withKept, withoutPlaces } from "../../interpreter/index.ts";
import { row } from "../testing/builders.ts";
import { countedPlaceholders, divideLost, givenUpOf, keptBy, leftToOthers } from "./yielding.ts";

const place = (path: string, more: Partial<LostPlace> = {}): LostPlace => ({
  path,
  takenBy: "injector",
  elements: path.split(".").map((name) => `f:${name}`),
  isHeld: true,
  ...more,
});
const wanted = row({ unwritten: { "f:spec": { "f:replicas": {} } } });
const withKey = (key: string) => row({ object: { ...row().object, data: { key } } });
const placeholder = withKey("");

describe("a lost field", () => {
  test("is left to its owner if nobody wrote it on the hub, and taken back without an owner", () => {
    const [replicas, paused] = [place("spec.replicas"), place("spec.paused")];
    const divided = { lost: [paused], yielded: [replicas] };
    expect(divideLost({ replaced: undefined }, wanted, [replicas, paused])).toEqual(divided);
    const lost = [place("spec.replicas", { isHeld: false })];
    expect(divideLost({ replaced: undefined }, wanted, lost)).toEqual({ lost, yielded: [] });
  });

  test("is given up if it is a placeholder that was put back before, until the hub has another value", () => {
    const lost = [place("data.key")];
    const replaced = countedPlaceholders(undefined, placeholder, lost);
    expect(divideLost({ replaced: undefined }, placeholder, lost).yielded).toEqual([]);
    expect(divideLost({ replaced }, placeholder, lost).yielded).toEqual(lost);
    expect(divideLost({ replaced }, withKey("todo"), lost).yielded).toEqual([]);
    const judged = { hash: "h1", lost: [], yielded: lost, altered: [] };
    expect(givenUpOf({ row: placeholder, judged, replaced })).toEqual([{ path: "data.key", takenBy: "injector" }]);
  });

  test("is no placeholder with a value or without an owner", () => {
    expect(countedPlaceholders(undefined, row(), [place("data.key")])).toBeUndefined();
    expect(countedPlaceholders(undefined, placeholder, [place("data.key", { isHeld: false })])).toBeUndefined();
  });

  test("of a dropped live object is known from the last comparison", () => {
    const yielded = [place("spec.replicas"), place("spec.paused")];
    const known = { judged: { hash: "h0", lost: [], yielded, altered: [] }, replaced: undefined, observed: undefined };
    expect(leftToOthers(known, wanted).map(({ path }) => path)).toEqual(["spec.replicas"]);
    expect(leftToOthers(known, row())).toEqual([]);
  });
});

test("a copy keeps only fields that were sent before", () => {
  const hubOwned = [
    { elements: ["f:data", "f:a"], value: "new" },
    { elements: ["f:data", "f:b"], value: "never" },
  ];
  const judged = { hash: "h0", lost: [], yielded: [], altered: [], sent: { ...row().object, data: { a: "old" } } };
  const kept = keptBy({ judged, observed: undefined }, row({ hubOwned }));
  expect(kept).toHaveLength(1);
  expect(withKept(row().object, kept)).toMatchObject({ data: { key: "value", a: "new" } });
});

const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(fc.integer(), fc.constant({ x: 1, y: 2 })), {
  minKeys: 1,
});

test.prop([values, fc.constantFrom("a", "b", "c")])(
  "what is left out is not there, and all the rest is",
  (spec, name) => {
    const object: KubeObject = { apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, spec, other: 1 };
    const rest = withoutPlaces(object, [["f:spec", `f:${name}`]]);
    const { [name]: _, ...others } = spec;
    expect(rest["spec"] ?? {}).toEqual(others);
    expect(rest["other"]).toBe(1);
    expect(object["spec"]).toBe(spec);
  },
);
