import { describe, expect, onTestFinished, test } from "vitest";
import { type ControllerMetrics, createLogger, type Logger } from "../../observability/index.ts";
import { Controller, done, type Reconciler, requeueAfter, TerminalError } from "../index.ts";
import { NotLeaderError } from "../core/errors.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { Workqueue } from "./workqueue.ts";
import { Emitter, from, type Source } from "./sources.ts";

function setUp(reconciler: Reconciler, workers = 1, clock = new FakeClock()) {
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
  const { tracer, spans } = recordSpans();
  const controller = new Controller({ name: "test", queue, reconciler, workers, clock, logger, metrics, tracer });
  const abort = new AbortController();
  const stopped = controller.run(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort(new Error("the test is over"));
    await stopped;
  };
  onTestFinished(stop);
  return { clock, lines, results, queue, abort, spans, stopped, stop };
}

/** Ends each reconcile at once, and writes its key down. */
const into =
  (seen: string[]): Reconciler["reconcile"] =>
  async (key) => {
    seen.push(key);
    return done;
  };

describe("a controller", () => {
  test("reconciles what changes after a start before the 5,000 objects that were there, and loses none of them", async () => {
    const seen: string[] = [];
    const clock = new FakeClock();
    const reconcile: Reconciler["reconcile"] = async (key) => {
      seen.push(key);
      await clock.sleep(1);
      return done;
    };
    const events = new Emitter<{ key: string; initial: boolean }>();
    setUp({ reconcile, sources: () => [from(events)] }, 8, clock);
    const old = Array.from({ length: 5_000 }, (_, index) => `old-${index}`);
    for (const key of old) events.emit({ key, initial: true });
    await clock.advance(10);
    const before = seen.length;
    events.emit({ key: "old-4999", initial: false });
    events.emit({ key: "new", initial: false });
    await clock.advance(2);
    expect(seen.slice(before)).toEqual(expect.arrayContaining(["old-4999", "new"]));
    expect(seen.length).toBeLessThan(before + 3 * 8);
    await clock.advance(1_000);
    expect(seen.toSorted()).toEqual([...old, "new"].toSorted());
  });

  test("reconciles each key, with as many at a time as it has workers", async () => {
    let now = 0;
    let most = 0;
    const seen: string[] = [];
    const reconcile: Reconciler["reconcile"] = async (key) => {
      seen.push(key);
      most = Math.max(most, (now += 1));
      await clock.sleep(10);
      now -= 1;
      return done;
    };
    const { queue, clock } = setUp({ reconcile }, 3);
    for (const key of ["a", "b", "c", "d", "e"]) queue.add(key);
    await clock.advance(100);
    expect(seen).toEqual(["a", "b", "c", "d", "e"]);
    expect(most).toBe(3);
  });

  test("puts a key off without a run, a span or a failure for as long as the key is not due", async () => {
    const at: number[] = [];
    let due = 300;
    const { queue, clock, spans, results, abort, stopped } = setUp({
      dueIn: () => due - clock.monotonic(),
      reconcile: async () => {
        at.push(clock.monotonic());
        return done;
      },
    });
    queue.add("a");
    await clock.advance(200);
    due = 500;
    await clock.advance(1_000);
    expect(at).toEqual([500]);
    expect(results).toEqual(["requeue_after", "requeue_after", "success"]);
    abort.abort();
    await stopped;
    expect(spans).toHaveLength(1);
  });

  test("does not take a key that is put off for one that has succeeded: it fails with growing delays", async () => {
    const at: number[] = [];
    const { queue, clock, lines } = setUp({
      // As for a write that is debounced: the failed one was the last.
      dueIn: () => (at.at(-1) ?? -20) + 20 - clock.monotonic(),
      reconcile: async () => {
        at.push(clock.monotonic());
        throw new Error("refused");
      },
    });
    queue.add("a");
    await clock.advance(500);
    expect(at).toEqual([0, 20, 40, 60, 100, 180, 340]);
    expect(lines.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("runs a key of which nobody can say when it is due", async () => {
    const { queue, clock, results } = setUp({
      dueIn: () => {
        throw new Error("no idea");
      },
      reconcile: async () => done,
    });
    queue.add("a");
    await clock.advance(10);
    expect(results).toEqual(["success"]);
  });

  test("tries again after an error with growing delays, logs it once each time, and starts anew after a success", async () => {
    const at: number[] = [];
    const { queue, clock, lines, results } = setUp({
      reconcile: async () => {
        at.push(clock.monotonic());
        if (at.length < 4) throw new Error("no luck");
        return done;
      },
    });
    queue.add("a");
    await clock.advance(1_000);
    expect(at).toEqual([0, 5, 15, 35]);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({ level: "error", key: "a", controller: "test" });
    expect(results).toEqual(["error", "error", "error", "success"]);
    expect(queue.failures("a")).toBe(0);
  });

  test("does not try again after a terminal error until the key is added", async () => {
    let runs = 0;
    const { queue, clock, lines } = setUp({
      reconcile: async () => {
        runs += 1;
        throw new TerminalError("never");
      },
    });
    queue.add("a");
    await clock.advance(600_000);
    expect([runs, lines.length]).toEqual([1, 1]);
    queue.add("a");
    await clock.advance(0);
    expect(runs).toBe(2);
  });

  test("comes back to a key when its result says so", async () => {
    const at: number[] = [];
    const { queue, clock, results } = setUp({
      reconcile: async () => {
        at.push(clock.monotonic());
        return at.length < 3 ? requeueAfter(30_000) : done;
      },
    });
    queue.add("a");
    await clock.advance(200_000);
    expect(at).toEqual([0, 30_000, 60_000]);
    expect(results).toEqual(["requeue_after", "requeue_after", "success"]);
  });

  test("takes a lost Lease for no error", async () => {
    let runs = 0;
    const { queue, clock, lines, results } = setUp({
      reconcile: async () => {
        runs += 1;
        if (runs === 1) throw new NotLeaderError("not held");
        return done;
      },
    });
    queue.add("a");
    await clock.advance(1_000);
    expect(results).toEqual(["requeue", "success"]);
    expect(lines).toEqual([]);
  });

  test("finishes what is under way when it ends, and takes nothing new", async () => {
    const finished: string[] = [];
    const { queue, clock, abort, stopped } = setUp({
      reconcile: async (key, signal) => {
        await clock.sleep(1_000, signal);
        finished.push(key);
        return done;
      },
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
    const { queue, clock, lines, abort, stopped } = setUp({
      reconcile: async (_key, signal) => {
        await clock.sleep(3_600_000, signal);
        return done;
      },
    });
    queue.add("a");
    await clock.advance(10);
    abort.abort(new Error("the end"));
    await clock.advance(1_500);
    await stopped;
    expect(lines).toEqual([]);
  });

  test("leaves behind what does not listen to its signal, and says so", async () => {
    const { queue, clock, lines, abort, stopped } = setUp({ reconcile: () => new Promise(() => undefined) });
    queue.add("a");
    await clock.advance(10);
    abort.abort(new Error("the end"));
    await clock.advance(2_000);
    await stopped;
    expect(lines).toMatchObject([{ level: "warn", reconciles: 1 }]);
  });
});

describe("the deadline of a reconcile", () => {
  test("aborts its signal after 30 s, which counts as an error, is logged once, and is tried again", async () => {
    const at: number[] = [];
    const { queue, clock, lines, results, spans, abort, stopped } = setUp({
      reconcile: async (_key, signal) => {
        at.push(clock.monotonic());
        if (at.length === 1) await clock.sleep(3_600_000, signal);
        return done;
      },
    });
    queue.add("a");
    await clock.advance(29_999);
    expect([at.length, lines.length]).toEqual([1, 0]);
    await clock.advance(10);
    expect(at).toEqual([0, 30_005]);
    expect(results).toEqual(["error", "success"]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: "error",
      key: "a",
      event_reason: "ReconcileTimeout",
      stack_trace: expect.stringContaining("ReconcileTimeoutError") as string,
    });
    const message = "the reconcile was broken off after 30 s; it is tried again";
    expect(lines[0]?.["error"]).toEqual({ type: "ReconcileTimeoutError", message });
    expect(spans[0]?.attributes["error.type"]).toBe("ReconcileTimeout");
    abort.abort();
    await stopped;
    expect(clock.pending).toBe(0);
  });
});

describe("a reconcile", () => {
  test("has a span, whatever controller it is of, and a line with the same ids", async () => {
    let origin: unknown;
    const { queue, clock, lines, spans } = setUp({
      reconcile: async (key, _signal, context) => {
        origin = context.origin;
        context.logger.info({ object: key }, "changed");
        return done;
      },
    });
    queue.add("a");
    await clock.advance(10);
    const [span] = spans;
    expect(span?.name).toBe("Reconcile");
    expect(span?.attributes).toMatchObject({ "reconcile.controller": "test", "reconcile.request": "a" });
    expect(span?.parentSpanContext).toBeUndefined();
    expect(lines[0]).toMatchObject({ trace_id: span?.spanContext().traceId, object: "a" });
    const { traceId, spanId, traceFlags } = span?.spanContext() ?? {};
    expect(origin).toEqual({
      spanContext: { traceId, spanId, traceFlags },
      reconcileId: lines[0]?.["reconcile_id"],
      at: clock.now() - 10,
    });
  });

  test("has its place where its reconciler says", async () => {
    const parent = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
    const { queue, clock, spans } = setUp({
      follows: (key) => (key === "late" ? { links: [parent] } : { parent }),
      reconcile: () => Promise.resolve(done),
    });
    for (const key of ["soon", "late"]) queue.add(key);
    await clock.advance(10);
    const [soon, late] = spans;
    expect(soon?.parentSpanContext?.spanId).toBe(parent.spanId);
    expect(soon?.spanContext().traceId).toBe(parent.traceId);
    expect(late?.parentSpanContext).toBeUndefined();
    expect(late?.links.map(({ context }) => context.spanId)).toEqual([parent.spanId]);
  });

  test("names on its lines, and to what it asks for, the trace of the change when that is another one", async () => {
    const plain = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
    const change = { ...plain, isRemote: true };
    const origins: unknown[] = [];
    const { queue, clock, lines } = setUp({
      follows: (key) => ({ ...(key === "beside" ? { links: [change] } : { parent: change }), change }),
      reconcile: async (_key, _signal, { logger, origin }) => {
        logger.info("changed");
        origins.push(origin?.change);
        return done;
      },
    });
    for (const key of ["beside", "beneath"]) queue.add(key);
    await clock.advance(10);
    expect(lines.map((line) => line["change_trace_id"])).toEqual([change.traceId, undefined]);
    expect(lines[1]).toMatchObject({ trace_id: change.traceId });
    expect(origins).toEqual([plain, undefined]);
  });

  test("that fails is told with what its reconciler calls the key", async () => {
    const { queue, clock, lines } = setUp({
      logFields: (key) => ({ object: key, resource_uid: "u" }),
      reconcile: async () => {
        throw new TerminalError("never");
      },
    });
    queue.add("a");
    await clock.advance(10);
    expect(lines).toMatchObject([{ level: "error", key: "a", object: "a", resource_uid: "u" }]);
  });
});

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
    const late = from(changes).map((key) => `late-${key}`);
    const { queue, clock, stop } = setUp({
      sources: () => [present, from(changes), late.after(100)],
      reconcile: into(seen),
    });
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
    const changes = new Emitter<string>();
    const seen: string[] = [];
    const unreadable = from(changes).map(function* (key) {
      yield key;
      throw new Error("unreadable");
    });
    const { clock, lines } = setUp({ sources: () => [unreadable], reconcile: into(seen) });
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
      const reconcile = async () => {
        clock.work(0.5);
        reconciled += 1;
        return done;
      };
      const { queue } = setUp({ reconcile }, workers, clock);
      for (const key of keys(2_000)) queue.add(key);
      expect(await longestTurn(clock, () => reconciled === 2_000)).toBeLessThanOrEqual(10);
    },
  );

  test("stays free while one event enqueues thousands of keys, or compares thousands of objects for none", async () => {
    const clock = new WorkingClock();
    const changes = new Emitter<string>();
    const reconciled: string[] = [];
    const slow = from(changes).map(function* (event) {
      for (const key of keys(1_000)) {
        clock.work(0.1);
        yield event === "all" ? key : undefined;
      }
      yield event;
    });
    setUp({ sources: () => [slow], reconcile: into(reconciled) }, 1, clock);
    changes.emit("none");
    changes.emit("all");
    expect(await longestTurn(clock, () => reconciled.length === 1_002)).toBeLessThanOrEqual(10);
  });

  test("is given up by no one who has only a little to do", async () => {
    const clock = new WorkingClock();
    let turns = 0;
    clock.nextTurn = () => {
      turns += 1;
      return Promise.resolve();
    };
    const seen: string[] = [];
    const reconcile: Reconciler["reconcile"] = async (key, signal, context) => {
      clock.work(0.1);
      return into(seen)(key, signal, context);
    };
    const { queue } = setUp({ reconcile }, 1, clock);
    for (const key of keys(5)) queue.add(key);
    await clock.advance(0);
    expect(seen).toHaveLength(5);
    // Only those that begin the count anew.
    expect(turns).toBeLessThanOrEqual(7);
  });
});
