import { describe, expect, test } from "vitest";
import { createLogger, type ControllerMetrics, type Logger } from "../observability/index.ts";
import { Controller, done, type Reconciler, requeueAfter, TerminalError } from "./index.ts";
import { NotLeaderError } from "./errors.ts";
import { FakeClock } from "./testing/fakeClock.ts";
import { Workqueue } from "./workqueue.ts";

function setUp(reconcile: Reconciler["reconcile"], workers = 1) {
  const clock = new FakeClock();
  const lines: Record<string, unknown>[] = [];
  const logger: Logger = createLogger({
    level: "info",
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const results: string[] = [];
  const metrics: ControllerMetrics = {
    maxConcurrent: () => undefined,
    started: () => undefined,
    finished: (result) => void results.push(result),
  };
  const queue = new Workqueue({ name: "test", clock, random: () => 0 });
  const controller = new Controller({ name: "test", queue, reconcile, workers, clock, logger, metrics });
  const abort = new AbortController();
  return { clock, lines, results, queue, abort, stopped: controller.run(abort.signal) };
}

describe("a controller", () => {
  test("reconciles each key, with as many at a time as it has workers", async () => {
    let now = 0;
    let most = 0;
    const seen: string[] = [];
    const { queue, clock, abort, stopped } = setUp(async (key) => {
      seen.push(key);
      most = Math.max(most, (now += 1));
      await clock.sleep(10);
      now -= 1;
      return done;
    }, 3);
    for (const key of ["a", "b", "c", "d", "e"]) queue.add(key);
    await clock.advance(100);
    expect(seen).toEqual(["a", "b", "c", "d", "e"]);
    expect(most).toBe(3);
    abort.abort();
    await stopped;
  });

  test("tries again after an error with growing delays, logs it once each time, and starts anew after a success", async () => {
    const at: number[] = [];
    const { queue, clock, lines, results, abort, stopped } = setUp(async () => {
      at.push(clock.monotonic());
      if (at.length < 4) throw new Error("no luck");
      return done;
    });
    queue.add("a");
    await clock.advance(1_000);
    expect(at).toEqual([0, 5, 15, 35]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({ level: "error", key: "a", controller: "test" });
    expect(results).toEqual(["error", "error", "error", "success"]);
    expect(queue.failures("a")).toBe(0);
    abort.abort();
    await stopped;
  });

  test("does not try again after a terminal error until the key is added", async () => {
    let runs = 0;
    const { queue, clock, lines, abort, stopped } = setUp(async () => {
      runs += 1;
      throw new TerminalError("never");
    });
    queue.add("a");
    await clock.advance(600_000);
    expect([runs, lines.length]).toEqual([1, 1]);
    queue.add("a");
    await clock.advance(0);
    expect(runs).toBe(2);
    abort.abort();
    await stopped;
  });

  test("comes back to a key when its result says so", async () => {
    const at: number[] = [];
    const { queue, clock, results, abort, stopped } = setUp(async () => {
      at.push(clock.monotonic());
      return at.length < 3 ? requeueAfter(30_000) : done;
    });
    queue.add("a");
    await clock.advance(200_000);
    expect(at).toEqual([0, 30_000, 60_000]);
    expect(results).toEqual(["requeue_after", "requeue_after", "success"]);
    abort.abort();
    await stopped;
  });

  test("takes a lost Lease for no error", async () => {
    let runs = 0;
    const { queue, clock, lines, results, abort, stopped } = setUp(async () => {
      runs += 1;
      if (runs === 1) throw new NotLeaderError("not held");
      return done;
    });
    queue.add("a");
    await clock.advance(1_000);
    expect(results).toEqual(["requeue", "success"]);
    expect(lines).toEqual([]);
    abort.abort();
    await stopped;
  });

  test("finishes what is under way when it ends, and takes nothing new", async () => {
    const finished: string[] = [];
    const { queue, clock, abort, stopped } = setUp(async (key, signal) => {
      await clock.sleep(1_000, signal);
      finished.push(key);
      return done;
    });
    queue.add("a");
    queue.add("b");
    await clock.advance(10);
    abort.abort(new Error("the end"));
    await clock.advance(2_000);
    await stopped;
    expect(finished).toEqual(["a"]);
    expect(queue.length).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test("aborts what takes too long to finish, and says nothing of it", async () => {
    const { queue, clock, lines, abort, stopped } = setUp(async (_key, signal) => {
      await clock.sleep(3_600_000, signal);
      return done;
    });
    queue.add("a");
    await clock.advance(10);
    abort.abort(new Error("the end"));
    await clock.advance(1_500);
    await stopped;
    expect(lines).toEqual([]);
  });

  test("leaves behind what does not listen to its signal, and says so", async () => {
    const { queue, clock, lines, abort, stopped } = setUp(() => new Promise(() => undefined));
    queue.add("a");
    await clock.advance(10);
    abort.abort(new Error("the end"));
    await clock.advance(2_000);
    await stopped;
    expect(lines).toMatchObject([{ level: "warn", reconciles: 1 }]);
  });
});
