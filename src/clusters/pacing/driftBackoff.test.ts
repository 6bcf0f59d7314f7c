import { expect, test } from "vitest";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { DriftBackoff } from "./driftBackoff.ts";

test("the pause doubles with each drift correction, up to five minutes", async () => {
  const clock = new FakeClock();
  const pace = new DriftBackoff(clock);
  const waits: number[] = [];
  for (let heal = 0; heal < 11; heal++) {
    const startedAt = clock.monotonic();
    let due = false;
    pace.healed("a", () => (due = true));
    const pausedUntil = pace.pausedUntil("a");
    while (!due) await clock.advance(1_000);
    expect([pace.pausedUntil("a"), clock.monotonic()]).toEqual([undefined, pausedUntil]);
    waits.push((clock.monotonic() - startedAt) / 1_000);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

test("the third drift correction in a row is contested", async () => {
  const clock = new FakeClock();
  const pace = new DriftBackoff(clock);
  const contested: boolean[] = [];
  for (let heal = 0; heal < 4; heal++) {
    pace.healed("a", () => undefined);
    contested.push(pace.isContested("a"));
    await clock.advance(10_000);
  }
  expect(contested).toEqual([false, false, true, true]);
  expect(pace.isContested("b")).toBe(false);
});

test("after a quiet time the count restarts", async () => {
  const clock = new FakeClock();
  const pace = new DriftBackoff(clock);
  pace.healed("a", () => undefined);
  await clock.advance(1_000);
  pace.healed("a", () => undefined);
  await clock.advance(602_000);
  expect(clock.pending).toBe(0);
  pace.healed("a", () => undefined);
  await clock.advance(1_000);
  expect(pace.pausedUntil("a")).toBeUndefined();
});
