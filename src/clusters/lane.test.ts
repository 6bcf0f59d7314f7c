import { beforeEach, describe, expect, test } from "vitest";
import { createLogger, createMetrics, createTracing, type Tracer } from "../observability/index.ts";
import type { KubeObject, ObjectRef } from "../apis/index.ts";
import { ApiError, CONFIGMAPS, NotLeaderError, TransportError } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { Lane } from "./lane.ts";
import type { MemberObject } from "./memberObject.ts";
import type { MemberObjects } from "./memberObjects.ts";
import type { MemberWriter } from "./memberWriter.ts";
import { CLUSTER, CONFIG_REF, deleteRow, holdRow, objectsWithLog, releaseRow, row, seen } from "./testing/builders.ts";

let tracer: Tracer;
beforeEach(async () => {
  ({ tracer } = await createTracing({ serviceVersion: "test", identity: "test", env: {} }));
});

/** A lane whose member answers as the test says; every call is kept as a line. */
function laneOn(answer: (call: string) => unknown = () => undefined) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const working: boolean[] = [];
  const observe = (_object: KubeObject): void => undefined;
  const state = { answer, observe, isOver: false, synced: true, known: true, share: 32, suspicions: 0 };
  const call = async (verb: string, name: string): Promise<unknown> => {
    const line = `${verb} ${name}`;
    calls.push(line);
    const result = await state.answer(line);
    if (result instanceof Error) throw result;
    return result;
  };
  const writer = {
    isSynced: () => state.synced,
    lacks: () => "No",
    mayRemove: () => state.known,
    get isOver() {
      return state.isOver;
    },
    invalidateDiscovery: () => undefined,
    create: ({ ref }: { ref: ObjectRef }) => call("create", ref.name),
    update: ({ ref }: { ref: ObjectRef }) => call("update", ref.name),
    observe: ({ object }: { object: KubeObject }) => state.observe(object),
    delete: (ref: ObjectRef, uid: string) => call("delete", `${ref.name} ${uid}`),
    release: (ref: ObjectRef, uid: string) => call("release", `${ref.name} ${uid}`),
    read: (ref: ObjectRef) => call("read", ref.name),
  } as unknown as MemberWriter;
  const parts = objectsWithLog((object: MemberObject) => lane.enqueue(object));
  const { objects } = parts;
  const lane: Lane = new Lane({
    cluster: CLUSTER,
    objects,
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "silent" }),
    metrics: createMetrics({ processMetrics: false }),
    tracer,
    suspect: () => void (state.suspicions += 1),
    share: () => state.share,
    working: (isWorking) => void working.push(isWorking),
  });
  lane.attach(writer);
  lane.setContact(true);
  return { ...parts, lane, clock, calls, state, writer, working };
}

type Parts = ReturnType<typeof laneOn>;
const named = (name: string) => row({ ref: { ...CONFIG_REF, name } });
const failureOf = (objects: MemberObjects) => [...objects.all()][0]?.failure?.reason;

describe("what a lane does", () => {
  test("the rest when one kind gets no answers, and that kind again when it does", async () => {
    let hangs = true;
    const { lane, take, clock, calls, state } = laneOn((line) =>
      hangs && line.includes("hanging") ? new TransportError("Timeout", "timed out after 15 s") : undefined,
    );
    const hanging = (n: number) => ({ ...CONFIG_REF, apiVersion: "apps/v1", kind: "Deployment", name: `hanging-${n}` });
    for (let n = 0; n < 40; n += 1) take(row({ ref: hanging(n) }));
    await clock.advance(60_000);
    expect(calls.length).toBeLessThan(60);
    expect(state.suspicions).toBeGreaterThan(0);
    calls.length = 0;
    take(named("other"));
    await clock.advance(10);
    expect(calls).toEqual(["create other"]);
    hangs = false;
    calls.length = 0;
    await clock.advance(30_000);
    expect(new Set(calls).size).toBe(40);
    await lane[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  test("nothing before the member's watch has brought everything of that kind", async () => {
    const { lane, take, clock, calls, state } = laneOn();
    state.synced = false;
    take(row());
    await clock.advance(10);
    expect(calls).toEqual([]);
    state.synced = true;
    lane.enqueueAll();
    await clock.advance(10);
    expect(calls).toEqual(["create shop"]);
  });

  test.each([
    { row: deleteRow(), want: "delete shop member-1" },
    { row: releaseRow(), want: "release shop member-1" },
  ])("no $row.verb before the kind is known, and then it", async ({ row: removal, want }) => {
    const { lane, objects, take, clock, calls, state } = laneOn();
    state.known = false;
    objects.observe(CONFIG_REF, seen());
    take(removal);
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    state.known = true;
    lane.enqueueAll();
    await clock.advance(10);
    expect(calls).toEqual([want]);
  });

  test.each([
    { name: "that has no row", prepare: () => undefined },
    { name: "whose row was withdrawn", prepare: ({ take, withdraw }: Parts) => (take(row()), withdraw()) },
    { name: "whose row is a hold", prepare: ({ take }: Parts) => take(holdRow({ wanted: false })) },
    { name: "of which another life is to go", prepare: ({ take }: Parts) => take(deleteRow({ uid: "before" })) },
  ])("nothing to an object $name", async ({ prepare }) => {
    const parts = laneOn();
    parts.objects.observe(CONFIG_REF, seen());
    prepare(parts);
    await parts.clock.advance(60_000);
    expect(parts.calls).toEqual([]);
  });

  test("a read of what a row asks more of, once, and again after it failed", async () => {
    const { lane, objects, take, find, clock, calls, state } = laneOn(() => new TransportError("Timeout", "silence"));
    take(row());
    objects.observe(CONFIG_REF, seen());
    await clock.advance(10);
    calls.length = 0;
    take(row({ reporting: { withStatus: true } }));
    await clock.advance(10);
    expect(calls).toEqual(["read shop"]);
    const { metadata, ...rest } = row().object;
    state.answer = () => seen({ evidence: { live: undefined, content: { ...rest, metadata, status: { ready: 2 } } } });
    await clock.advance(60_000);
    expect(calls.slice(1)).toEqual(["read shop"]);
    expect(find().observed?.evidence.content?.["status"]).toEqual({ ready: 2 });
    lane.enqueue(find());
    await clock.advance(60_000);
    expect(calls).toHaveLength(2);
  });

  test("no write after its row was withdrawn, though it waited for the member", async () => {
    const { lane, take, withdraw, clock, calls } = laneOn();
    lane.setContact(false);
    take(row());
    await clock.advance(10);
    withdraw();
    lane.setContact(true);
    await clock.advance(60_000);
    expect(calls).toEqual([]);
  });

  test("a heal is reported with what was lost, and the next one has to wait", async () => {
    const { objects, take, clock, calls, find } = laneOn();
    objects.observe(CONFIG_REF, seen({ owns: false }));
    take(row());
    await clock.advance(1);
    expect(find().healed).toMatchObject({ lost: [{ path: "data.key" }] });
    objects.observe(CONFIG_REF, seen({ owns: false, resourceVersion: "8" }));
    await clock.advance(990);
    expect(calls).toEqual(["update shop"]);
    await clock.advance(20);
    expect(calls).toEqual(["update shop", "update shop"]);
  });

  describe("against somebody who undoes it each time", () => {
    interface Fighter {
      name: string;
      /** What the member looks like after the next attack. */
      attack: (round: number) => ReturnType<typeof seen> | undefined;
      message: string;
    }
    test.each<Fighter>([
      {
        name: "changes a field",
        attack: (round) => seen({ owns: false, resourceVersion: `1${round}` }),
        message: "somebody changes data.key",
      },
      {
        name: "changes the mark of what was applied",
        attack: (round) => seen({ hash: `x${round}`, resourceVersion: `1${round}` }),
        message: "somebody changes",
      },
      { name: "deletes it", attack: () => undefined, message: "somebody deletes it" },
    ])("who $name, it acts at once, and then ever more slowly", async ({ attack, message }) => {
      const { objects, take, clock, calls, find, state } = laneOn();
      state.answer = () => objects.observe(CONFIG_REF, seen({ resourceVersion: `0${calls.length}` }));
      take(row());
      await clock.advance(1);
      calls.length = 0;
      const startedAt = clock.monotonic();
      const healedAt: number[] = [];
      let healed = 0;
      for (let round = 0; round < 1_500; round++) {
        if (find().observed?.hash === "h1") objects.observe(CONFIG_REF, attack(round));
        await clock.advance(20);
        if (calls.length > healed) healedAt.push(Math.round((clock.monotonic() - startedAt) / 1_000));
        healed = calls.length;
      }
      expect(healedAt).toEqual([0, 1, 3, 7, 15]);
      expect(find().failure).toMatchObject({
        reason: "Contested",
        message: expect.stringContaining(message) as string,
        final: false,
      });
      expect(find().healed).toMatchObject({ contested: true });
      // What is wanted anew has nothing to do with that.
      take(row({ hash: "h2" }));
      await clock.advance(1);
      expect(calls).toHaveLength(6);
    });

    test("and takes it up again when he has stopped, without having been told", async () => {
      const { objects, take, clock, calls, state, find } = laneOn();
      state.answer = () => objects.observe(CONFIG_REF, seen({ resourceVersion: `0${calls.length}` }));
      take(row());
      for (let round = 0; round < 4; round++) {
        objects.observe(CONFIG_REF, undefined);
        await clock.advance(1);
      }
      expect(calls).toHaveLength(2);
      await clock.advance(1_000);
      expect([calls.length, find().failure]).toEqual([3, undefined]);
    });
  });

  test("it has work for as long as there is any that can be done", async () => {
    const first = Promise.withResolvers<void>();
    const { lane, take, clock, state, working } = laneOn(() => first.promise);
    state.share = 1;
    take(named("a"));
    take(named("b"));
    await clock.advance(10);
    expect(working).toEqual([true]);
    first.resolve();
    await clock.advance(10);
    expect(working).toEqual([true, false]);
    lane.setContact(false);
    take(named("c"));
    await clock.advance(10);
    expect(working).toEqual([true, false]);
    lane.setContact(true);
    await clock.advance(10);
    expect(working).toEqual([true, false, true, false]);
  });

  test("no more at a time than its share, also when that changes", async () => {
    const answers: (() => void)[] = [];
    const { lane, take, clock, calls, state } = laneOn(() => new Promise<void>((resolve) => answers.push(resolve)));
    state.share = 3;
    lane.setContact(true);
    const wanted = Array.from({ length: 12 }, (_, index) => named(`config-${index}`));
    for (const wish of wanted) take(wish);
    await clock.advance(10);
    expect(calls).toHaveLength(3);
    state.share = 5;
    answers.shift()?.();
    await clock.advance(10);
    expect(calls).toHaveLength(1 + 5);
  });

  test("a change during a write is considered after it", async () => {
    const written = Promise.withResolvers<void>();
    const { take, clock, calls, state } = laneOn(() => written.promise);
    take(row());
    await clock.advance(10);
    take(row({ hash: "h2" }));
    await clock.advance(10);
    expect(calls).toEqual(["create shop"]);
    state.answer = () => undefined;
    written.resolve();
    await clock.advance(10);
    expect(calls).toEqual(["create shop", "create shop"]);
  });

  test("the failure of an older row is not reported for the newer one, which is tried at once", async () => {
    const answered = Promise.withResolvers<Error>();
    const { objects, take, clock, calls, state } = laneOn(() => answered.promise);
    take(row());
    await clock.advance(10);
    const hanging = Promise.withResolvers<void>();
    state.answer = () => hanging.promise;
    take(row({ hash: "h2" }));
    answered.resolve(new ApiError(422, "Invalid", "spec is wrong"));
    await clock.advance(10);
    expect(failureOf(objects)).toBeUndefined();
    expect(calls).toEqual(["create shop", "create shop"]);
  });

  test("a write that the end of the session broke off says nothing about the member", async () => {
    const broken = Promise.withResolvers<Error>();
    const { lane, objects, take, clock, calls, state, writer } = laneOn(() => broken.promise);
    take(row());
    await clock.advance(10);
    state.isOver = true;
    lane.detach();
    broken.resolve(new TransportError("Aborted", "the session has ended"));
    await clock.advance(60_000);
    expect([failureOf(objects), state.suspicions]).toEqual([undefined, 0]);
    state.answer = () => undefined;
    lane.attach(writer);
    await clock.advance(10);
    expect(calls).toEqual(["create shop", "create shop"]);
  });
});

describe("when a member says no", () => {
  test.each([
    { name: "for good: slowly", error: new ApiError(422, "Invalid", "spec is wrong"), soonest: 2_000 },
    { name: "for now: soon", error: new ApiError(500, "InternalError", "etcd is away"), soonest: 100 },
    { name: "because the Lease is not held: soon", error: new NotLeaderError("not held"), soonest: 100 },
  ])("it is tried again, $name", async ({ error, soonest }) => {
    const { take, clock, calls } = laneOn(() => error);
    take(row());
    await clock.advance(soonest - 1);
    expect(calls).toHaveLength(1);
    await clock.advance(2);
    expect(calls).toHaveLength(2);
  });

  test("a lost Lease is no fault of the object", async () => {
    const { objects, take, clock } = laneOn(() => new NotLeaderError("not held"));
    take(row());
    await clock.advance(1_000);
    expect(failureOf(objects)).toBeUndefined();
  });

  test.each([
    {
      name: "the conflict is to be resolved otherwise",
      change: ({ take }: Parts) => take(row({ conflictResolution: "Adopt" })),
    },
    {
      name: "something else is wanted",
      change: ({ take }: Parts) => take(row({ hash: "h2" })),
    },
    {
      name: "the object is there",
      change: ({ objects }: Parts) => objects.observe(CONFIG_REF, seen({ hash: "old" })),
    },
  ])("the backoff ends when $name", async ({ change }) => {
    const parts = laneOn(() => new ApiError(422, "Invalid", "spec is wrong"));
    const { take, clock, calls } = parts;
    take(row());
    await clock.advance(10);
    change(parts);
    await clock.advance(10);
    expect(calls).toHaveLength(2);
  });

  test("what nobody wants any more is not tried again, and wanted again it is tried at once", async () => {
    const { take, withdraw, clock, calls } = laneOn(() => new ApiError(422, "Invalid", "spec is wrong"));
    take(row());
    await clock.advance(10);
    withdraw();
    await clock.advance(60_000);
    expect([calls.length, clock.pending]).toEqual([1, 0]);
    take(row());
    await clock.advance(10);
    expect(calls).toHaveLength(2);
  });

  test("a removal that failed says nothing of an object whose row was withdrawn meanwhile", async () => {
    const answered = Promise.withResolvers<Error>();
    const { objects, take, withdraw, clock, calls } = laneOn(() => answered.promise);
    objects.observe(CONFIG_REF, seen());
    take(deleteRow());
    await clock.advance(10);
    withdraw();
    answered.resolve(new ApiError(403, "Forbidden", "no"));
    await clock.advance(60_000);
    expect([failureOf(objects), calls.length, clock.pending]).toEqual([undefined, 1, 0]);
  });

  test("Retry-After is obeyed by the whole lane", async () => {
    const { take, clock, calls, state } = laneOn(
      () => new ApiError(429, "TooManyRequests", "slow down", { retryAfterMs: 5_000 }),
    );
    take(named("a"));
    await clock.advance(10);
    state.answer = () => undefined;
    take(named("b"));
    await clock.advance(4_900);
    expect(calls).toEqual(["create a"]);
    await clock.advance(200);
    expect(calls.toSorted()).toEqual(["create a", "create a", "create b"]);
  });
});

describe("when a member is not reached", () => {
  const unreached = new TransportError("ConnectionRefused", "connection refused");

  test("it stops sending after a few, and asks for a probe", async () => {
    const { take, clock, calls, state } = laneOn(() => unreached);
    for (const name of ["a", "b", "c", "d", "e", "f"]) take(named(name));
    await clock.advance(450);
    const sent = calls.length;
    expect(state.suspicions).toBe(sent);
    await clock.advance(0);
    expect(calls).toHaveLength(sent);
    expect(sent).toBeLessThan(12);
  });

  test("any answer closes the breaker, also when it is no", async () => {
    const { lane, take, clock, calls, state } = laneOn(() => unreached);
    for (const name of ["a", "b", "c", "d", "e"]) take(named(name));
    await clock.advance(10);
    const hanging = Promise.withResolvers<void>();
    let answers = 0;
    state.answer = () => ((answers += 1) === 1 ? new ApiError(403, "Forbidden", "no") : hanging.promise);
    calls.length = 0;
    await clock.advance(20_000);
    // One trial; after its answer the others go out side by side.
    expect(calls.length).toBeGreaterThanOrEqual(5);
    hanging.resolve();
    await lane[Symbol.asyncDispose]();
  });

  test("contact that is made again ends every wait", async () => {
    const { lane, take, clock, calls, state } = laneOn(() => unreached);
    take(row());
    await clock.advance(10_000);
    lane.setContact(false);
    calls.length = 0;
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    state.answer = () => undefined;
    lane.setContact(true);
    await clock.advance(1);
    expect(calls).toContain("create shop");
  });
});

test("a version that the member does not serve is named, and tried again slowly", async () => {
  const { take, clock, calls, find } = laneOn(() => new ApiError(404, "NotFound", "404 page not found"));
  take(row());
  await clock.advance(10);
  expect(find().failure).toEqual({
    reason: "KindNotServed",
    message: "the member does not serve ConfigMap of v1 yet; it waits for the definition",
    final: true,
  });
  await clock.advance(35_000);
  expect(calls.length).toBeGreaterThan(1);
});

describe("an apply without effect", () => {
  const answered = (altered: string[]) => ({ type: CONFIGMAPS, object: row().object, altered });

  test("is a failure, tried again slowly and not with every event, until it has an effect", async () => {
    const { objects, take, clock, calls, state, find } = laneOn(() => answered(["data.key"]));
    state.observe = () => objects.observe(CONFIG_REF, seen({ value: "other" }));
    take(row());
    await clock.advance(10);
    expect(calls).toEqual(["create shop"]);
    expect(find().failure).toMatchObject({ reason: "AppliedWithoutEffect", final: false });
    expect(find().failure?.message).toMatch(/: data\.key$/);
    for (let event = 0; event < 10; event += 1) {
      objects.observe(CONFIG_REF, seen({ value: "other", resourceVersion: `1${event}` }));
      await clock.advance(10);
    }
    expect(calls).toEqual(["create shop"]);
    await clock.advance(10_000);
    expect(calls.slice(1)).toEqual(["update shop", "update shop"]);
    await clock.advance(60_000);
    expect(calls.length).toBeLessThanOrEqual(6);

    state.answer = () => answered([]);
    state.observe = () => objects.observe(CONFIG_REF, seen());
    await clock.advance(40_000);
    expect(find().failure).toBeUndefined();
    calls.length = 0;
    await clock.advance(100_000);
    expect(calls).toEqual([]);
  });

  test("shows without a write where the object was there before, and is tried once then", async () => {
    const { objects, take, clock, calls, state, find } = laneOn(() => answered(["data.key"]));
    state.observe = () => objects.observe(CONFIG_REF, seen({ value: "other" }));
    objects.observe(CONFIG_REF, seen({ value: "other" }));
    take(row());
    expect(find().failure).toMatchObject({ reason: "AppliedWithoutEffect" });
    await clock.advance(1_000);
    expect(calls).toEqual(["update shop"]);
  });

  test("of what is asked for no more delays nothing", async () => {
    const { objects, take, clock, calls, state, find } = laneOn();
    state.answer = (call) => {
      if (call !== "create shop") return answered([]);
      take(row({ hash: "h2" }));
      return answered(["data.key"]);
    };
    state.observe = () => objects.observe(CONFIG_REF, seen(calls.length === 1 ? { value: "other" } : { hash: "h2" }));
    take(row());
    await clock.advance(10);
    expect(calls).toEqual(["create shop", "update shop"]);
    expect(find().failure).toBeUndefined();
  });
});

test("a closed lane begins nothing and waits for what is under way", async () => {
  const written = Promise.withResolvers<void>();
  const { lane, take, clock, calls } = laneOn(() => written.promise);
  take(row());
  await clock.advance(10);
  let closed = false;
  const closing = lane[Symbol.asyncDispose]().then(() => (closed = true));
  take(named("b"));
  await clock.advance(10_000);
  expect([closed, calls]).toEqual([false, ["create shop"]]);
  written.resolve();
  await closing;
  expect(clock.pending).toBe(0);
});
