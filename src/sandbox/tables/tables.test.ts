import { describe, expect, test } from "vitest";
import { test as property, fc } from "@fast-check/vitest";
import { ageOf, humanDuration } from "./index.ts";
import { JsonPathError, parseJsonPath } from "./jsonPath.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe("a path", () => {
  const object = {
    metadata: { labels: { "app.kubernetes.io/name": "dotted" }, name: "a" },
    spec: { parts: [{ name: "p1", weight: 1 }, { name: "p2", weight: 5 }, { name: "p3" }], map: { b: 2, a: 1 } },
    status: {
      conditions: [
        { type: "Ready", status: "True" },
        { type: "Fresh", status: "False" },
      ],
    },
  };

  test.each<{ path: string; want: unknown[] }>([
    { path: ".metadata.name", want: ["a"] },
    { path: "{.metadata.name}", want: ["a"] },
    { path: "$.metadata.name", want: ["a"] },
    { path: ".metadata['name']", want: ["a"] },
    { path: ".metadata.nothere.deeper", want: [] },
    { path: ".metadata.name.deeper", want: [] },
    { path: ".metadata.labels.app\\.kubernetes\\.io/name", want: ["dotted"] },
    { path: ".metadata.labels['app.kubernetes.io/name']", want: ["dotted"] },
    { path: '.metadata.labels["app\\.kubernetes\\.io/name"]', want: ["dotted"] },
    { path: ".spec.parts[0].name", want: ["p1"] },
    { path: ".spec.parts[-1].name", want: ["p3"] },
    { path: ".spec.parts[7].name", want: [] },
    { path: ".spec.parts[0,2].name", want: ["p1", "p3"] },
    { path: ".spec.parts[1:].name", want: ["p2", "p3"] },
    { path: ".spec.parts[:2].name", want: ["p1", "p2"] },
    { path: ".spec.parts[0:3:2].name", want: ["p1", "p3"] },
    { path: ".spec.parts[*].name", want: ["p1", "p2", "p3"] },
    { path: ".spec.map.*", want: [1, 2] },
    { path: ".spec.map['a','b']", want: [1, 2] },
    { path: "..weight", want: [1, 5] },
    { path: '.status.conditions[?(@.type=="Ready")].status', want: ["True"] },
    { path: ".status.conditions[?(@.type != 'Ready')].status", want: ["False"] },
    { path: ".status.conditions[?(@.type=='a]b')].status", want: [] },
    { path: ".spec.parts[?(@.weight > 1)].name", want: ["p2"] },
    { path: ".spec.parts[?(@.weight)].name", want: ["p1", "p2"] },
    { path: ".spec.parts[?(@.weight<=1)].name", want: ["p1"] },
  ])("$path", ({ path, want }) => expect(parseJsonPath(path).find(object)).toEqual(want));

  test.each([".spec.parts[", ".a[b c]", "name", ".a..[", ".a[?(x==1)]"])("%s cannot be read", (path) => {
    expect(() => parseJsonPath(path)).toThrow(JsonPathError);
  });

  test.each([".spec.map[?(@.a==1)]", ".spec.map[0]", '.spec.parts[?(@.weight=="one")]'])(
    "%s fails on this object",
    (path) => {
      expect(() => parseJsonPath(path).find(object)).toThrow(JsonPathError);
    },
  );

  property.prop([fc.object()])("never changes what it reads", (root) => {
    const before = JSON.stringify(root);
    parseJsonPath("..name").find(root);
    parseJsonPath(".*").find(root);
    expect(JSON.stringify(root)).toBe(before);
  });
});

describe("an age", () => {
  test.each<[number, string]>([
    [-3 * SECOND, "<invalid>"],
    [-1 * SECOND, "0s"],
    [119 * SECOND, "119s"],
    [120 * SECOND, "2m"],
    [9 * MINUTE + 59 * SECOND, "9m59s"],
    [10 * MINUTE + 30 * SECOND, "10m"],
    [179 * MINUTE, "179m"],
    [3 * HOUR, "3h"],
    [7 * HOUR + 5 * MINUTE, "7h5m"],
    [47 * HOUR, "47h"],
    [48 * HOUR, "2d"],
    [7 * DAY + 3 * HOUR, "7d3h"],
    [8 * DAY + 3 * HOUR, "8d"],
    [729 * DAY, "729d"],
    [730 * DAY, "2y"],
    [3 * 365 * DAY + 12 * DAY, "3y12d"],
    [9 * 365 * DAY + 12 * DAY, "9y"],
  ])("of %i ms is %s", (ms, want) => expect(humanDuration(ms)).toBe(want));

  test("of no time is unknown, of nonsense invalid", () => {
    expect(ageOf("", NOW)).toBe("<unknown>");
    expect(ageOf("yesterday", NOW)).toBe("<invalid>");
    expect(ageOf("2026", NOW)).toBe("<invalid>");
    expect(ageOf("2026-11-21T14:00:00+02:00", NOW + 5000)).toBe("5s");
  });
});
