import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { FIELD_MANAGER, type KubeObject } from "../../apis/index.ts";
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
const paths = (places: readonly LostPlace[]): string[] => places.map(({ path }) => path);
const wanted = row({ unwritten: { "f:spec": { "f:replicas": {} } } });
const placeholder = row({ object: { ...row().object, data: { key: "" } } });

describe("what is not ours any more", () => {
  test("is left to its owner where nobody has written it", () => {
    const lost = [place("spec.replicas"), place("spec.paused")];
    const { lost: putBack, yielded } = divideLost({ replaced: undefined }, wanted, lost);
    expect([paths(putBack), paths(yielded)]).toEqual([["spec.paused"], ["spec.replicas"]]);
  });

  test("is put back where nobody owns it", () => {
    const lost = [place("spec.replicas", { isHeld: false })];
    expect(divideLost({ replaced: undefined }, wanted, lost)).toEqual({ lost, yielded: [] });
  });

  test("is given up where it is a placeholder that was put back before, until the hub has another value", () => {
    const lost = [place("data.key")];
    const replaced = countedPlaceholders(undefined, placeholder, lost);
    expect(divideLost({ replaced: undefined }, placeholder, lost).yielded).toEqual([]);
    expect(divideLost({ replaced }, placeholder, lost).yielded).toEqual(lost);
    expect(divideLost({ replaced }, row({ object: { ...row().object, data: { key: "todo" } } }), lost).yielded).toEqual(
      [],
    );
    const judged = { hash: "h1", lost: [], yielded: lost, altered: [] };
    expect(givenUpOf({ row: placeholder, judged, replaced })).toEqual([{ path: "data.key", takenBy: "injector" }]);
  });

  test("is no placeholder where it says something", () => {
    expect(countedPlaceholders(undefined, row(), [place("data.key")])).toBeUndefined();
    expect(countedPlaceholders(undefined, placeholder, [place("data.key", { isHeld: false })])).toBeUndefined();
  });

  test("of an object that was compared with an earlier row is what was left then", () => {
    const judged = { hash: "h0", lost: [], yielded: [place("spec.replicas"), place("spec.paused")], altered: [] };
    expect(paths(leftToOthers({ judged, replaced: undefined, observed: undefined }, wanted))).toEqual([
      "spec.replicas",
    ]);
    expect(leftToOthers({ judged, replaced: undefined, observed: undefined }, row())).toEqual([]);
  });
});

test("a copy keeps of what stands on the hub only what was sent before", () => {
  const standing = [
    { elements: ["f:data", "f:a"], value: "new" },
    { elements: ["f:data", "f:b"], value: "never" },
  ];
  const judged = { hash: "h0", lost: [], yielded: [], altered: [], sent: { ...row().object, data: { a: "old" } } };
  const kept = keptBy({ judged, observed: undefined }, row({ standing }));
  expect(withKept(row().object, kept)).toMatchObject({ data: { key: "value", a: "new" } });
  expect(kept).toHaveLength(1);
  expect(FIELD_MANAGER).toBe("meridian");
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
