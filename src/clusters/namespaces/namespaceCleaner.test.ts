import { describe, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, type ObjectRef } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, CONFIGMAPS, type Discovery, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { NamespaceLabels } from "../model/carriedLabels.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { NamespaceCleaner } from "./namespaceCleaner.ts";
import { MemberNamespaces } from "../model/namespaces.ts";
import { CONFIG_REF, deleteRow, holdRow, objectsWithLog, releaseRow, row, seen } from "../testing/builders.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";
import type { MemberSession } from "../types.ts";

const HALF_A_MINUTE = 30_000;
const namespaceRef = (name: string): ObjectRef => ({ apiVersion: "v1", kind: "Namespace", name });
const TEAM = namespaceRef("team");
const INSIDE: ObjectRef = { ...CONFIG_REF, namespace: "team" };

/** `state.inside`: names of the ConfigMaps in each namespace. */
function cleaning() {
  const clock = new FakeClock();
  const end = new AbortController();
  const state = { inside: [] as string[], known: true, failures: 0 };
  const served: Answer = ({ verb }) =>
    verb === "list" ? { items: state.inside.map((name) => ({ metadata: { name } })) } : undefined;
  const client = new ScriptedClient(served);
  const discovery = {
    invalidate: () => undefined,
    unavailable: async () => new Set(),
    list: async () => [{ ...CONFIGMAPS, verbs: ["list"] }],
  } as unknown as Discovery;
  const { logger, lines } = logLines();
  const parts = objectsWithLog((object: MemberObject) => cleaner.enqueue(object));
  const session = { cluster: "shanghai-1", client, discovery, signal: end.signal } as unknown as MemberSession;
  const cleaner: NamespaceCleaner = new NamespaceCleaner({
    session,
    objects: parts.objects,
    clock,
    random: () => 0.5,
    logger,
    metrics: { failed: () => void (state.failures += 1) },
    namespaces: new MemberNamespaces({ ...session, client: client.client }, "hub", new NamespaceLabels()),
    mayRemove: () => state.known,
  });
  /** Observes the namespace and takes a Delete row for it. */
  const ask = (ref = TEAM): void => {
    parts.objects.observe(ref, seen({ ref }));
    parts.take(deleteRow({ ref }));
  };
  const failure = () => parts.find(TEAM).failure;
  const deletions = (): number => client.lines.filter((line) => line === "delete namespaces").length;
  return { ...parts, cleaner, client, calls: client.calls, clock, end, lines, state, served, ask, failure, deletions };
}

describe("a namespace with a Delete row", () => {
  test("is deleted, by version, after two empty inspections half a minute apart", async () => {
    const { ask, client, calls, clock, failure } = cleaning();
    ask();
    await clock.advance(HALF_A_MINUTE - 1);
    expect(client.lines).toEqual(["list configmaps"]);
    await clock.advance(1);
    expect(client.lines).toEqual(["list configmaps", "list configmaps", "delete namespaces"]);
    expect(calls[2]).toMatchObject({ name: "team", options: { uid: "member-1", resourceVersion: "7" } });
    expect([failure(), clock.pending]).toEqual([undefined, 0]);
  });

  test("is not inspected sooner for events", async () => {
    const { ask, objects, client, clock } = cleaning();
    ask();
    for (let second = 1; second < 30; second += 1) {
      await clock.advance(1_000);
      objects.observe(TEAM, seen({ ref: TEAM, resourceVersion: `1${second}` }));
    }
    expect(client.lines).toEqual(["list configmaps"]);
  });

  test("stays while an object is in it, and is inspected with backoff", async () => {
    const { ask, client, clock, state, failure, deletions } = cleaning();
    state.inside = ["kube-root-ca.crt", "mine"];
    ask();
    await clock.advance(10);
    expect(failure()).toEqual({ reason: "NamespaceOccupied", message: "ConfigMap mine is in it", final: false });
    await clock.advance(1_980);
    expect(client.lines).toHaveLength(1);
    await clock.advance(4_100);
    expect(client.lines).toHaveLength(3);
    state.inside = [];
    await clock.advance(10_000);
    expect(failure()).toBeUndefined();
    expect(deletions()).toBe(0);
    await clock.advance(HALF_A_MINUTE);
    expect(client.lines.at(-1)).toBe("delete namespaces");
  });

  test("must be empty for half a minute again after an object was in it", async () => {
    const { ask, clock, state, deletions } = cleaning();
    ask();
    await clock.advance(10_000);
    state.inside = ["mine"];
    await clock.advance(21_000);
    state.inside = [];
    await clock.advance(HALF_A_MINUTE);
    expect(deletions()).toBe(0);
    await clock.advance(4_000);
    expect(deletions()).toBe(1);
  });

  test("stays if it cannot be inspected", async () => {
    const { ask, client, clock, failure } = cleaning();
    client.answer = () => new ApiError(403, "Forbidden", "no");
    ask();
    await clock.advance(10);
    const message = "configmaps may not be listed there";
    expect(failure()).toEqual({ reason: "NamespaceKept", message, final: false });
    await clock.advance(2_000);
    expect(client.lines).toHaveLength(2);
  });

  test("that changes during its deletion is inspected twice again", async () => {
    const { ask, client, clock, served, deletions } = cleaning();
    client.answer = (call) => (call.verb === "delete" ? new ApiError(409, "Conflict", "changed") : served(call));
    ask();
    await clock.advance(HALF_A_MINUTE);
    expect(deletions()).toBe(1);
    client.answer = served;
    await clock.advance(HALF_A_MINUTE);
    expect(deletions()).toBe(1);
    await clock.advance(2_100);
    expect(deletions()).toBe(2);
  });

  test("with a later UID must be seen empty again", async () => {
    const { ask, objects, take, clock, deletions } = cleaning();
    ask();
    await clock.advance(20_000);
    take(deleteRow({ ref: TEAM, uid: "member-2" }));
    objects.observe(TEAM, seen({ ref: TEAM, uid: "member-2" }));
    await clock.advance(HALF_A_MINUTE - 1);
    expect(deletions()).toBe(0);
    await clock.advance(1);
    expect(deletions()).toBe(1);
  });

  test.each<[string, (all: ReturnType<typeof cleaning>) => void]>([
    ["its row is withdrawn", ({ withdraw }) => withdraw(TEAM)],
    ["it is held", ({ take }) => take(holdRow({ ref: TEAM }))],
    ["a row places an object in it", ({ take }) => take(row({ ref: INSIDE }))],
    ["an object of ours is in it", ({ objects }) => objects.observe(INSIDE, seen({ ref: INSIDE }))],
    ["it is gone", ({ objects }) => objects.observe(TEAM, undefined)],
    ["it is being deleted", ({ objects }) => objects.observe(TEAM, seen({ ref: TEAM, deleting: true }))],
    ["it has another UID", ({ objects }) => objects.observe(TEAM, seen({ ref: TEAM, uid: "x" }))],
    ["the namespaces are not known", ({ state }) => void (state.known = false)],
  ])("stays when %s before or during the second inspection", async (_, change) => {
    const before = cleaning();
    before.ask();
    await before.clock.advance(20_000);
    change(before);
    await before.clock.advance(60_000);
    expect(before.deletions()).toBe(0);

    const during = cleaning();
    during.ask();
    await during.clock.advance(20_000);
    const listed = Promise.withResolvers<object>();
    during.client.answer = () => listed.promise;
    await during.clock.advance(10_000);
    expect(during.client.lines).toHaveLength(2);
    change(during);
    listed.resolve({ items: [] });
    await during.clock.advance(60_000);
    expect(during.deletions()).toBe(0);
  });

  test("is not inspected while an object of ours is in it, or while the namespaces are not known", async () => {
    const used = cleaning();
    used.take(row({ ref: INSIDE }));
    used.ask();
    const unknown = cleaning();
    unknown.state.known = false;
    unknown.ask();
    await used.clock.advance(60_000);
    await unknown.clock.advance(60_000);
    expect([used.calls, unknown.calls]).toEqual([[], []]);
    unknown.state.known = true;
    unknown.cleaner.enqueueAll();
    await unknown.clock.advance(HALF_A_MINUTE);
    expect(unknown.deletions()).toBe(1);
  });

  test("counts as being written during its deletion", async () => {
    const deleted = Promise.withResolvers<undefined>();
    const { ask, client, clock, served, find } = cleaning();
    client.answer = (call) => (call.verb === "delete" ? deleted.promise : served(call));
    ask();
    await clock.advance(HALF_A_MINUTE);
    expect(find(TEAM).writing).toBe(true);
    deleted.resolve(undefined);
    await clock.advance(0);
    expect(find(TEAM).writing).toBe(false);
  });

  test("is one of four concurrent inspections at most", async () => {
    const listed = Promise.withResolvers<object>();
    const { ask, client, clock } = cleaning();
    client.answer = () => listed.promise;
    for (let n = 0; n < 6; n += 1) ask(namespaceRef(`team-${n}`));
    await clock.advance(10);
    expect(client.lines).toHaveLength(4);
    listed.resolve({ items: [] });
    await clock.advance(10);
    expect(client.lines).toHaveLength(6);
  });
});

describe("a namespace with a Release row", () => {
  const marked: KubeObject = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "team", uid: "member-1", resourceVersion: "5", labels: { [MANAGED_BY_LABEL]: "hub", a: "b" } },
  };

  test("loses our marks at once, even if it is not empty", async () => {
    const { objects, take, client, calls, clock, failure } = cleaning();
    client.answer = ({ verb }) => (verb === "get" ? marked : undefined);
    objects.observe(INSIDE, seen({ ref: INSIDE }));
    objects.observe(TEAM, seen({ ref: TEAM }));
    take(releaseRow({ ref: TEAM }));
    await clock.advance(10);
    expect(client.lines).toEqual(["get namespaces", "patch namespaces"]);
    expect(calls[1]).toMatchObject({ name: "team", body: { metadata: { labels: { [MANAGED_BY_LABEL]: null } } } });
    expect([failure(), clock.pending]).toEqual([undefined, 0]);
  });

  test("and deleted by a later row is inspected after the release", async () => {
    const read = Promise.withResolvers<KubeObject>();
    const { objects, take, client, clock, served } = cleaning();
    client.answer = (call) => (call.verb === "get" ? read.promise : served(call));
    objects.observe(TEAM, seen({ ref: TEAM }));
    take(releaseRow({ ref: TEAM }));
    await clock.advance(10);
    take(deleteRow({ ref: TEAM }));
    await clock.advance(10);
    expect(client.lines).toEqual(["get namespaces"]);
    read.resolve({ ...marked, metadata: { ...marked.metadata, uid: "another life" } });
    await clock.advance(10);
    expect(client.lines).toEqual(["get namespaces", "list configmaps"]);
  });

  test("fails and is retried until it succeeds", async () => {
    const { objects, take, client, clock, failure, find } = cleaning();
    client.answer = () => new ApiError(403, "Forbidden", "may not get namespaces");
    objects.observe(TEAM, seen({ ref: TEAM }));
    take(releaseRow({ ref: TEAM }));
    await clock.advance(10);
    expect(failure()).toEqual({ reason: "Forbidden", message: "may not get namespaces", final: false });
    expect(find(TEAM).writing).toBe(false);
    client.answer = ({ verb }) => (verb === "get" ? marked : undefined);
    await clock.advance(2_000);
    expect([failure(), client.lines.at(-1)]).toEqual([undefined, "patch namespaces"]);
  });
});

describe("a removal that fails", () => {
  const failing = (error: Error): ReturnType<typeof cleaning> => {
    const all = cleaning();
    all.client.answer = (call) => (call.verb === "delete" ? error : all.served(call));
    all.ask();
    return all;
  };

  test.each([
    [new ApiError(403, "Forbidden", "may not delete namespaces"), "Forbidden", "may not delete namespaces", 1],
    [new TransportError("ConnectionReset", "connection reset"), "ClusterUnreachable", "connection reset", 0],
    [new TypeError("x is not a function"), "InternalError", "internal error; see the manager's log", 1],
  ])("because of %s is a failure with one log line, and is retried", async (error, reason, message, counted) => {
    const all = failing(error);
    await all.clock.advance(HALF_A_MINUTE);
    expect([all.failure(), all.state.failures]).toEqual([{ reason, message, final: false }, counted]);
    await all.clock.advance(120_000);
    expect(all.deletions()).toBeGreaterThan(1);
    const line = { level: "warn", cluster: "shanghai-1", namespace: "team", event_reason: reason };
    expect(all.lines).toMatchObject([{ ...line, msg: "a namespace could not be removed" }]);
  });

  test.each([
    { name: "the Lease may not be held", error: new NotLeaderError("not held") },
    { name: "the member is asked too much", error: new ApiError(429, "TooManyRequests", "later") },
  ])("because $name is no failure, and is retried", async ({ error }) => {
    const all = failing(error);
    await all.clock.advance(HALF_A_MINUTE);
    expect([all.failure(), all.lines, all.state.failures]).toEqual([undefined, [], 0]);
    all.client.answer = all.served;
    await all.clock.advance(3_000);
    expect(all.deletions()).toBe(2);
  });
});

test("an object of another kind is not inspected", async () => {
  const { cleaner, objects, take, find, calls, clock } = cleaning();
  objects.observe(CONFIG_REF, seen());
  take(deleteRow());
  cleaner.enqueue(find());
  await clock.advance(60_000);
  expect(calls).toEqual([]);
});

test.each([
  { name: "between two inspections", ms: 10_000 },
  { name: "during the backoff", ms: 10, inside: ["mine"] },
])("the end of the session cancels the removal $name", async ({ ms, inside = [] }) => {
  const { ask, client, clock, end, state, cleaner, lines } = cleaning();
  state.inside = inside;
  ask();
  await clock.advance(ms);
  end.abort(new Error("over"));
  expect(clock.pending).toBe(0);
  client.calls.length = 0;
  cleaner.enqueueAll();
  await clock.advance(120_000);
  expect([client.calls, lines]).toEqual([[], []]);
});

test("a request that the end of the session aborts has not failed", async () => {
  const listed = Promise.withResolvers<Error>();
  const { ask, client, clock, end, failure, lines } = cleaning();
  client.answer = () => listed.promise;
  ask();
  await clock.advance(10);
  end.abort(new Error("over"));
  listed.resolve(new TransportError("Aborted", "aborted"));
  await clock.advance(60_000);
  expect([failure(), lines, clock.pending]).toEqual([undefined, [], 0]);
});
