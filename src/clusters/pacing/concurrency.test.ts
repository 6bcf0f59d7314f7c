import { describe, expect, test } from "vitest";
import { AdaptiveConcurrency } from "./concurrency.ts";

const OPTIONS = { start: 16, min: 1, max: 20, latencyFloorMs: 50 };

function after(
  successes: number,
  latencyMs: number,
  concurrency = new AdaptiveConcurrency(OPTIONS),
): AdaptiveConcurrency {
  for (let index = 0; index < successes; index += 1) concurrency.succeeded(latencyMs, 0);
  return concurrency;
}

describe("AdaptiveConcurrency", () => {
  test("a run of successes earns one more request at a time, up to the bound", () => {
    expect(after(64, 5).limit).toBe(17);
    expect(after(64 * 50, 5).limit).toBe(20);
  });

  test("a 429 halves it, and the answers of the same bout do not halve it again", () => {
    const concurrency = after(1, 5);
    concurrency.throttled(2_000);
    concurrency.throttled(2_100);
    expect(concurrency.limit).toBe(8);
    concurrency.throttled(3_100);
    expect(concurrency.limit).toBe(4);
  });

  test("it never falls below the least", () => {
    const concurrency = after(1, 5);
    for (let second = 1; second < 20; second += 1) concurrency.throttled(second * 2_000);
    expect(concurrency.limit).toBe(1);
  });

  test("latency that doubles halves it", () => {
    const concurrency = after(64, 40);
    for (let index = 0; index < 20; index += 1) concurrency.succeeded(200, 5_000);
    expect(concurrency.limit).toBe(8);
  });

  test("latency that doubles within what is quick anyway does not", () => {
    const concurrency = after(10, 2);
    for (let index = 0; index < 20; index += 1) concurrency.succeeded(20, 5_000);
    expect(concurrency.limit).toBe(16);
  });

  test("while requests wait for each other it does not grow beyond the start", () => {
    const concurrency = after(1, 5);
    for (let index = 0; index < 64 * 10; index += 1) concurrency.succeeded(40, 0);
    expect(concurrency.limit).toBe(16);
  });

  test("after a halving it comes back to the start all the same", () => {
    const concurrency = after(1, 5);
    concurrency.throttled(2_000);
    for (let index = 0; index < 64 * 20; index += 1) concurrency.succeeded(40, 3_000);
    expect(concurrency.limit).toBe(16);
  });

  test("a member that became slower for good may have more again once its quick time is forgotten", () => {
    const concurrency = after(1, 5);
    for (let minute = 1; minute <= 3; minute += 1)
      for (let index = 0; index < 64; index += 1) concurrency.succeeded(40, minute * 60_000);
    expect(concurrency.limit).toBe(18);
  });
});
