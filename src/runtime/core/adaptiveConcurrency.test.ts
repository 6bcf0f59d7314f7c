import { describe, expect, test } from "vitest";
import { AdaptiveConcurrency } from "./adaptiveConcurrency.ts";

const BOUNDS = { least: 1, start: 16, most: 32, runOfSuccesses: 64 };

function after(successes: number, latencyMs: number): AdaptiveConcurrency {
  const concurrency = new AdaptiveConcurrency(BOUNDS);
  for (let index = 0; index < successes; index += 1) concurrency.succeeded(latencyMs, 0);
  return concurrency;
}

describe("AdaptiveConcurrency", () => {
  test("a run of successes adds one concurrent request, up to the bound", () => {
    expect(after(64, 5).limit).toBe(17);
    expect(after(64 * 50, 5).limit).toBe(32);
  });

  test("until the first halving a shorter run is enough, if the bounds say so", () => {
    const concurrency = new AdaptiveConcurrency({ ...BOUNDS, firstRuns: 4 });
    const succeed = (times: number, at: number): void => {
      for (let index = 0; index < times; index += 1) concurrency.succeeded(5, at);
    };
    succeed(8, 0);
    expect(concurrency.limit).toBe(18);
    concurrency.throttled(2_000);
    succeed(63, 2_000);
    expect(concurrency.limit).toBe(9);
    succeed(1, 2_000);
    expect(concurrency.limit).toBe(10);
  });

  test("a 429 halves the limit once a second at most", () => {
    const concurrency = after(1, 5);
    concurrency.throttled(2_000);
    concurrency.throttled(2_100);
    expect(concurrency.limit).toBe(8);
    concurrency.throttled(3_100);
    expect(concurrency.limit).toBe(4);
  });

  test("the limit is one at least", () => {
    const concurrency = after(1, 5);
    for (let second = 1; second < 20; second += 1) concurrency.throttled(second * 2_000);
    expect(concurrency.limit).toBe(1);
  });

  test("doubled latency halves the limit", () => {
    const concurrency = after(64, 200);
    for (let index = 0; index < 20; index += 1) concurrency.succeeded(1_000, 5_000);
    expect(concurrency.limit).toBe(8);
  });

  test("doubled latency below the floor does not", () => {
    const concurrency = after(10, 20);
    for (let index = 0; index < 20; index += 1) concurrency.succeeded(200, 5_000);
    expect(concurrency.limit).toBe(16);
  });

  test("the limit does not grow beyond its start while requests queue", () => {
    const concurrency = after(1, 5);
    for (let index = 0; index < 64 * 10; index += 1) concurrency.succeeded(40, 0);
    expect(concurrency.limit).toBe(16);
  });

  test("after a halving the limit returns to its start", () => {
    const concurrency = after(1, 5);
    concurrency.throttled(2_000);
    for (let index = 0; index < 64 * 20; index += 1) concurrency.succeeded(40, 3_000);
    expect(concurrency.limit).toBe(16);
  });

  test("the limit grows again on a member that stays slower", () => {
    const concurrency = after(1, 5);
    for (let minute = 1; minute <= 3; minute += 1)
      for (let index = 0; index < 64; index += 1) concurrency.succeeded(40, minute * 60_000);
    expect(concurrency.limit).toBe(18);
  });
});
