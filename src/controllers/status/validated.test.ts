import { expect, test } from "vitest";
import type { Condition, KubeObject } from "../../apis/index.ts";
import { changedBounds, validated } from "./validated.ts";

const app = (replica: unknown, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default" },
  spec: { replica, image: "nginx:1.27" },
  ...more,
});
type Namespace = Parameters<typeof changedBounds>[0]["object"];
const namespace = (bounds?: string): Namespace => ({
  metadata: {
    name: "default",
    ...(bounds === undefined ? {} : { annotations: { "paas.cmft.com/replica-bounds": bounds } }),
  },
});
const annotated = (bounds?: string) => ({ synced: true, get: () => namespace(bounds) });
const refused = (replica: number, least: number, most: number) => ({
  refusal: {
    reason: "ReplicasOutOfBounds",
    message: `spec.replica: ${replica} is not within ${least} to ${most}, the bounds of the namespace; admission was not asked`,
  },
});
const fine = { refusal: undefined };
const TIMES = { reason: "R", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" };

test.each([
  { name: "within the usual bounds", object: app(100), want: fine },
  { name: "more than the usual bounds", object: app(101), want: refused(101, 1, 100) },
  { name: "none", object: app(0), want: refused(0, 1, 100) },
  { name: "the least of the usual bounds", object: app(1), want: fine },
  { name: "the least of the namespace's own bounds", object: app(3), bounds: "3-5", want: fine },
  { name: "the most of the namespace's own bounds", object: app(5), bounds: "3-5", want: fine },
  { name: "less than the namespace's own bounds", object: app(2), bounds: "3-5", want: refused(2, 3, 5) },
  { name: "within the namespace's own bounds", object: app(200), bounds: "0-500", want: fine },
  { name: "more than the namespace's own bounds", object: app(6), bounds: "1-5", want: refused(6, 1, 5) },
  { name: "bounds that say nothing are the usual ones", object: app(101), bounds: "many", want: refused(101, 1, 100) },
  { name: "an object without the number", object: app(undefined), want: fine },
  { name: "an object with a text for the number", object: app("500"), want: fine },
  { name: "an object without a spec", object: app(1, { spec: undefined }), want: fine },
  { name: "another kind of the group is not judged", object: app(500, { kind: "ManifestBundle" }), want: undefined },
  {
    name: "a kind of that name in another group is not judged",
    object: app(500, { apiVersion: "example.com/v1" }),
    want: undefined,
  },
  {
    name: "another kind is not judged",
    object: app(500, { apiVersion: "apps/v1", kind: "Deployment" }),
    want: undefined,
  },
])("$name", ({ object, bounds, want }) => {
  expect(validated(object, annotated(bounds), undefined)).toStrictEqual(want);
});

test.each([
  { name: "its own namespace", object: app(101), want: "default" },
  { name: "none, where it has none", object: app(101, { metadata: { name: "shop" } }), want: "" },
])("the bounds are those of $name", ({ object, want }) => {
  const asked: string[] = [];
  validated(object, { synced: true, get: (name) => void asked.push(name) }, undefined);
  expect(asked).toEqual([want]);
});

test("the bounds of a namespace that is known hold before all namespaces are", () => {
  const said: Condition = { ...TIMES, type: "Validated", status: "True" };
  const known = { ...annotated("1-5"), synced: false };
  expect(validated(app(6), known, { conditions: [said] })).toEqual(refused(6, 1, 5));
});

test("before the namespaces are read, what was said of other things does not matter", () => {
  const unread = { synced: false, get: () => undefined };
  const others: Condition = { ...TIMES, type: "Ready", status: "False" };
  const said: Condition = { ...TIMES, type: "Validated", status: "True" };
  expect(validated(app(101), unread, { conditions: [others, said] })).toEqual(fine);
  expect(validated(app(101), unread, { conditions: [others] })).toEqual(refused(101, 1, 100));
  expect(validated(app(101), unread, {})).toEqual(refused(101, 1, 100));
});

test("before the namespaces are read, what was said stands", () => {
  const unread = { synced: false, get: () => undefined };
  const said = (status: "True" | "False"): Condition => ({ ...TIMES, type: "Validated", status });
  expect(validated(app(101), unread, { conditions: [said("True")] })).toEqual(fine);
  expect(validated(app(2), unread, { conditions: [said("False")] })).toEqual({
    refusal: { reason: "R", message: "m" },
  });
  expect(validated(app(101), unread, undefined)).toEqual(refused(101, 1, 100));
  expect(validated(app(101), { ...unread, synced: true }, { conditions: [said("True")] })).toEqual(
    refused(101, 1, 100),
  );
});

test("a namespace whose bounds have changed is worth a look at its objects", () => {
  expect(changedBounds({ object: namespace("0-5") })).toBe(true);
  expect(changedBounds({ object: namespace() })).toBe(false);
  expect(changedBounds({ object: namespace("0-5"), old: namespace("0-5") })).toBe(false);
  expect(changedBounds({ object: namespace(), old: namespace("0-5") })).toBe(true);
});
