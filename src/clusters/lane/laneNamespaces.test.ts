import { describe, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, type ObjectRef, POD_SECURITY_ANNOTATION } from "../../apis/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { textOf } from "../model/carriedLabels.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CONFIG_REF, deleteRow, holdRow, releaseRow, row, seen } from "../testing/builders.ts";
import { configMapsAlone, namespaceLane, namespaceRef, TEAM } from "../testing/namespaceLane.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const HALF_A_MINUTE = 30_000;
const INSIDE: ObjectRef = { ...CONFIG_REF, namespace: "team" };

/** A lane in contact. `inside`: names of the ConfigMaps in each namespace. */
function cleaning() {
  const clock = new FakeClock();
  const inside: string[] = [];
  const served: Answer = ({ verb }) =>
    verb === "list" ? { items: inside.map((name) => ({ metadata: { name } })) } : undefined;
  const client = new ScriptedClient(served);
  const parts = namespaceLane({ client: client.client, discovery: configMapsAlone(), clock });
  const end = parts.connect();
  /** Observes the namespace and takes a Delete row for it. */
  const ask = (ref = TEAM): void => {
    parts.objects.observe(ref, seen({ ref }));
    parts.take(deleteRow({ ref }));
  };
  const failure = () => parts.find(TEAM).failure;
  const deletions = (): number => client.lines.filter((line) => line === "delete namespaces").length;
  return { ...parts, client, calls: client.calls, clock, end, inside, served, ask, failure, deletions };
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
    const { ask, client, clock, inside, failure, deletions } = cleaning();
    inside.push("kube-root-ca.crt", "mine");
    ask();
    await clock.advance(10);
    expect(failure()).toEqual({ reason: "NamespaceOccupied", message: "ConfigMap mine is in it", final: false });
    await clock.advance(1_980);
    expect(client.lines).toHaveLength(1);
    await clock.advance(4_100);
    expect(client.lines).toHaveLength(3);
    inside.length = 0;
    await clock.advance(10_000);
    expect(failure()).toBeUndefined();
    expect(deletions()).toBe(0);
    await clock.advance(HALF_A_MINUTE);
    expect(client.lines.at(-1)).toBe("delete namespaces");
  });

  test("must be empty for half a minute again after an object was in it", async () => {
    const { ask, clock, inside, deletions } = cleaning();
    ask();
    await clock.advance(10_000);
    inside.push("mine");
    await clock.advance(21_000);
    inside.length = 0;
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
    unknown.lane.enqueueAll();
    await unknown.clock.advance(HALF_A_MINUTE);
    expect(unknown.deletions()).toBe(1);
  });

  test("has no failure when its row was withdrawn during the inspection that finds an object", async () => {
    const { ask, client, clock, withdraw, failure } = cleaning();
    const listed = Promise.withResolvers<object>();
    client.answer = () => listed.promise;
    ask();
    await clock.advance(10);
    withdraw(TEAM);
    listed.resolve({ items: [{ metadata: { name: "mine" } }] });
    await clock.advance(10);
    expect([failure(), clock.pending]).toEqual([undefined, 0]);
  });

  test("counts as being written during its deletion, and not during an inspection", async () => {
    const deleted = Promise.withResolvers<undefined>();
    const { ask, client, clock, served, find } = cleaning();
    const inspected: boolean[] = [];
    client.answer = (call) => {
      if (call.verb === "delete") return deleted.promise;
      inspected.push(find(TEAM).writing);
      return served(call);
    };
    ask();
    await clock.advance(HALF_A_MINUTE);
    expect([inspected, find(TEAM).writing]).toEqual([[false, false], true]);
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
    [new ApiError(403, "Forbidden", "may not delete namespaces"), "Forbidden", "may not delete namespaces"],
    [new TransportError("ConnectionReset", "connection reset"), "ClusterUnreachable", "connection reset"],
    [new TypeError("x is not a function"), "InternalError", "internal error; see the manager's log"],
  ])("because of %s is no final failure, since an unjoin waits for it, and is retried slowly", async (...given) => {
    const [error, reason, message] = given;
    const { clock, failure, deletions, lines } = failing(error);
    await clock.advance(HALF_A_MINUTE + 1_900);
    expect([failure(), deletions()]).toEqual([{ reason, message, final: false }, 1]);
    await clock.advance(120_000);
    expect(deletions()).toBeGreaterThan(1);
    expect(deletions()).toBeLessThan(10);
    expect(lines[0]).toMatchObject({ cluster: "shanghai-1", member_object: "/Namespace//team" });
  });

  test.each([
    { name: "the Lease may not be held", error: new NotLeaderError("not held") },
    { name: "the member is asked too much", error: new ApiError(429, "TooManyRequests", "later") },
  ])("because $name is no failure, and is retried soon", async ({ error }) => {
    const { clock, failure, lines, client, served, deletions } = failing(error);
    await clock.advance(HALF_A_MINUTE);
    expect([failure(), lines.filter(({ level }) => level !== "debug")]).toEqual([undefined, []]);
    client.answer = served;
    await clock.advance(1_100);
    expect(deletions()).toBe(2);
  });
});

test.each([
  { name: "between two inspections", ms: 10_000 },
  { name: "while it is occupied", ms: 10, occupied: true },
])("the next session inspects a namespace anew that was to be deleted $name", async ({ ms, occupied = false }) => {
  const { ask, client, clock, end, inside, connect, deletions } = cleaning();
  if (occupied) inside.push("mine");
  ask();
  await clock.advance(ms);
  end.abort(new Error("over"));
  client.calls.length = 0;
  inside.length = 0;
  await clock.advance(60_000);
  expect(client.calls).toEqual([]);
  connect();
  await clock.advance(HALF_A_MINUTE - 1);
  expect([client.lines, deletions()]).toEqual([["list configmaps"], 0]);
  await clock.advance(1);
  expect(deletions()).toBe(1);
});

test("a namespace is deleted soon after the last object of ours in it is gone", async () => {
  const { ask, objects, client, clock, withdraw, take } = cleaning();
  take(row({ ref: INSIDE }));
  ask();
  await clock.advance(60_000);
  expect(client.lines).toEqual([]);
  withdraw(INSIDE);
  await clock.advance(1);
  expect(client.lines).toEqual(["list configmaps"]);
  objects.observe(INSIDE, seen({ ref: INSIDE }));
  await clock.advance(20_000);
  objects.observe(INSIDE, undefined);
  await clock.advance(HALF_A_MINUTE + 1);
  expect(client.lines.at(-1)).toBe("delete namespaces");
});

test("no namespace is inspected without contact", async () => {
  const { ask, clock, client, lane } = cleaning();
  lane.setContact(false);
  ask();
  await clock.advance(60_000);
  expect(client.lines).toEqual([]);
  lane.setContact(true);
  await clock.advance(1);
  expect(client.lines).toEqual(["list configmaps"]);
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

describe("the Pod Security labels of our namespace", () => {
  const RESTRICTED = { enforce: "restricted" };
  const namespace = (annotations: Record<string, string> = {}): KubeObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "team", uid: "u1", resourceVersion: "5", annotations },
  });
  const serving =
    (annotations: Record<string, string> = {}): Answer =>
    ({ verb }) =>
      verb === "get" ? namespace(annotations) : {};

  interface Given {
    observed?: Partial<ObservedObject>;
    wanted?: Record<string, string>;
    answer?: Answer;
  }

  /** A member with our namespace. `wanted`: labels that rows want. */
  function labelling({ observed = {}, wanted = RESTRICTED, answer = serving() }: Given = {}) {
    const parts = cleaning();
    parts.client.answer = answer;
    const want = (namespaceLabels: Record<string, string>): void =>
      parts.labels.take({ verb: "Apply", ref: INSIDE, namespaceLabels });
    want(wanted);
    const see = (more: Partial<ObservedObject> = {}): void =>
      parts.objects.observe(TEAM, seen({ ref: TEAM, ...observed, ...more }));
    see();
    return { ...parts, want, see };
  }

  test("are written with the annotation that lists them, for the version that was read", async () => {
    const { calls, clock } = labelling();
    await clock.advance(0);
    expect(calls).toMatchObject([
      { verb: "get", what: "namespaces", namespace: undefined, name: "team" },
      {
        verb: "patch",
        name: "team",
        options: { patchType: "application/merge-patch+json" },
        body: {
          metadata: {
            uid: "u1",
            resourceVersion: "5",
            labels: RESTRICTED,
            annotations: { [POD_SECURITY_ANNOTATION]: textOf(RESTRICTED) },
          },
        },
      },
    ]);
  });

  test("that the hub no longer has are removed", async () => {
    const before = '{"enforce":"baseline","warn":"baseline"}';
    const { calls, clock } = labelling({ answer: serving({ [POD_SECURITY_ANNOTATION]: before }) });
    await clock.advance(0);
    expect(calls[1]?.body).toMatchObject({ metadata: { labels: { enforce: "restricted", warn: null } } });
  });

  test("are written again when they change", async () => {
    const { calls, clock, want, see } = labelling();
    await clock.advance(0);
    see({ podSecurity: textOf(RESTRICTED), resourceVersion: "8" });
    calls.length = 0;
    want({ enforce: "privileged" });
    see({ podSecurity: textOf(RESTRICTED), resourceVersion: "9" });
    await clock.advance(0);
    expect(calls).toHaveLength(2);
  });

  test.each<Given & { name: string }>([
    { name: "which has them", observed: { podSecurity: textOf(RESTRICTED) } },
    { name: "where none are wanted, and none were brought", wanted: {} },
    { name: "of somebody else", observed: { isOurs: false } },
    { name: "that is on its way out", observed: { deleting: true } },
  ])("need no request for a namespace $name", async ({ name: _, ...given }) => {
    const { calls, clock } = labelling(given);
    await clock.advance(60_000);
    expect([calls, clock.pending]).toEqual([[], 0]);
  });

  test("are not written to a namespace with a Delete or Release row", async () => {
    const { take, calls, clock, see } = labelling({
      observed: { podSecurity: textOf(RESTRICTED) },
    });
    take(releaseRow({ ref: TEAM, uid: "before" }));
    see({ podSecurity: textOf({}) });
    await clock.advance(0);
    expect(calls).toEqual([]);
  });

  describe("that a member refuses", () => {
    const refused = new ApiError(403, "Forbidden", "may not patch namespaces");

    test("are retried slowly despite events, with a log line each time", async () => {
      const { calls, clock, see, lines } = labelling({ answer: () => refused });
      await clock.advance(10);
      for (let change = 0; change < 5; change += 1) {
        see({ resourceVersion: `1${change}` });
        await clock.advance(100);
      }
      expect(calls).toHaveLength(1);
      await clock.advance(1_500);
      expect(calls).toHaveLength(2);
      expect(lines[0]).toMatchObject({
        level: "warn",
        cluster: "shanghai-1",
        member_object: "/Namespace//team",
        event_reason: "NamespaceNotLabelled",
        msg: "the namespace did not get its Pod Security labels: may not patch namespaces",
      });
    });

    test("are retried at once when the row changes, and not when they are present", async () => {
      const { calls, clock, want, see } = labelling({ answer: () => refused });
      await clock.advance(10);
      want({ enforce: "baseline" });
      see({ resourceVersion: "11" });
      await clock.advance(10);
      expect(calls).toHaveLength(2);
      see({ podSecurity: textOf({ enforce: "baseline" }), resourceVersion: "12" });
      await clock.advance(60_000);
      expect([calls.length, clock.pending]).toEqual([2, 0]);
    });

    test("are written by one request at a time", async () => {
      const read = Promise.withResolvers<KubeObject>();
      const { calls, clock, see } = labelling({ answer: ({ verb }) => (verb === "get" ? read.promise : {}) });
      see({ resourceVersion: "8" });
      await clock.advance(10);
      expect(calls).toHaveLength(1);
      read.resolve(namespace());
      await clock.advance(10);
      expect(calls).toHaveLength(2);
    });
  });
});
