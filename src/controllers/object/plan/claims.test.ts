import { describe, expect, test } from "vitest";
import {
  type FederatedStatus,
  FIRST_RECORD_ANNOTATION,
  type KubeObject,
  type ObjectMeta,
  OBJECT_FINALIZER,
} from "../../../apis/index.ts";
import { ScriptedClient } from "../../../clusters/testing/scriptedClient.ts";
import type { Target } from "../../../desiredstate/index.ts";
import type { HubEvent, PlacedKind } from "../../../hub/index.ts";
import { ApiError, DEMOAPPLICATIONS } from "../../../runtime/index.ts";
import { changedHealthClocks, changedRecord, claim, isNews } from "./claims.ts";
import type { ControllerClasses } from "../../facts/controllerClasses.ts";

const { signal } = new AbortController();
const classesOf = (ownership = "Owned") =>
  ({ of: () => ownership, classes: new Set(["default"]) }) as unknown as ControllerClasses;
const object = (metadata: Partial<ObjectMeta> = {}, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  ...more,
  metadata: { name: "shop", namespace: "team", uid: "u", generation: 1, ...metadata },
});
const target = (clusters: string[], more: Partial<Target> = {}): Target =>
  ({ clusters: clusters.map((name) => ({ name })), deletionPolicy: "Delete", ...more }) as unknown as Target;
const updated = (old: KubeObject, now: KubeObject): HubEvent<KubeObject> =>
  ({ type: "Updated", key: "team/shop", object: now, old, initial: false }) as HubEvent<KubeObject>;
const WRITTEN = object({ resourceVersion: "2" });

/** Claims the object, and returns what was written and shown to the cache. */
async function claiming(
  given: KubeObject,
  to: Target,
  { ownership = "Owned", answer = WRITTEN as KubeObject | Error } = {},
) {
  const client = new ScriptedClient(() => answer);
  const observed: unknown[] = [];
  const kind = { type: DEMOAPPLICATIONS, informer: { observe: (one: unknown) => observed.push(one) } };
  const bound: string[] = [];
  const sources = {
    client: client.client,
    hub: { statuses: { of: (one: KubeObject) => one["status"] as FederatedStatus | undefined } },
    store: { bind: async (found: { object: KubeObject }) => void bound.push(found.object.metadata.name) },
    classes: classesOf(ownership),
    events: { record: () => undefined },
  };
  const claimed = await claim(sources, given, kind as unknown as PlacedKind, to, signal);
  const operations = client.calls.flatMap(({ body }) => body as { op: string; path: string; value?: unknown }[]);
  const added = (path: string): unknown =>
    operations.find((one) => one.op === "add" && one.path.startsWith(path))?.value;
  const record = added("/metadata/annotations");
  const text = typeof record === "object" ? (record as Record<string, string>)[FIRST_RECORD_ANNOTATION] : record;
  return {
    ...{ claimed, observed, bound, finalizers: added("/metadata/finalizers") },
    record: typeof text === "string" ? (JSON.parse(text) as unknown) : undefined,
  };
}

describe("a claim", () => {
  test("adds the finalizer and the first record, and shows the written object to the cache", async () => {
    expect(await claiming(object(), target(["a", "b"]))).toEqual({
      ...{ claimed: WRITTEN, observed: [WRITTEN], bound: ["shop"] },
      ...{ finalizers: [OBJECT_FINALIZER], record: { clusters: ["a", "b"] } },
    });
  });

  const native = { apiVersion: "apps/v1", kind: "Deployment" };
  test.each([
    { name: "of a native kind whose generation the claim raised is planned as written", type: native, isOwn: true },
    {
      name: "that a user changed as well is planned as seen",
      type: { ...native, spec: { replicas: 2 } },
      isOwn: false,
    },
    { name: "of a rendered kind with another generation is planned as seen", type: {}, isOwn: false },
  ])("of an object $name", async ({ type, isOwn }) => {
    const given = object({}, "kind" in type ? native : {});
    const answer = object({ generation: 2, finalizers: [OBJECT_FINALIZER] }, type);
    expect((await claiming(given, target(["a"]), { answer })).claimed).toBe(isOwn ? answer : given);
  });

  const many = Array.from({ length: 20_000 }, (_, index) => `a-cluster-with-a-long-name-${index}`);
  const recorded = { annotations: { [FIRST_RECORD_ANNOTATION]: '{"clusters":["old","a"]}' } };
  test.each<[string, KubeObject, Target, object | undefined]>([
    [
      "of its copies that stay",
      object(),
      target(["a"], { deletionPolicy: "Orphan" }),
      { clusters: ["a"], deletionPolicy: "Orphan" },
    ],
    ["of former clusters too, each once", object(recorded), target(["a", "b"]), { clusters: ["old", "a", "b"] }],
    ["not if the status has the record", object({}, { status: { observedGeneration: 1 } }), target(["a"]), undefined],
    ["not if it is too large for an annotation", object(), target(many), undefined],
  ])("records the clusters: %s", async (_, given, to, want) => {
    const { finalizers, record } = await claiming(given, to);
    expect([finalizers, record]).toEqual([[OBJECT_FINALIZER], want]);
  });

  test.each([
    { name: "of a claimed object", given: object({ finalizers: [OBJECT_FINALIZER] }), ownership: "Owned" },
    { name: "of an object of another class", given: object(), ownership: "Foreign" },
  ])("$name is not written", async ({ given, ownership }) => {
    expect(await claiming(given, target(["a"]), { ownership })).toMatchObject({
      claimed: given,
      observed: [],
      bound: [],
    });
  });

  test("of an object that has changed meanwhile fails", async () => {
    const answer = new ApiError(422, "Invalid", "a test failed");
    expect(await claiming(object(), target(["a"]), { answer })).toMatchObject({ claimed: undefined, observed: [] });
  });
});

const RECORD = { [FIRST_RECORD_ANNOTATION]: '{"clusters":["a"]}' };
const claimedNow = (metadata: Partial<ObjectMeta> = {}) =>
  object({ finalizers: [OBJECT_FINALIZER], annotations: RECORD, ...metadata });

test.each<[string, HubEvent<KubeObject>, boolean, string?]>([
  ["our claim", updated(object(), claimedNow()), false],
  ["our claim without a record", updated(object(), object({ finalizers: [OBJECT_FINALIZER] })), false],
  ["our claim with a change of the spec", updated(object(), claimedNow({ generation: 2 })), true],
  [
    "our claim with an annotation of a user",
    updated(object(), claimedNow({ annotations: { ...RECORD, note: "x" } })),
    true,
  ],
  ["the claim of another class", updated(object(), claimedNow()), true, "Foreign"],
  ["the removal of our finalizer", updated(claimedNow(), object({ annotations: RECORD })), true],
  [
    "a change of the status",
    updated(claimedNow(), { ...claimedNow({ resourceVersion: "9" }), status: { a: 1 } }),
    false,
  ],
  ["the creation", { ...updated(object(), object()), type: "Added" }, true],
  ["the deletion", { ...updated(object(), object()), type: "Deleted" }, true],
])("%s is news: %s", (_, event, want, ownership) =>
  expect(isNews({ classes: classesOf(ownership) }, event)).toBe(want),
);

const saying = (...clusters: object[]) =>
  object({}, { status: { observedGeneration: 1, clusters: clusters.map((one) => ({ name: "a", ...one })) } });
const on = (...names: string[]) => saying(...names.map((name) => ({ name })));

test.each([
  { name: "a cluster comes", before: on("a"), after: on("a", "b"), want: true },
  { name: "a cluster goes", before: on("a", "b"), after: on("a"), want: true },
  { name: "a cluster replaces another", before: on("a", "b"), after: on("a", "c"), want: true },
  { name: "the order changes", before: on("a", "b"), after: on("b", "a"), want: false },
])("the record changes if $name: $want", ({ before, after, want }) => {
  expect([changedRecord(updated(before, after)), changedRecord({ object: after })]).toEqual([want, false]);
});

const at = (time: string) => `2026-01-01T00:00:${time}Z`;
const [ill, unplaced] = [{ unhealthySince: at("10") }, { unschedulableSince: at("10") }];
test.each([
  { name: "it becomes unhealthy", before: saying({}), after: saying(ill), want: true },
  { name: "it becomes healthy", before: saying(ill), after: saying({}), want: true },
  { name: "it is unhealthy on another cluster", before: saying(ill), after: saying({ ...ill, name: "b" }), want: true },
  { name: "its state changes", before: saying(ill), after: saying({ ...ill, state: "Failed" }), want: false },
  {
    name: "it is unhealthy since later",
    before: saying(ill),
    after: saying({ unhealthySince: at("20") }),
    want: false,
  },
  { name: "its pods become unschedulable", before: saying({}), after: saying(unplaced), want: true },
  {
    name: "its pods do so again",
    before: saying(unplaced),
    after: saying({ unschedulableSince: at("20") }),
    want: true,
  },
])("the health of an object changes if $name: $want", ({ before, after, want }) => {
  expect(changedHealthClocks({ object: after, old: before })).toBe(want);
});
