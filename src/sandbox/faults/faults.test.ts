import { describe, expect, test, vi } from "vitest";
import { test as property, fc } from "@fast-check/vitest";
import { ManualClock } from "../testing/manualClock.ts";
import { Faults, seededRandom, systemClock, type FaultEvent, type FaultRequest, type FaultSettings } from "./index.ts";

const LIST: FaultRequest = { verb: "list", path: "/api/v1/pods", group: "", resource: "pods" };

function faults(settings: FaultSettings = {}, seed = 1) {
  const clock = new ManualClock();
  const made = new Faults({ clock, random: seededRandom(seed) });
  made.set(settings);
  return { clock, faults: made };
}

describe("requests", () => {
  test("that wait are cut by a partition that begins meanwhile", async () => {
    const { faults: slow, clock } = faults({ latencyMs: 200 });
    const request = slow.onRequest(LIST);
    slow.set({ partition: "silent" });
    clock.advance(200);
    expect(await request).toEqual({ kind: "Silence" });
  });

  test("stop waiting when the caller goes away, and leave no timer", async () => {
    const { faults: slow, clock } = faults({ latencyMs: 200 });
    const caller = new AbortController();
    const request = slow.onRequest({ ...LIST, signal: caller.signal });
    caller.abort();
    expect(await request).toEqual({ kind: "Proceed" });
    expect(clock.waiting).toBe(0);
  });

  test("fail about as often as the rate says", async () => {
    const { faults: some } = faults({ errorRate: 0.3 });
    const answers = await Promise.all(Array.from({ length: 2000 }, () => some.onRequest(LIST)));
    const failed = answers.filter(({ kind }) => kind === "Fail").length;
    expect(failed).toBeGreaterThan(520);
    expect(failed).toBeLessThan(680);
  });

  property.prop([fc.integer(), fc.double({ min: 0, max: 1, noNaN: true })])(
    "fail in the same places for the same seed, whatever else is set",
    async (seed, rate) => {
      const kinds = async (settings: FaultSettings) => {
        const { faults: some } = faults({ errorRate: rate, ...settings }, seed);
        const answers = await Promise.all(Array.from({ length: 20 }, () => some.onRequest(LIST)));
        return answers.map(({ kind }) => kind);
      };
      expect(await kinds({ latencyMs: [0, 0] })).toEqual(await kinds({}));
    },
  );
});

describe("events", () => {
  test("report what happens once, and a crash only when it is one", () => {
    const { faults: some } = faults();
    const events: FaultEvent["kind"][] = [];
    const subscription = some.onEvent(({ kind }) => events.push(kind));
    some.cutWatches();
    some.compact();
    some.crash();
    some.crash();
    some.recover();
    some.recover();
    subscription[Symbol.dispose]();
    some.compact();
    expect(events).toEqual(["CutWatches", "Compact", "Crash", "Recover"]);
  });

  test("report what changed, with what was before", () => {
    const { faults: some } = faults({ podsStuck: true });
    const listener = vi.fn();
    some.onEvent(listener);
    some.set({ podsStuck: undefined, partition: "silent" });
    expect(listener).toHaveBeenCalledExactlyOnceWith({
      kind: "Changed",
      settings: { partition: "silent" },
      before: { podsStuck: true },
    });
  });

  test("clear takes all faults away and recovers", async () => {
    const { faults: some } = faults({ partition: "silent", clockSkewMs: 5 });
    some.crash();
    some.clear();
    expect(some.crashed).toBe(false);
    expect(some.settings).toEqual({});
    expect(await some.onRequest(LIST)).toEqual({ kind: "Proceed" });
  });
});

test("pods are slow by what is set, or stuck", () => {
  const { faults: some } = faults({ podDelayMs: 300 });
  expect(some.podDelay(100)).toBe(400);
  some.set({ podsStuck: true });
  expect(some.podDelay(100)).toBeUndefined();
});

test("the cluster's clock is off by the skew, and its durations are right", () => {
  const { faults: some, clock } = faults({ clockSkewMs: -60_000 });
  const rang = vi.fn();
  some.clock.after(10, rang);
  expect(some.clock.now()).toBe(clock.now() - 60_000);
  clock.advance(10);
  expect(rang).toHaveBeenCalledOnce();
});

test.each<{ name: string; settings: FaultSettings }>([
  { name: "a rate above 1", settings: { errorRate: 1.5 } },
  { name: "a rate that is no number", settings: { throttleRate: Number.NaN } },
  { name: "a latency whose most is below its least", settings: { latencyMs: [5, 2] } },
  { name: "a negative time", settings: { watchLifetimeMs: -1 } },
  { name: "an endless skew", settings: { clockSkewMs: Number.POSITIVE_INFINITY } },
])("$name is refused and changes nothing", ({ settings }) => {
  const { faults: some } = faults({ podDelayMs: 1 });
  expect(() => some.set(settings)).toThrow(RangeError);
  expect(some.settings).toEqual({ podDelayMs: 1 });
});

describe("the real clock", () => {
  test("calls once, and not at all when disposed", () => {
    vi.useFakeTimers();
    try {
      const [kept, dropped] = [vi.fn(), vi.fn()];
      systemClock.after(50, kept);
      systemClock.after(50, dropped)[Symbol.dispose]();
      vi.advanceTimersByTime(1000);
      expect(kept).toHaveBeenCalledOnce();
      expect(dropped).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });

  test("waits longer than a timer can", () => {
    vi.useFakeTimers();
    try {
      const called = vi.fn();
      systemClock.after(2 ** 31 + 5, called);
      vi.advanceTimersByTime(2 ** 31);
      expect(called).not.toHaveBeenCalled();
      vi.advanceTimersByTime(10);
      expect(called).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });
});
