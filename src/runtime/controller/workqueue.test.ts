import { fc, test as prop } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { WorkqueueMetrics } from "../../observability/index.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { Workqueue } from "./workqueue.ts";

const queueOf = (
  clock = new FakeClock(),
  more: { random?: () => number; metrics?: WorkqueueMetrics } = {},
): Workqueue => new Workqueue({ name: "test", clock, random: () => 0, ...more });

describe("a workqueue", () => {
  test("gives keys in the order they were added, each once", async () => {
    const queue = queueOf();
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(queue.length).toBe(3);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(["a", "b", "c"]);
  });

  test("holds back a key that is worked on, and gives it again when that is done", async () => {
    const queue = queueOf();
    queue.add("a");
    await queue.get();
    queue.add("a");
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(queue.length).toBe(1);
    expect(await queue.get()).toBe("a");
    queue.done("a");
    expect(queue.length).toBe(0);
  });

  test("wakes one waiting worker for each key", async () => {
    const queue = queueOf();
    const taken: (string | undefined)[] = [];
    void queue.get().then((key) => taken.push(key));
    void queue.get().then((key) => taken.push(key));
    queue.add("a");
    await Promise.resolve();
    expect(taken).toEqual(["a"]);
    queue.add("b");
    await Promise.resolve();
    expect(taken).toEqual(["a", "b"]);
  });

  test("an aborted worker takes nothing with it", async () => {
    const queue = queueOf();
    const abort = new AbortController();
    const waiting = queue.get(abort.signal);
    abort.abort();
    expect(await waiting).toBeUndefined();
    queue.add("a");
    expect(await queue.get()).toBe("a");
  });

  test("adds a delayed key when its time has come, the earliest wish counting", async () => {
    const clock = new FakeClock();
    const queue = queueOf(clock);
    queue.addAfter("a", 1_000);
    queue.addAfter("a", 300);
    queue.addAfter("a", 500);
    await clock.advance(299);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    await queue.get();
    queue.done("a");
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
  });

  test("backs off exponentially up to a cap, for each key apart, until it is forgotten", () => {
    const queue = queueOf();
    const delays = Array.from({ length: 16 }, () => queue.addRateLimited("a"));
    expect(delays.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(delays.at(-1)).toBe(60_000);
    expect(queue.failures("a")).toBe(16);
    expect(queue.addRateLimited("b")).toBe(5);
    queue.forget("a");
    expect(queue.addRateLimited("a")).toBe(5);
  });

  prop.prop([fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0, max: 0.999, noNaN: true })])(
    "backoff stays positive and below its cap after %s failures",
    (failures, chance) => {
      const queue = queueOf(new FakeClock(), { random: () => chance });
      let delay = 0;
      for (let n = 0; n < failures; n += 1) delay = queue.addRateLimited("a");
      expect(delay).toBeGreaterThan(0);
      expect(delay).toBeLessThanOrEqual(60_000);
    },
  );

  test("lets go of its workers and timers when it is closed", async () => {
    const clock = new FakeClock();
    const queue = queueOf(clock);
    const waiting = queue.get();
    queue.addAfter("a", 10);
    queue[Symbol.dispose]();
    expect(await waiting).toBeUndefined();
    expect(clock.pending).toBe(0);
    queue.add("b");
    expect(await queue.get()).toBeUndefined();
  });

  test("measures adds, depth, waits, work and retries", async () => {
    const measured: string[] = [];
    let running: () => Iterable<number> = () => [];
    const metrics: WorkqueueMetrics = {
      added: () => void measured.push("added"),
      depth: (waiting) => void measured.push(`depth ${waiting}`),
      started: (ms) => void measured.push(`waited ${ms}`),
      finished: (ms) => void measured.push(`worked ${ms}`),
      retried: () => void measured.push("retried"),
      observeRunning: (ask) => {
        running = ask;
        return { [Symbol.dispose]: () => void measured.push("gone") };
      },
    };
    const clock = new FakeClock();
    const queue = queueOf(clock, { metrics });
    queue.add("a");
    queue.add("a");
    await clock.advance(7);
    await queue.get();
    await clock.advance(3);
    expect([...running()]).toEqual([3]);
    queue.done("a");
    queue.addRateLimited("a");
    queue[Symbol.dispose]();
    expect(measured).toEqual(["added", "depth 1", "waited 7", "depth 0", "worked 3", "retried", "depth 0", "gone"]);
  });
});

const ADDS = ["add", "addAfter", "addRateLimited"] as const;
type Step =
  | { do: (typeof ADDS)[number]; key: string; ms: number }
  | { do: "finish"; pick: number }
  | { do: "advance"; ms: number };

const key = fc.constantFrom("a", "b", "c", "d");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom(...ADDS), key, ms: fc.nat(50) }),
  fc.record({ do: fc.constant("finish" as const), pick: fc.nat(10) }),
  fc.record({ do: fc.constant("advance" as const), ms: fc.nat(40) }),
);

describe("under any sequence of adds, delays and work", () => {
  prop.prop([fc.array(step, { maxLength: 60, size: "max" }), fc.integer({ min: 1, max: 3 })])(
    "no key is worked on twice at once, and none is lost",
    async (steps, workers) => {
      const clock = new FakeClock();
      const queue = queueOf(clock);
      const abort = new AbortController();
      /** Adds that no later start of work has answered yet. */
      const owed = new Set<string>();
      const under = new Map<string, () => void>();
      const pool = Array.from({ length: workers }, async () => {
        for (let taken = await queue.get(abort.signal); taken !== undefined; taken = await queue.get(abort.signal)) {
          expect(under.has(taken)).toBe(false);
          owed.delete(taken);
          const { promise, resolve } = Promise.withResolvers<void>();
          under.set(taken, resolve);
          await promise;
          under.delete(taken);
          queue.done(taken);
        }
      });
      for (const now of steps) {
        if (now.do === "finish") [...under.values()][now.pick % Math.max(under.size, 1)]?.();
        else if (now.do === "advance") await clock.advance(now.ms);
        else {
          owed.add(now.key);
          if (now.do === "add") queue.add(now.key);
          else if (now.do === "addAfter") queue.addAfter(now.key, now.ms);
          else queue.addRateLimited(now.key);
        }
        await clock.advance(0);
      }
      for (let round = 0; round < 20 && (owed.size > 0 || under.size > 0); round += 1) {
        await clock.advance(120_000);
        for (const finish of under.values()) finish();
        await clock.advance(0);
      }
      expect([...owed]).toEqual([]);
      expect(queue.length).toBe(0);
      abort.abort();
      await Promise.all(pool);
    },
  );
});
