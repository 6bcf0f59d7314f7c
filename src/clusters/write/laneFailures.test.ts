import { describe, expect, test } from "vitest";
import { ApiError, CONFIGMAPS, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, holdRow, row, seen } from "../testing/builders.ts";
import { failureOf, laneOn, type LaneParts, named } from "../testing/laneHarness.ts";

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
      change: ({ take }: LaneParts) => take(row({ conflictResolution: "Adopt" })),
    },
    {
      name: "something else is wanted",
      change: ({ take }: LaneParts) => take(row({ hash: "h2" })),
    },
    {
      name: "the object is there",
      change: ({ objects }: LaneParts) => objects.observe(CONFIG_REF, seen({ hash: "old" })),
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

describe("of what is not to be there any more and may not be looked for, something may be there", () => {
  const forbidden = (verb: string): ApiError =>
    new ApiError(403, "Forbidden", `cannot ${verb} resource "configmaps" in API group ""`);

  test.each<{ name: string; answer: Error | undefined; want: true | undefined }>([
    { name: "not after a write that was refused for want of a right", answer: forbidden("patch"), want: undefined },
    { name: "after one that was refused for another reason", answer: forbidden("get"), want: true },
    { name: "after one that got no answer", answer: new TransportError("Timeout", "no answer"), want: true },
    { name: "after one that was taken", answer: undefined, want: true },
  ])("$name", async ({ answer, want }) => {
    const { take, clock, state, reports } = laneOn(() => answer);
    take(row());
    await clock.advance(0);
    state.known = false;
    take(holdRow({ confirm: true }));
    await clock.advance(0);
    expect(reports.at(-1)).toMatchObject([{ revision: 2 }]);
    expect(reports.at(-1)?.[0]?.mayBeThere).toBe(want);
  });

  test("still, after a later write that is refused for want of a right", async () => {
    const { take, clock, state, reports } = laneOn(() => undefined);
    take(row());
    await clock.advance(0);
    state.answer = () => forbidden("patch");
    take(row({ hash: "h2" }));
    await clock.advance(0);
    state.known = false;
    take(holdRow({ confirm: true }));
    await clock.advance(0);
    expect(reports.at(-1)).toMatchObject([{ mayBeThere: true }]);
  });

  test("not any more once it was looked for", async () => {
    const { take, find, clock } = laneOn();
    take(row());
    await clock.advance(0);
    take(holdRow({ confirm: true }));
    await clock.advance(0);
    expect([find().isAbsent, find().mayBeThere]).toEqual([true, false]);
  });
});

test("what arrived without an answer is told of when it is found there, once", async () => {
  const { objects, take, clock, lines } = laneOn(() => new TransportError("Timeout", "no answer"));
  take(row());
  await clock.advance(0);
  for (let time = 0; time < 2; time += 1) objects.observe(CONFIG_REF, seen());
  await clock.advance(0);
  expect(lines.filter(({ level }) => level === "info").map(({ msg }) => msg)).toEqual(["applied: found there"]);
});

test("what a later attempt brings is told of by that alone", async () => {
  const { objects, take, clock, lines, state } = laneOn(() => new TransportError("Timeout", "no answer"));
  take(row());
  await clock.advance(0);
  state.answer = () => ({ altered: [] });
  state.observe = () => objects.observe(CONFIG_REF, seen());
  await clock.advance(60_000);
  expect(lines.filter(({ level }) => level === "info").map(({ msg }) => msg)).toEqual(["applied: created"]);
});
