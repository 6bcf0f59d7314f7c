import { describe, expect, test } from "vitest";
import { ManualClock } from "../../testing/manualClock.ts";
import { type Result, WorkQueue } from "./workQueue.ts";

function queueWith(work: (key: string) => Promise<Result>, concurrency?: number) {
  const clock = new ManualClock();
  const errors: string[] = [];
  const options = { clock, work, onError: (_: unknown, key: string) => void errors.push(key) };
  return { clock, errors, queue: new WorkQueue(concurrency === undefined ? options : { ...options, concurrency }) };
}

describe("the work queue", () => {
  test("does a key once however often it was wanted, in the order of coming", async () => {
    const done: string[] = [];
    const { queue } = queueWith(async (key) => void done.push(key));
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    await queue.idle();
    expect(done).toEqual(["a", "b", "c"]);
  });

  test("never works on one key twice at a time, and does what came meanwhile after", async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const { queue } = queueWith(async (key) => {
      most = Math.max(most, ++running);
      if (++runs === 1) queue.add(key);
      await Promise.resolve();
      running--;
    });
    queue.add("a");
    await queue.idle();
    expect({ most, runs }).toEqual({ most: 1, runs: 2 });
  });

  test("works on no more keys at once than it may", async () => {
    const release: (() => void)[] = [];
    let running = 0;
    const { queue } = queueWith(() => {
      running++;
      return new Promise((resolve) => release.push(() => resolve(undefined)));
    }, 2);
    for (const key of ["a", "b", "c"]) queue.add(key);
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(2);
    release.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(3);
    for (const go of release) go();
    await queue.idle();
  });

  test("lets sockets and timers have their turn while there is much to do", async () => {
    let left = 1000;
    let turns = 0;
    const { queue } = queueWith(async (key) => {
      if (left-- > 0) queue.add(key);
      return undefined;
    });
    const count = () => {
      turns++;
      if (left > 0) setImmediate(count);
    };
    setImmediate(count);
    queue.add("a");
    await queue.idle();
    expect(turns).toBeGreaterThan(100);
  });

  test("tries again after a failure, each time after twice as long, and begins anew after a success", async () => {
    const at: number[] = [];
    let failing = true;
    const { queue, clock, errors } = queueWith(async () => {
      at.push(clock.now());
      if (failing) throw new Error("no");
    });
    const start = clock.now();
    queue.add("a");
    await queue.idle();
    for (let i = 0; i < 3; i++) {
      clock.advance(clock.next ?? 0);
      await queue.idle();
    }
    expect(at.map((time) => time - start)).toEqual([0, 5, 15, 35]);
    failing = false;
    clock.advance(clock.next ?? 0);
    await queue.idle();
    expect(clock.waiting).toBe(0);
    expect(errors).toHaveLength(4);
    failing = true;
    queue.add("a");
    await queue.idle();
    expect(clock.next).toBe(5);
  });

  test("works on a key again when that was asked for, unless something came up before", async () => {
    let runs = 0;
    const { queue, clock } = queueWith(async () => (++runs === 1 ? { after: 1000 } : undefined));
    queue.add("a");
    await queue.idle();
    clock.advance(500);
    queue.add("a");
    await queue.idle();
    expect({ runs, waiting: clock.waiting }).toEqual({ runs: 2, waiting: 0 });
  });

  test("starts nothing more once it was stopped, and waits for what runs", async () => {
    let release = () => {};
    const done: string[] = [];
    const { queue, clock } = queueWith(async (key) => {
      await new Promise<void>((resolve) => (release = resolve));
      done.push(key);
      return { after: 10 };
    }, 1);
    queue.add("a");
    queue.add("b");
    await new Promise((resolve) => setImmediate(resolve));
    const stopped = queue[Symbol.asyncDispose]();
    queue.add("c");
    release();
    await stopped;
    expect(done).toEqual(["a"]);
    expect(clock.waiting).toBe(0);
  });
});
