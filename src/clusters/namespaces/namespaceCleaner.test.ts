import { describe, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, type ObjectRef } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, CONFIGMAPS, type Discovery, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
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

/** A member with namespaces of ours; `inside`: what is in each of them. */
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
    namespaces: new MemberNamespaces({ ...session, client: client.client }, "hub"),
    mayRemove: () => state.known,
  });
  /** The namespace is there, and is to go. */
  const ask = (ref = TEAM): void => {
    parts.objects.observe(ref, seen({ ref }));
    parts.take(deleteRow({ ref }));
  };
  const failure = () => parts.find(TEAM).failure;
  return { ...parts, cleaner, client, calls: client.calls, clock, end, lines, state, served, ask, failure };
}

describe("a namespace that is to go", () => {
  test("goes when nothing was in it twice, half a minute apart, as the version that was seen", async () => {
    const { ask, client, calls, clock, failure } = cleaning();
    ask();
    await clock.advance(HALF_A_MINUTE - 1);
    expect(client.lines).toEqual(["list configmaps"]);
    await clock.advance(1);
    expect(client.lines).toEqual(["list configmaps", "list configmaps", "delete namespaces"]);
    expect(calls[2]).toMatchObject({ name: "team", options: { uid: "member-1", resourceVersion: "7" } });
    expect([failure(), clock.pending]).toEqual([undefined, 0]);
  });

  test("is inspected no sooner, whatever happens to it meanwhile", async () => {
    const { ask, objects, client, clock } = cleaning();
    ask();
    for (let second = 1; second < 30; second += 1) {
      await clock.advance(1_000);
      objects.observe(TEAM, seen({ ref: TEAM, resourceVersion: `1${second}` }));
    }
    expect(client.lines).toEqual(["list configmaps"]);
  });

  test("stays while anything is in it, says what, and is inspected again slowly", async () => {
    const { ask, client, clock, state, failure } = cleaning();
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
    expect(client.lines).not.toContain("delete namespaces");
    await clock.advance(HALF_A_MINUTE);
    expect(client.lines.at(-1)).toBe("delete namespaces");
  });

  test("has to be empty for half a minute anew when something was in it meanwhile", async () => {
    const { ask, client, clock, state } = cleaning();
    ask();
    await clock.advance(10_000);
    state.inside = ["mine"];
    await clock.advance(21_000);
    state.inside = [];
    await clock.advance(HALF_A_MINUTE);
    expect(client.lines).not.toContain("delete namespaces");
    await clock.advance(4_000);
    expect(client.lines).toContain("delete namespaces");
  });

  test("stays where nobody can say that it is empty", async () => {
    const { ask, client, clock, failure } = cleaning();
    client.answer = () => new ApiError(403, "Forbidden", "no");
    ask();
    await clock.advance(10);
    const message = "configmaps may not be listed there";
    expect(failure()).toEqual({ reason: "NamespaceKept", message, final: false });
    await clock.advance(2_000);
    expect(client.lines).toHaveLength(2);
  });

  test("that changed while it was being deleted stays, and is inspected twice again", async () => {
    const { ask, client, clock, served } = cleaning();
    client.answer = (call) => (call.verb === "delete" ? new ApiError(409, "Conflict", "changed") : served(call));
    ask();
    await clock.advance(HALF_A_MINUTE);
    expect(client.lines.filter((line) => line === "delete namespaces")).toHaveLength(1);
    client.answer = served;
    await clock.advance(HALF_A_MINUTE);
    expect(client.lines.filter((line) => line === "delete namespaces")).toHaveLength(1);
    await clock.advance(2_100);
    expect(client.lines.filter((line) => line === "delete namespaces")).toHaveLength(2);
  });

  test("of which a later life is to go has to be seen empty anew", async () => {
    const { ask, objects, take, client, clock } = cleaning();
    ask();
    await clock.advance(20_000);
    take(deleteRow({ ref: TEAM, uid: "member-2" }));
    objects.observe(TEAM, seen({ ref: TEAM, uid: "member-2" }));
    await clock.advance(HALF_A_MINUTE - 1);
    expect(client.lines).not.toContain("delete namespaces");
    await clock.advance(1);
    expect(client.lines).toContain("delete namespaces");
  });

  test.each<{ name: string; change: (all: ReturnType<typeof cleaning>) => void }>([
    { name: "its row is withdrawn", change: ({ withdraw }) => withdraw(TEAM) },
    { name: "it is only held", change: ({ take }) => take(holdRow({ ref: TEAM })) },
    { name: "an object is placed there", change: ({ take }) => take(row({ ref: INSIDE })) },
    { name: "an object of ours shows there", change: ({ objects }) => objects.observe(INSIDE, seen({ ref: INSIDE })) },
    { name: "it goes by itself", change: ({ objects }) => objects.observe(TEAM, undefined) },
    {
      name: "it is on its way out",
      change: ({ objects }) => objects.observe(TEAM, seen({ ref: TEAM, deleting: true })),
    },
    { name: "it is another one by now", change: ({ objects }) => objects.observe(TEAM, seen({ ref: TEAM, uid: "x" })) },
    { name: "the member's namespaces are not known any more", change: ({ state }) => void (state.known = false) },
  ])("is not deleted when $name, before or during the second inspection", async ({ change }) => {
    const before = cleaning();
    before.ask();
    await before.clock.advance(20_000);
    change(before);
    await before.clock.advance(60_000);
    expect(before.client.lines).not.toContain("delete namespaces");

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
    expect(during.client.lines).not.toContain("delete namespaces");
  });

  test("costs no request while something of ours is in it, or while the namespaces are not known", async () => {
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
    expect(unknown.client.lines).toContain("delete namespaces");
  });

  test("is being written while it is being deleted", async () => {
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

  test("is inspected beside three others at most", async () => {
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

describe("a namespace that is to be let go of", () => {
  const marked: KubeObject = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "team", uid: "member-1", resourceVersion: "5", labels: { [MANAGED_BY_LABEL]: "hub", a: "b" } },
  };

  test("loses our marks at once, whatever is in it", async () => {
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

  test("and is to go after all is inspected when that is over", async () => {
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

  test("that refuses that is tried again, and no failure is left when it worked", async () => {
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
    {
      name: "since the member refuses it",
      error: new ApiError(403, "Forbidden", "may not delete namespaces"),
      failure: { reason: "Forbidden", message: "may not delete namespaces", final: false },
      counted: 1,
    },
    {
      name: "since the member is not reached",
      error: new TransportError("ConnectionReset", "connection reset"),
      failure: { reason: "ClusterUnreachable", message: "connection reset", final: false },
      counted: 0,
    },
    {
      name: "for a fault of our own",
      error: new TypeError("x is not a function"),
      failure: { reason: "InternalError", message: "internal error; see the manager's log", final: false },
      counted: 1,
    },
  ])("$name says so, in one line of the log, and is tried again", async ({ error, failure, counted }) => {
    const all = failing(error);
    await all.clock.advance(HALF_A_MINUTE);
    expect(all.failure()).toEqual(failure);
    expect(all.state.failures).toBe(counted);
    await all.clock.advance(120_000);
    expect(all.client.lines.filter((line) => line === "delete namespaces").length).toBeGreaterThan(1);
    expect(all.lines).toMatchObject([
      {
        level: "warn",
        cluster: "shanghai-1",
        namespace: "team",
        event_reason: failure.reason,
        msg: "a namespace could not be removed",
      },
    ]);
  });

  test.each([
    { name: "the Lease may not be held", error: new NotLeaderError("not held") },
    { name: "the member is asked too much", error: new ApiError(429, "TooManyRequests", "later") },
  ])("since $name is no failure, and is tried again", async ({ error }) => {
    const all = failing(error);
    await all.clock.advance(HALF_A_MINUTE);
    expect([all.failure(), all.lines, all.state.failures]).toEqual([undefined, [], 0]);
    all.client.answer = all.served;
    await all.clock.advance(3_000);
    expect(all.client.lines.filter((line) => line === "delete namespaces")).toHaveLength(2);
  });
});

test("what is no namespace is not inspected", async () => {
  const { cleaner, objects, take, find, calls, clock } = cleaning();
  objects.observe(CONFIG_REF, seen());
  take(deleteRow());
  cleaner.enqueue(find());
  await clock.advance(60_000);
  expect(calls).toEqual([]);
});

test.each([
  { name: "between two inspections", ms: 10_000 },
  { name: "while what occupies it is waited for", ms: 10, inside: ["mine"] },
])("the end of the session ends all of that $name", async ({ ms, inside = [] }) => {
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

test("what the end of the session breaks off has not failed", async () => {
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
