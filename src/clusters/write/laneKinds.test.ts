import { describe, expect, test } from "vitest";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, row, seen } from "../testing/builders.ts";
import { laneOn, named } from "../testing/laneHarness.ts";

const SILENCE = new TransportError("Timeout", "no answer within 10 s");
const hang = (): Promise<void> => new Promise(() => undefined);

/** A lane that got no answer for five objects of a kind: the next one is tried in half a second. */
async function silent() {
  const parts = laneOn(() => SILENCE);
  for (const name of ["a", "b", "c", "d", "e"]) parts.take(named(name));
  await parts.clock.advance(400);
  expect(parts.calls).toHaveLength(5);
  parts.calls.length = 0;
  return parts;
}

describe("a kind that the member does not answer for", () => {
  test("is named as long as it is not answered for", async () => {
    const { lane, clock, state } = await silent();
    expect(lane.pace?.message).toMatch(/^no answer to writes of [A-Z]/);
    state.answer = () => undefined;
    await clock.advance(10_000);
    expect(lane.pace).toBeUndefined();
  });

  test("is tried at once when contact is made again", async () => {
    const { lane, clock, calls, state } = await silent();
    state.answer = hang;
    lane.setContact(true);
    await clock.advance(0);
    expect(calls).toHaveLength(5);
  });

  test.each([
    { name: "was not sent", error: new NotLeaderError("not held"), underWay: 1 },
    { name: "did not arrive", error: new TransportError("ConnectionRefused", "refused"), underWay: 1 },
    { name: "broke here", error: new TypeError("a bug"), underWay: 1 },
    { name: "was answered, though with a no", error: new ApiError(422, "Invalid", "no"), underWay: 4 },
    { name: "was answered by a server in trouble", error: new ApiError(500, "InternalError", "no"), underWay: 5 },
  ])("is tried with one object; when that $name, with $underWay", async ({ error, underWay }) => {
    const { clock, calls, state } = await silent();
    state.answer = () => {
      state.answer = hang;
      return error;
    };
    await clock.advance(100);
    expect(calls.length).toBeGreaterThanOrEqual(1);
    await clock.advance(1_500);
    expect(calls).toHaveLength(1 + underWay);
  });

  test("is tried later each time that no answer comes", async () => {
    const { clock, calls } = await silent();
    await clock.advance(100);
    expect(calls).toHaveLength(1);
    await clock.advance(999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
  });

  test("is answered for when the member says that the object is being deleted", async () => {
    const { lane, take, clock, calls, state } = laneOn((line) =>
      line.startsWith("find") ? seen({ visible: false, deleting: true }) : SILENCE,
    );
    for (const name of ["a", "b", "c", "d", "e"]) take(named(name));
    await clock.advance(10);
    take(deleteRow({ ref: { ...CONFIG_REF, name: "leaving" } }));
    await clock.advance(400);
    calls.length = 0;
    state.answer = (line) => (line.startsWith("find") ? seen({ visible: false, deleting: true }) : undefined);
    await clock.advance(90);
    expect(calls[0]).toBe("find leaving");
    expect(calls.filter((call) => call.startsWith("create")).toSorted()).toEqual([
      "create a",
      "create b",
      "create c",
      "create d",
      "create e",
    ]);
    await lane[Symbol.asyncDispose]();
  });

  test("is tried in the next session when the session ends while it is tried", async () => {
    const { lane, clock, calls, state, writer } = await silent();
    const broken = Promise.withResolvers<Error>();
    state.answer = () => broken.promise;
    await clock.advance(100);
    expect(calls).toHaveLength(1);
    state.isOver = true;
    lane.detach();
    broken.resolve(new TransportError("Aborted", "the session has ended"));
    await clock.advance(0);
    state.isOver = false;
    state.answer = () => undefined;
    lane.attach(writer);
    await clock.advance(0);
    expect(calls.length).toBeGreaterThan(1);
  });
});

describe("a lane that is closed", () => {
  test.each<{ name: string; answer: unknown }>([
    { name: "is refused", answer: new ApiError(422, "Invalid", "no") },
    { name: "is put off", answer: new ApiError(429, "TooManyRequests", "no", { retryAfterMs: 5_000 }) },
    { name: "is not answered", answer: SILENCE },
    { name: "puts right what somebody did", answer: undefined },
  ])("while a write is under way that $name leaves no timer", async ({ answer }) => {
    const answered = Promise.withResolvers<unknown>();
    const { lane, objects, take, clock, calls } = laneOn(() => answered.promise);
    objects.observe(CONFIG_REF, seen({ owns: false }));
    take(row());
    await clock.advance(0);
    const closing = lane[Symbol.asyncDispose]();
    answered.resolve(answer);
    await closing;
    await clock.advance(0);
    expect([calls, clock.pending]).toEqual([["update shop"], 0]);
  });

  test.each<{ name: string; answer: unknown }>([
    { name: "a refusal", answer: new ApiError(422, "Invalid", "no") },
    {
      name: "the patience that was asked for",
      answer: new ApiError(429, "TooManyRequests", "", { retryAfterMs: 5_000 }),
    },
    { name: "silence", answer: SILENCE },
    { name: "the next time that it may put right what somebody did", answer: undefined },
  ])("waits no longer for the end of $name", async ({ answer }) => {
    const { lane, objects, take, clock, calls } = laneOn(() => answer);
    objects.observe(CONFIG_REF, seen({ owns: false }));
    take(row());
    for (const name of ["a", "b", "c", "d", "e", "f"]) take(named(name));
    await clock.advance(150);
    expect(clock.pending).toBeGreaterThan(0);
    const before = calls.length;
    await lane[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
    lane.enqueueAll();
    await clock.advance(60_000);
    expect(calls).toHaveLength(before);
  });

  test("has no work any more once what was under way has ended", async () => {
    const answered = Promise.withResolvers<void>();
    const { lane, take, clock, calls, state, working } = laneOn(() => answered.promise);
    state.share = 1;
    lane.setContact(true);
    take(named("a"));
    take(named("b"));
    await clock.advance(0);
    const closing = lane[Symbol.asyncDispose]();
    await clock.advance(0);
    expect(working).toEqual([true]);
    answered.resolve();
    await closing;
    await clock.advance(0);
    expect([calls, working]).toEqual([["create a"], [true, false]]);
  });
});
