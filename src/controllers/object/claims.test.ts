import { describe, expect, test } from "vitest";
import {
  type FederatedStatus,
  FIRST_RECORD_ANNOTATION,
  type KubeObject,
  type ObjectMeta,
  OBJECT_FINALIZER,
} from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { HubEvent, PlacedKind } from "../../hub/index.ts";
import { ApiError, type Client, DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { changedFinished, changedHealthClocks, changedRecord, claim, isNews } from "./claims.ts";
import type { ControllerClasses } from "../facts/controllerClasses.ts";

const { signal } = new AbortController();

/** The manager of the default class, to which every object is what `ownership` says. */
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

/** What is written, and shown to the cache, when the object is claimed. */
async function claiming(
  given: KubeObject,
  to: Target,
  { ownership = "Owned", failure = undefined as Error | undefined, written = WRITTEN } = {},
) {
  const patches: { op: string; path: string; value?: unknown }[][] = [];
  const observed: unknown[] = [];
  const client = {
    patch: async (...[, , , , operations]: unknown[]) => {
      patches.push(operations as (typeof patches)[number]);
      if (failure !== undefined) throw failure;
      return written;
    },
  } as unknown as Client;
  const kind = { type: DEMOAPPLICATIONS, informer: { observe: (one: unknown) => observed.push(one) } };
  const bound: string[] = [];
  const sources = {
    client,
    hub: { statuses: { of: (one: KubeObject) => one["status"] as FederatedStatus | undefined } },
    store: { bind: async (found: { object: KubeObject }) => void bound.push(found.object.metadata.name) },
    classes: classesOf(ownership),
    events: { record: () => undefined },
  };
  const claimed = await claim(sources, given, kind as unknown as PlacedKind, to, signal);
  const added = patches.flat().filter(({ op }) => op === "add");
  const record = added.find(({ path }) => path.startsWith("/metadata/annotations"))?.value;
  const text = typeof record === "object" ? (record as Record<string, string>)[FIRST_RECORD_ANNOTATION] : record;
  return {
    claimed,
    isOurs: claimed !== undefined,
    observed,
    bound,
    finalizers: added.find(({ path }) => path === "/metadata/finalizers")?.value,
    record: typeof text === "string" ? (JSON.parse(text) as unknown) : undefined,
  };
}

describe("an object that is claimed", () => {
  test("gets our finalizer, says where it goes, and is in the cache at once", async () => {
    expect(await claiming(object(), target(["a", "b"]))).toEqual({
      claimed: WRITTEN,
      isOurs: true,
      observed: [WRITTEN],
      bound: ["shop"],
      finalizers: [OBJECT_FINALIZER],
      record: { clusters: ["a", "b"] },
    });
  });

  test.each([
    { name: "with the generation that our own write gave it", more: {}, isOwn: true },
    { name: "without a change of somebody's that came in between", more: { spec: { replicas: 2 } }, isOwn: false },
    {
      name: "without one of a kind whose generation our write leaves alone",
      more: {},
      kind: "DemoApplication",
      isOwn: false,
    },
  ])("is planned $name", async ({ more, kind, isOwn }) => {
    const native = { apiVersion: "apps/v1", kind: "Deployment" };
    const type = kind === undefined ? native : {};
    const given = object({}, type);
    const finalizers = [OBJECT_FINALIZER];
    const written = object({ generation: 2, finalizers }, { ...type, ...more });
    expect((await claiming(given, target(["a"]), { written })).claimed).toBe(isOwn ? written : given);
  });

  test("says that its copies are to stay, where its policy says so", async () => {
    const { record } = await claiming(object(), target(["a"], { deletionPolicy: "Orphan" }));
    expect(record).toEqual({ clusters: ["a"], deletionPolicy: "Orphan" });
  });

  test("still says where it went before, each cluster once", async () => {
    const annotations = { [FIRST_RECORD_ANNOTATION]: '{"clusters":["old","a"]}' };
    const { record } = await claiming(object({ annotations }), target(["a", "b"]));
    expect(record).toEqual({ clusters: ["old", "a", "b"] });
  });

  test("leaves that to its status where there is one", async () => {
    const { finalizers, record } = await claiming(object({}, { status: { observedGeneration: 1 } }), target(["a"]));
    expect([finalizers, record]).toEqual([[OBJECT_FINALIZER], undefined]);
  });

  test("leaves that to its status where an annotation has no room for so many clusters", async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `a-cluster-with-a-long-name-${index}`);
    const { finalizers, record } = await claiming(object(), target(many));
    expect([finalizers, record]).toEqual([[OBJECT_FINALIZER], undefined]);
  });

  test("is written only once", async () => {
    const { isOurs, finalizers, observed } = await claiming(object({ finalizers: [OBJECT_FINALIZER] }), target(["a"]));
    expect([isOurs, finalizers, observed]).toEqual([true, undefined, []]);
  });

  test("is not written where another class has it, which is no obstacle to planning", async () => {
    const { isOurs, finalizers } = await claiming(object(), target(["a"]), { ownership: "Foreign" });
    expect([isOurs, finalizers]).toEqual([true, undefined]);
  });

  test("is planned again when it has changed meanwhile", async () => {
    const failure = new ApiError(422, "Invalid", "a test failed");
    expect(await claiming(object(), target(["a"]), { failure })).toMatchObject({ isOurs: false, observed: [] });
  });
});

describe("news of an object", () => {
  const claimedNow = (metadata: Partial<ObjectMeta> = {}) =>
    object({
      finalizers: [OBJECT_FINALIZER],
      annotations: { [FIRST_RECORD_ANNOTATION]: '{"clusters":["a"]}' },
      ...metadata,
    });

  test.each<{ name: string; event: HubEvent<KubeObject>; ownership?: string; want: boolean }>([
    { name: "is not that we claimed it", event: updated(object(), claimedNow()), want: false },
    {
      name: "is not that we claimed it without a word on where it goes",
      event: updated(object(), object({ finalizers: [OBJECT_FINALIZER] })),
      want: false,
    },
    {
      name: "is that it changed when we claimed it",
      event: updated(object(), claimedNow({ generation: 2 })),
      want: true,
    },
    {
      name: "is that somebody annotated it when we claimed it",
      event: updated(
        object(),
        claimedNow({ annotations: { [FIRST_RECORD_ANNOTATION]: '{"clusters":["a"]}', note: "x" } }),
      ),
      want: true,
    },
    {
      name: "is that another class claimed it",
      event: updated(object(), claimedNow()),
      ownership: "Foreign",
      want: true,
    },
    {
      name: "is that somebody took our finalizer off",
      event: updated(claimedNow(), object({ annotations: claimedNow().metadata.annotations ?? {} })),
      want: true,
    },
    {
      name: "is not that its status changed",
      event: updated(claimedNow(), { ...claimedNow({ resourceVersion: "9" }), status: { observedGeneration: 1 } }),
      want: false,
    },
    { name: "is that it came", event: { ...updated(object(), object()), type: "Added" }, want: true },
    { name: "is that it went", event: { ...updated(object(), object()), type: "Deleted" }, want: true },
  ])("$name", ({ event, ownership, want }) => expect(isNews({ classes: classesOf(ownership) }, event)).toBe(want));
});

describe("the clusters that an object's record names", () => {
  const on = (...clusters: string[]) =>
    object({}, { status: { observedGeneration: 1, clusters: clusters.map((name) => ({ name, state: "Available" })) } });

  test.each([
    { name: "are others when one is added", before: on("a"), after: on("a", "b"), want: true },
    { name: "are others when one goes", before: on("a", "b"), after: on("a"), want: true },
    { name: "are others when one takes the place of another", before: on("a"), after: on("b"), want: true },
    { name: "are others when one of several is another", before: on("a", "b"), after: on("a", "c"), want: true },
    { name: "are the same in another order", before: on("a", "b"), after: on("b", "a"), want: false },
  ])("$name", ({ before, after, want }) => expect(changedRecord(updated(before, after))).toBe(want));

  test("are no others of an object that comes", () => {
    const { old: _, ...added } = updated(on(), on("a"));
    expect(changedRecord({ ...added, type: "Added" } as HubEvent<KubeObject>)).toBe(false);
  });
});

describe("the clocks of an object's health", () => {
  const at = (time: string) => `2026-01-01T00:00:${time}Z`;
  const saying = (...clusters: object[]) =>
    object({}, { status: { observedGeneration: 1, clusters: clusters.map((one) => ({ name: "a", ...one })) } });
  const [ill, unplaced] = [{ unhealthySince: at("10") }, { unschedulableSince: at("10") }];

  test.each([
    { name: "begin when it becomes unhealthy", before: saying({}), after: saying(ill), want: true },
    { name: "end when it is well again", before: saying(ill), after: saying({}), want: true },
    { name: "are of one cluster", before: saying(ill), after: saying({ ...ill, name: "b" }), want: true },
    { name: "are of each cluster", before: saying(ill), after: saying(ill, { ...ill, name: "b" }), want: true },
    { name: "run on", before: saying(ill), after: saying({ ...ill, state: "Failed" }), want: false },
    {
      name: "say only that it is unhealthy",
      before: saying(ill),
      after: saying({ unhealthySince: at("20") }),
      want: false,
    },
    { name: "begin when its pods find no node", before: saying({}), after: saying(unplaced), want: true },
    {
      name: "begin anew when its pods find no node again",
      before: saying(unplaced),
      after: saying({ unschedulableSince: at("20") }),
      want: true,
    },
    { name: "are two", before: saying(ill), after: saying({ ...ill, ...unplaced }), want: true },
    {
      name: "are those of before where only words change",
      before: saying({}),
      after: saying({ message: "x" }),
      want: false,
    },
    { name: "do not run without a status", before: object(), after: saying({}), want: false },
  ])("$name: $want", ({ before, after, want }) => {
    expect(changedHealthClocks(updated(before, after))).toBe(want);
  });

  test("run at once of an object that comes with one", () => {
    expect([changedHealthClocks({ object: saying(ill) }), changedHealthClocks({ object: saying({}) })]).toEqual([
      true,
      false,
    ]);
  });
});

test("work that has come to its end is news once", () => {
  const finished = { objects: [{ kind: "Pod", name: "x", hash: "h" }], clusters: [{ name: "a", complete: "0" }] };
  const with_ = (status: object) => object({}, { status });
  expect(changedFinished(updated(with_({}), with_({ finished })))).toBe(true);
  expect(changedFinished(updated(with_({ finished }), with_({ finished, replicas: 1 })))).toBe(false);
  expect(changedFinished({ object: with_({}) })).toBe(false);
});
