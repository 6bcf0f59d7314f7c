import { beforeEach, describe, expect, test } from "vitest";
import { createLogger, createMetrics, createTracing, type Tracer } from "../observability/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { Lane } from "./lane.ts";
import type { MemberWriter } from "./memberWriter.ts";
import { DesiredStateTable, type Entry } from "./table.ts";
import { CONFIG_REF, OWNER_KEY, row, seen } from "./testing/builders.ts";

const CLUSTER = "shanghai-1";
const plan = { release: "Delete", monotonic: 0 } as const;

let tracer: Tracer;
beforeEach(async () => {
  ({ tracer } = await createTracing({ serviceVersion: "test", identity: "test", env: {} }));
});

/** A lane whose member answers as the test says; every call is kept as a line. */
function laneOn(answer: (call: string) => unknown = () => undefined) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const working: boolean[] = [];
  const state = { answer, isOver: false, synced: true, deletesAllowed: true, share: 32, suspicions: 0, healed: 0 };
  const call = async (verb: string, { ref }: Entry): Promise<void> => {
    const line = `${verb} ${ref.name}`;
    calls.push(line);
    const result = await state.answer(line);
    if (result instanceof Error) throw result;
  };
  const writer = {
    isSynced: () => state.synced,
    get isOver() {
      return state.isOver;
    },
    invalidateDiscovery: () => undefined,
    create: (entry: Entry) => call("create", entry),
    update: (entry: Entry) => call("update", entry),
    delete: (entry: Entry) => call("delete", entry),
    release: (entry: Entry) => call("release", entry),
  } as unknown as MemberWriter;
  const table: DesiredStateTable = new DesiredStateTable({
    entryChanged: (entry) => lane.look(entry),
    ownerChanged: () => undefined,
  });
  const lane = new Lane({
    cluster: CLUSTER,
    table,
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "silent" }),
    metrics: createMetrics({ processMetrics: false }),
    tracer,
    mayRemove: () => state.deletesAllowed,
    suspect: () => void (state.suspicions += 1),
    share: () => state.share,
    working: (isWorking) => void working.push(isWorking),
    healed: () => void (state.healed += 1),
  });
  lane.attach(writer);
  lane.setContact(true);
  return { lane, table, clock, calls, state, writer, working };
}

const named = (name: string) => row({ ref: { ...CONFIG_REF, name }, owner: row().owner });
const failureOf = (table: DesiredStateTable) => [...table.entriesIn(CLUSTER)][0]?.failure?.reason;

describe("what a lane does", () => {
  test("nothing before the member's watch has brought everything of that kind", async () => {
    const { lane, table, clock, calls, state } = laneOn();
    state.synced = false;
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(10);
    expect(calls).toEqual([]);
    state.synced = true;
    lane.lookAtAll();
    await clock.advance(10);
    expect(calls).toEqual(["create shop"]);
  });

  test("no delete while the gate is closed, and it when the gate opens", async () => {
    const { lane, table, clock, calls, state } = laneOn();
    state.deletesAllowed = false;
    table.observe(CLUSTER, CONFIG_REF, seen(), 0);
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    state.deletesAllowed = true;
    lane.lookAtAll();
    await clock.advance(10);
    expect(calls).toEqual(["delete shop"]);
  });

  test("tells that it has work for as long as it has any that can be done", async () => {
    const first = Promise.withResolvers<void>();
    const { lane, table, clock, state, working } = laneOn(() => first.promise);
    state.share = 1;
    table.replace(OWNER_KEY, [named("a"), named("b")], plan);
    await clock.advance(10);
    expect(working).toEqual([true]);
    first.resolve();
    await clock.advance(10);
    expect(working).toEqual([true, false]);
    lane.setContact(false);
    table.replace(OWNER_KEY, [named("c")], plan);
    await clock.advance(10);
    expect(working).toEqual([true, false]);
    lane.setContact(true);
    await clock.advance(10);
    expect(working).toEqual([true, false, true, false]);
  });

  test("no more at a time than its share, also when that changes", async () => {
    const answers: (() => void)[] = [];
    const { lane, table, clock, calls, state } = laneOn(() => new Promise<void>((resolve) => answers.push(resolve)));
    state.share = 3;
    lane.setContact(true);
    const wanted = Array.from({ length: 12 }, (_, index) => named(`config-${index}`));
    table.replace(OWNER_KEY, wanted, plan);
    await clock.advance(10);
    expect(calls).toHaveLength(3);
    state.share = 5;
    answers.shift()?.();
    await clock.advance(10);
    expect(calls).toHaveLength(1 + 5);
  });

  test("a change during a write is looked at after it", async () => {
    const written = Promise.withResolvers<void>();
    const { table, clock, calls, state } = laneOn(() => written.promise);
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(10);
    table.replace(OWNER_KEY, [row({ hash: "h2" })], plan);
    await clock.advance(10);
    expect(calls).toEqual(["create shop"]);
    state.answer = () => undefined;
    written.resolve();
    await clock.advance(10);
    expect(calls).toEqual(["create shop", "create shop"]);
  });

  test("what failed for an older wish is not told of the newer one, which is tried at once", async () => {
    const answered = Promise.withResolvers<Error>();
    const { table, clock, calls, state } = laneOn(() => answered.promise);
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(10);
    const hanging = Promise.withResolvers<void>();
    state.answer = () => hanging.promise;
    table.replace(OWNER_KEY, [row({ hash: "h2" })], plan);
    answered.resolve(new ApiError(422, "Invalid", "spec is wrong"));
    await clock.advance(10);
    expect(failureOf(table)).toBeUndefined();
    expect(calls).toEqual(["create shop", "create shop"]);
  });

  test("a write that the end of the session broke off says nothing about the member", async () => {
    const broken = Promise.withResolvers<Error>();
    const { lane, table, clock, calls, state, writer } = laneOn(() => broken.promise);
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(10);
    state.isOver = true;
    lane.detach();
    broken.resolve(new TransportError("Aborted", "the session has ended"));
    await clock.advance(60_000);
    expect([failureOf(table), state.suspicions]).toEqual([undefined, 0]);
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
    const { table, clock, calls } = laneOn(() => error);
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(soonest - 1);
    expect(calls).toHaveLength(1);
    await clock.advance(2);
    expect(calls).toHaveLength(2);
  });

  test("a lost Lease is no fault of the object", async () => {
    const { table, clock } = laneOn(() => new NotLeaderError("not held"));
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(1_000);
    expect(failureOf(table)).toBeUndefined();
  });

  test.each([
    {
      name: "the conflict is to be resolved otherwise",
      change: (table: DesiredStateTable) => table.replace(OWNER_KEY, [row({ conflictResolution: "Adopt" })], plan),
    },
    {
      name: "something else is wanted",
      change: (table: DesiredStateTable) => table.replace(OWNER_KEY, [row({ hash: "h2" })], plan),
    },
    {
      name: "the object is there",
      change: (table: DesiredStateTable) => void table.observe(CLUSTER, CONFIG_REF, seen({ hash: "old" }), 1),
    },
  ])("the backoff ends when $name", async ({ change }) => {
    const { table, clock, calls } = laneOn(() => new ApiError(422, "Invalid", "spec is wrong"));
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(10);
    change(table);
    await clock.advance(10);
    expect(calls).toHaveLength(2);
  });

  test("what nobody wants any more is not tried again, and wanted again it is tried at once", async () => {
    const { table, clock, calls } = laneOn(() => new ApiError(422, "Invalid", "spec is wrong"));
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(10);
    table.replace(OWNER_KEY, [], plan);
    await clock.advance(60_000);
    expect([calls.length, clock.pending]).toEqual([1, 0]);
    table.replace(OWNER_KEY, [row()], plan);
    await clock.advance(10);
    expect(calls).toHaveLength(2);
  });

  test("Retry-After is obeyed by the whole lane", async () => {
    const { table, clock, calls, state } = laneOn(
      () => new ApiError(429, "TooManyRequests", "slow down", { retryAfterMs: 5_000 }),
    );
    table.replace(OWNER_KEY, [named("a")], plan);
    await clock.advance(10);
    state.answer = () => undefined;
    table.replace("other", [named("b")], plan);
    await clock.advance(4_900);
    expect(calls).toEqual(["create a"]);
    await clock.advance(200);
    expect(calls.toSorted()).toEqual(["create a", "create a", "create b"]);
  });
});

describe("when a member is not reached", () => {
  const unreached = new TransportError("ConnectionRefused", "connection refused");

  test("it stops sending after a few, and asks for a probe", async () => {
    const { table, clock, calls, state } = laneOn(() => unreached);
    for (const name of ["a", "b", "c", "d", "e", "f"]) table.replace(name, [named(name)], plan);
    await clock.advance(450);
    const sent = calls.length;
    expect(state.suspicions).toBe(sent);
    await clock.advance(0);
    expect(calls).toHaveLength(sent);
    expect(sent).toBeLessThan(12);
  });

  test("any answer closes the breaker, also when it is no", async () => {
    const { lane, table, clock, calls, state } = laneOn(() => unreached);
    for (const name of ["a", "b", "c", "d", "e"]) table.replace(name, [named(name)], plan);
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
    const { lane, table, clock, calls, state } = laneOn(() => unreached);
    table.replace(OWNER_KEY, [row()], plan);
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

test("a closed lane begins nothing and waits for what is under way", async () => {
  const written = Promise.withResolvers<void>();
  const { lane, table, clock, calls } = laneOn(() => written.promise);
  table.replace(OWNER_KEY, [row()], plan);
  await clock.advance(10);
  let closed = false;
  const closing = lane[Symbol.asyncDispose]().then(() => (closed = true));
  table.replace("other", [named("b")], plan);
  await clock.advance(10_000);
  expect([closed, calls]).toEqual([false, ["create shop"]]);
  written.resolve();
  await closing;
  expect(clock.pending).toBe(0);
});
