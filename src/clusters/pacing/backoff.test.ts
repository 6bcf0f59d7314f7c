import { describe, expect, test } from "vitest";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Backoffs, type Pace } from "./backoff.ts";

function backoffs(random = 0.5) {
  const clock = new FakeClock();
  const waits = new Backoffs(clock, () => random);
  /** Milliseconds until the next callback. */
  const next = async (key: string, attempt: string | undefined, pace: Pace): Promise<number> => {
    const startedAt = clock.monotonic();
    let due = false;
    waits.schedule(key, attempt, pace, () => (due = true));
    while (!due) await clock.advance(25);
    return clock.monotonic() - startedAt;
  };
  return { clock, waits, next };
}

describe("a backoff", () => {
  test.each<[Pace, number[]]>([
    ["soon", [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]],
    ["slowly", [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
  ])("doubles up to its cap: %s", async (pace, want) => {
    const { next } = backoffs();
    const delays: number[] = [];
    for (const _ of want) delays.push(await next("a", "x", pace));
    expect(delays).toEqual(want);
  });

  test("has a jitter of a quarter", async () => {
    expect(await backoffs(0).next("a", "x", "soon")).toBe(75);
    expect(await backoffs(1).next("a", "x", "soon")).toBe(125);
  });

  test("restarts for another attempt, another key and a forgotten key", async () => {
    const { waits, next } = backoffs();
    await next("a", "x", "soon");
    expect(await next("a", "x", "soon")).toBe(200);
    expect(await next("a", "y", "soon")).toBe(100);
    expect(await next("b", "y", "soon")).toBe(100);
    waits.forget("a");
    expect(await next("a", "y", "soon")).toBe(100);
  });

  test("holds back the same attempt until it is over; another attempt drops it", async () => {
    const { clock, waits } = backoffs();
    const waiting = (): unknown[] => ["a", "b"].map((key) => waits.retryOf(key)?.attempt);
    expect(waiting()).toEqual([undefined, undefined]);
    let calls = 0;
    waits.schedule("a", "x", "soon", () => (calls += 1));
    const until = waits.retryOf("a")?.until;
    waits.keepOnly("a", "x");
    expect(waiting()).toEqual(["x", undefined]);
    await clock.advance(100);
    expect([waiting(), calls, clock.monotonic()]).toEqual([[undefined, undefined], 1, until]);
    waits.schedule("a", "x", "soon", () => (calls += 1));
    waits.keepOnly("a", "y");
    expect(waiting()).toEqual([undefined, undefined]);
    await clock.advance(60_000);
    expect(calls).toBe(1);
  });

  test("calls back once when it was scheduled twice, and never when it was cleared", async () => {
    const { clock, waits } = backoffs();
    let calls = 0;
    waits.schedule("a", "x", "soon", () => (calls += 1));
    waits.schedule("a", "x", "soon", () => (calls += 10));
    await clock.advance(60_000);
    expect(calls).toBe(10);
    waits.schedule("a", "x", "soon", () => (calls += 100));
    waits.schedule("b", "x", "soon", () => (calls += 100));
    waits.clear();
    await clock.advance(60_000);
    expect([calls, clock.pending]).toEqual([10, 0]);
  });
});
