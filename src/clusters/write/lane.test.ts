import { describe, expect, test } from "vitest";
import { ApiError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, holdRow, releaseRow, row, seen } from "../testing/builders.ts";
import { failureOf, laneOn, type LaneParts, named } from "../testing/laneHarness.ts";

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
    { name: "whose row was withdrawn", prepare: ({ take, withdraw }: LaneParts) => (take(row()), withdraw()) },
    { name: "whose row is a hold", prepare: ({ take }: LaneParts) => take(holdRow({ wanted: false })) },
    { name: "of which another life is to go", prepare: ({ take }: LaneParts) => take(deleteRow({ uid: "before" })) },
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
