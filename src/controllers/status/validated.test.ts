import { describe, expect, test } from "vitest";
import { type Condition, type KubeObject, REPLICA_BOUNDS_ANNOTATION } from "../../apis/index.ts";
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
    ...(bounds === undefined ? {} : { annotations: { [REPLICA_BOUNDS_ANNOTATION]: bounds } }),
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

test.each<[string, KubeObject, string | undefined, object | undefined]>([
  ["above the default bounds", app(101), undefined, refused(101, 1, 100)],
  ["below the default bounds", app(0), undefined, refused(0, 1, 100)],
  ["the most of the namespace's bounds", app(5), "3-5", fine],
  ["below the namespace's bounds", app(2), "3-5", refused(2, 3, 5)],
  ["above the namespace's bounds", app(6), "1-5", refused(6, 1, 5)],
  ["malformed bounds", app(101), "many", refused(101, 1, 100)],
  ["no number", app(undefined), undefined, fine],
  ["another kind of the group", app(500, { kind: "ManifestBundle" }), undefined, undefined],
])("the replicas are checked against the bounds: %s", (_, object, bounds, want) => {
  expect(validated(object, annotated(bounds), undefined)).toStrictEqual(want);
});

describe("until the namespaces are read", () => {
  const unread = { synced: false, get: () => undefined };
  const said = (status: "True" | "False", type = "Validated"): Condition => ({
    ...{ type, status, reason: "R", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" },
  });
  const before = (...conditions: Condition[]) => ({ conditions });
  test.each<[string, KubeObject, Parameters<typeof validated>[1], Parameters<typeof validated>[2], object]>([
    ["a good verdict stays", app(101), unread, before(said("True")), fine],
    ["a bad verdict stays", app(2), unread, before(said("False")), { refusal: { reason: "R", message: "m" } }],
    [
      "a known namespace has its bounds",
      app(6),
      { ...annotated("1-5"), synced: false },
      before(said("True")),
      refused(6, 1, 5),
    ],
  ])("%s", (_, object, namespaces, previous, want) => expect(validated(object, namespaces, previous)).toEqual(want));

  test("the verdict is computed again once they are read", () => {
    expect(validated(app(101), { ...unread, synced: true }, before(said("True")))).toEqual(refused(101, 1, 100));
  });
});

test("only a change of the bounds changes the verdict", () => {
  expect(changedBounds({ object: namespace("0-5") })).toBe(true);
  expect(changedBounds({ object: namespace() })).toBe(false);
  expect(changedBounds({ object: namespace("0-5"), old: namespace("0-5") })).toBe(false);
  expect(changedBounds({ object: namespace(), old: namespace("0-5") })).toBe(true);
});
