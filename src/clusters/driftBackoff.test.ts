import { expect, test } from "vitest";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { DriftBackoff } from "./driftBackoff.ts";

test("each heal that follows soon has to wait twice as long, ten seconds at most", async () => {
  const clock = new FakeClock();
  const pace = new DriftBackoff(clock);
  const waits: number[] = [];
  for (let heal = 0; heal < 9; heal++) {
    const startedAt = clock.monotonic();
    let due = false;
    pace.healed("a", () => (due = true));
    expect(pace.isPaused("a")).toBe(true);
    while (!due) await clock.advance(100);
    expect(pace.isPaused("a")).toBe(false);
    waits.push(clock.monotonic() - startedAt);
  }
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
});

test("after a quiet time the next heal is the first again, and nothing is kept", async () => {
  const clock = new FakeClock();
  const pace = new DriftBackoff(clock);
  pace.healed("a", () => undefined);
  await clock.advance(100);
  pace.healed("a", () => undefined);
  await clock.advance(20_000);
  expect(clock.pending).toBe(0);
  pace.healed("a", () => undefined);
  await clock.advance(100);
  expect(pace.isPaused("a")).toBe(false);
});
