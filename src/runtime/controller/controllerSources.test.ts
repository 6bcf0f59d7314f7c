import { describe, expect, onTestFinished, test } from "vitest";
import { createLogger } from "../../observability/index.ts";
import { Controller, done, type Reconciler } from "./controller.ts";
import { Emitter, from, type Source } from "./sources.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { Workqueue } from "./workqueue.ts";

/** A clock on which work takes as long as it says, and whose turns are those of the real event loop. */
class WorkingClock extends FakeClock {
  #worked = 0;

  work(ms: number): void {
    this.#worked += ms;
  }

  override monotonic(): number {
    return super.monotonic() + this.#worked;
  }

  override nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

function start(reconciler: Reconciler, clock: FakeClock, workers = 1) {
  const lines: string[] = [];
  const logger = createLogger({ level: "warn", destination: { write: (line: string) => void lines.push(line) } });
  const queue = new Workqueue({ name: "test", clock, random: () => 0 });
  const controller = new Controller({ name: "test", queue, reconciler, workers, clock, logger });
  const abort = new AbortController();
  const stopped = controller.run(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort(new Error("the end"));
    await stopped;
  };
  onTestFinished(stop);
  return { queue, lines, stop };
}

/** Milliseconds of work in the longest turn of the event loop until it is true. */
async function longestTurn(clock: WorkingClock, isOver: () => boolean): Promise<number> {
  let longest = 0;
  for (let before = clock.monotonic(); !isOver();) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = clock.monotonic();
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
}

const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `key-${index}`);

describe("a controller with sources", () => {
  test("reconciles what they enqueue, first of all what is there already, and lets go of them at its end", async () => {
    const clock = new FakeClock();
    const changes = new Emitter<string>();
    const seen: string[] = [];
    let subscriptions = 0;
    const present: Source = {
      subscribe(enqueue) {
        subscriptions += 1;
        enqueue(["a", "b"]);
        return { [Symbol.dispose]: () => (subscriptions -= 1) };
      },
    };
    const { queue, stop } = start(
      {
        sources: () => [
          present,
          from(changes),
          from(changes)
            .map((key) => `late-${key}`)
            .after(100),
        ],
        reconcile: async (key) => {
          seen.push(key);
          return done;
        },
      },
      clock,
    );
    await clock.advance(0);
    expect([seen, subscriptions]).toEqual([["a", "b"], 1]);
    changes.emit("c");
    await clock.advance(99);
    expect(seen).toEqual(["a", "b", "c"]);
    await clock.advance(1);
    expect(seen).toEqual(["a", "b", "c", "late-c"]);
    await stop();
    expect(subscriptions).toBe(0);
    changes.emit("d");
    expect(queue.length).toBe(0);
  });

  test("survives a source whose keys cannot be read, and says so", async () => {
    const clock = new FakeClock();
    const changes = new Emitter<string>();
    const seen: string[] = [];
    const { lines } = start(
      {
        sources: () => [
          from(changes).map(function* (key) {
            yield key;
            throw new Error("unreadable");
          }),
        ],
        reconcile: async (key) => {
          seen.push(key);
          return done;
        },
      },
      clock,
    );
    changes.emit("a");
    changes.emit("b");
    await clock.advance(0);
    expect(seen).toEqual(["a", "b"]);
    expect(lines).toHaveLength(2);
  });
});

describe("the event loop", () => {
  test.each([1, 8])(
    "stays free while %i workers reconcile thousands of keys that wait for nothing",
    async (workers) => {
      const clock = new WorkingClock();
      let reconciled = 0;
      const { queue } = start(
        {
          reconcile: async () => {
            clock.work(0.5);
            reconciled += 1;
            return done;
          },
        },
        clock,
        workers,
      );
      for (const key of keys(2_000)) queue.add(key);
      expect(await longestTurn(clock, () => reconciled === 2_000)).toBeLessThanOrEqual(10);
    },
  );

  test("stays free while one event enqueues thousands of keys, or compares thousands of objects for none", async () => {
    const clock = new WorkingClock();
    const changes = new Emitter<string>();
    let reconciled = 0;
    start(
      {
        sources: () => [
          from(changes).map(function* (event) {
            for (const key of keys(1_000)) {
              clock.work(0.1);
              yield event === "all" ? key : undefined;
            }
            yield event;
          }),
        ],
        reconcile: async () => {
          reconciled += 1;
          return done;
        },
      },
      clock,
    );
    changes.emit("none");
    changes.emit("all");
    expect(await longestTurn(clock, () => reconciled === 1_002)).toBeLessThanOrEqual(10);
  });

  test("is given up by no one who has only a little to do", async () => {
    const clock = new WorkingClock();
    let turns = 0;
    clock.nextTurn = () => {
      turns += 1;
      return Promise.resolve();
    };
    const seen: string[] = [];
    const { queue } = start(
      {
        reconcile: async (key) => {
          clock.work(0.1);
          seen.push(key);
          return done;
        },
      },
      clock,
    );
    for (const key of keys(5)) queue.add(key);
    await clock.advance(0);
    expect(seen).toHaveLength(5);
    // Only those that begin the count anew.
    expect(turns).toBeLessThanOrEqual(7);
  });
});
