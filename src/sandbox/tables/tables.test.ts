import { describe, expect, test } from "vitest";
import { test as property, fc } from "@fast-check/vitest";
import { StatusError } from "../statusError.ts";
import type { Column, KubeObject, Resource, ResourceVersion } from "../types.ts";
import { ageOf, humanDuration, includeObjectOf, tableOf } from "./index.ts";
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

const column = (name: string, type: Column["type"], jsonPath: string, more: Partial<Column> = {}): Column => ({
  name,
  type,
  jsonPath,
  priority: 0,
  ...more,
});

function widgets(columns: Column[]): [Resource, ResourceVersion] {
  const version: ResourceVersion = {
    name: "v1",
    served: true,
    storage: true,
    schema: { type: "object" },
    columns,
    hasStatus: true,
    selectableFields: [],
  };
  const resource: Resource = {
    group: "example.com",
    plural: "widgets",
    singular: "widget",
    kind: "Widget",
    listKind: "WidgetList",
    shortNames: [],
    categories: [],
    namespaced: true,
    versions: [version],
    definitions: {},
  };
  return [resource, version];
}

const widget = (spec: unknown, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "a", resourceVersion: "7", creationTimestamp: "2026-11-21T11:59:00Z", ...metadata },
  spec,
});

const cells = (columns: Column[], object: KubeObject) =>
  tableOf(...widgets(columns), [object], NOW, "None", {}).rows[0]?.cells;

describe("a table", () => {
  test.each<{ name: string; type: Column["type"]; value: unknown; want: unknown }>([
    { name: "a number as text", type: "string", value: 3, want: "3" },
    {
      name: "an object as sorted JSON",
      type: "string",
      value: { b: "<2>", a: 1 },
      want: '{"a":1,"b":"\\u003c2\\u003e"}',
    },
    { name: "a list as JSON", type: "string", value: ["x"], want: '["x"]' },
    { name: "null as no value", type: "string", value: null, want: "<no value>" },
    { name: "an integer", type: "integer", value: 5, want: 5 },
    { name: "a fraction cut to an integer", type: "integer", value: 5.9, want: 5 },
    { name: "text in an integer column as nothing", type: "integer", value: "5", want: null },
    { name: "a fraction", type: "number", value: 1.5, want: 1.5 },
    { name: "a boolean", type: "boolean", value: false, want: false },
    { name: "text in a boolean column as nothing", type: "boolean", value: "true", want: null },
    { name: "a date as an age", type: "date", value: "2026-11-20T12:00:00Z", want: "24h" },
    { name: "a wrong date as invalid", type: "date", value: "soon", want: "<invalid>" },
  ])("shows $name", ({ type, value, want }) => {
    expect(cells([column("X", type, ".spec.x")], widget({ x: value }))).toEqual(["a", want]);
  });

  test("leaves a cell empty when the field is missing, the path is broken or cannot be followed", () => {
    const columns = [
      column("Missing", "string", ".spec.x"),
      column("Broken", "string", ".spec["),
      column("Filter", "string", ".spec.map[?(@.a==1)]"),
    ];
    expect(cells(columns, widget({ map: {} }))).toEqual(["a", null, null, null]);
  });

  test("holds metadata, the whole object or none", () => {
    const object = widget({ x: 1 });
    const shown = (include: "None" | "Metadata" | "Object") =>
      tableOf(...widgets([]), [object], NOW, include, {}).rows[0]?.object;
    expect(shown("None")).toBeNull();
    expect(shown("Object")).toBe(object);
    expect(shown("Metadata")).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: object.metadata,
    });
  });
});

describe("the parameter includeObject", () => {
  test.each([
    ["", "Metadata"],
    ["includeObject=", "Metadata"],
    ["includeObject=Object", "Object"],
    ["includeObject=None", "None"],
  ])("of %j means %s", (query, want) => expect(includeObjectOf(new URLSearchParams(query))).toBe(want));

  test("is refused when unknown", () => {
    expect(() => includeObjectOf(new URLSearchParams("includeObject=Bogus"))).toThrow(StatusError);
    expect(() => includeObjectOf(new URLSearchParams("includeObject=Bogus"))).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "Bogus": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});
