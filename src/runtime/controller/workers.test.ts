import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../testing/fakeClock.ts";
import { createLogger } from "../../observability/index.ts";
import { Controller, done } from "./controller.ts";
import { Emitter } from "./sources.ts";
import { AdaptiveWorkers } from "./workers.ts";
import { Workqueue } from "./workqueue.ts";

const WRITE = { verb: "apply", resource: "demoapplications/status", code: "200", ms: 50 };

function setUp(bounds = { least: 2, most: 32 }) {
  const clock = new FakeClock();
  const workers = new AdaptiveWorkers({ ...bounds, clock });
  const limits: number[] = [];
  workers.changes.subscribe(() => void limits.push(workers.limit));
  const answer = (times: number, change: Partial<typeof WRITE> = {}): void => {
    for (let time = 0; time < times; time += 1) workers.observe({ ...WRITE, ...change });
  };
  return { clock, workers, limits, answer };
}

describe("the number of workers", () => {
  test("grows with answers that come in even time, and says each change", () => {
    const { workers, limits, answer } = setUp();
    expect(workers.limit).toBe(8);
    answer(24);
    expect(limits).toEqual([9, 10, 11]);
    answer(2_000);
    expect(workers.limit).toBe(32);
  });

  test("halves when the hub throttles, down to its least", async () => {
    const { clock, workers, answer } = setUp();
    for (const limit of [4, 2, 2]) {
      await clock.advance(2_000);
      answer(1, { code: "429" });
      expect(workers.limit).toBe(limit);
    }
  });

  test("stays where requests queue on the hub", () => {
    const { workers, answer } = setUp();
    answer(1, { ms: 2 });
    answer(500, { ms: 20 });
    expect(workers.limit).toBe(8);
  });

  test.each<{ name: string; change: Partial<typeof WRITE> }>([
    { name: "a watch", change: { verb: "watch" } },
    { name: "a list", change: { verb: "list" } },
    { name: "the Lease", change: { resource: "leases" } },
    { name: "an Event", change: { resource: "events" } },
    { name: "a refusal", change: { code: "409" } },
    { name: "no answer", change: { code: "<error>" } },
  ])("does not follow $name", ({ change }) => {
    const { workers, answer } = setUp();
    answer(100, change);
    expect(workers.limit).toBe(8);
  });

  test.each([
    { least: 16, most: 40, start: 16 },
    { least: 1, most: 3, start: 3 },
    { least: 5, most: 5, start: 5 },
  ])("begins between $least and $most", ({ start, ...bounds }) => {
    expect(setUp(bounds).workers.limit).toBe(start);
  });
});

test("a controller follows a limit that grows and falls, says so, and leaves no key behind", async () => {
  const clock = new FakeClock();
  const workers = { limit: 2, changes: new Emitter<void>() };
  const logger = createLogger({ level: "silent" });
  const queue = new Workqueue({ name: "test", clock });
  const seen: string[] = [];
  const allowed: number[] = [];
  let [now, most] = [0, 0];
  const reconcile = async (key: string) => {
    most = Math.max(most, (now += 1));
    await clock.sleep(10);
    now -= 1;
    seen.push(key);
    return done;
  };
  const metrics = {
    maxConcurrent: (count: number) => void allowed.push(count),
    started: () => undefined,
    finished: () => undefined,
  };
  const controller = new Controller({
    name: "test",
    queue,
    reconciler: { reconcile },
    workers,
    clock,
    logger,
    metrics,
  });
  const end = new AbortController();
  const running = controller.run(end.signal);
  onTestFinished(async () => {
    end.abort(new Error("the test is over"));
    await running;
  });
  const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
  for (const key of keys) queue.add(key);
  const mostWith = async (limit: number): Promise<number> => {
    workers.limit = limit;
    workers.changes.emit();
    await clock.advance(10);
    most = 0;
    await clock.advance(30);
    return most;
  };
  expect([await mostWith(2), await mostWith(6), await mostWith(1), await mostWith(3)]).toEqual([2, 6, 1, 3]);
  await clock.advance(1_000);
  expect(seen.toSorted()).toEqual(keys.toSorted());
  expect(allowed).toEqual([2, 2, 6, 1, 3]);
});
