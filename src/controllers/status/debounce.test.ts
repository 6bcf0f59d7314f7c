import { describe, expect, test } from "vitest";
import {
  CROWD,
  DEBOUNCE_MS,
  FIRST_DEBOUNCE_MS,
  LONGEST_IN_CROWD_MS,
  LONGEST_MS,
  QUIET_MS,
  writeDue,
  WriteRate,
} from "./debounce.ts";
import type { Debounce } from "../states/index.ts";

function debounce(overrides: Partial<Debounce> = {}): Debounce {
  return {
    plannedAt: undefined,
    movedAt: undefined,
    saysReady: false,
    lastWriteAt: Number.NEGATIVE_INFINITY,
    earlierWriteAt: Number.NEGATIVE_INFINITY,
    changedAt: 10_000,
    ...overrides,
  };
}

const CALM = { busy: false, writeMs: 5, plans: 1 };

describe("writeDue", () => {
  test.each([
    { name: "the first write of all", earlierWriteAt: Number.NEGATIVE_INFINITY, pause: FIRST_DEBOUNCE_MS },
    { name: "a write after a quiet time", earlierWriteAt: 9_950 - QUIET_MS, pause: FIRST_DEBOUNCE_MS },
    { name: "a write that followed on another one", earlierWriteAt: 9_951 - QUIET_MS, pause: DEBOUNCE_MS },
  ])("what follows on $name waits for $pause ms", ({ earlierWriteAt, pause }) => {
    expect(writeDue(debounce({ lastWriteAt: 9_950, earlierWriteAt }), true, CALM)).toBe(9_950 + pause);
  });

  test("a status that changes all the time is written five times a second at most", () => {
    const writes: number[] = [];
    const state = debounce({ changedAt: 0 });
    for (let now = 0; now < 10_000; now += 10) {
      // There is a change every 10 ms. `changedAt` is the first unwritten change.
      if (writeDue(state, true, CALM) > now) continue;
      writes.push(now);
      Object.assign(state, { earlierWriteAt: state.lastWriteAt, lastWriteAt: now, changedAt: now + 10 });
    }
    expect(writes.slice(0, 4)).toEqual([0, 100, 300, 500]);
    expect(writes).toHaveLength(1 + 10_000 / DEBOUNCE_MS);
  });

  test("and for a second at most where it makes untrue what the status says of this generation, unless many are planned", () => {
    const untrue = debounce({ plannedAt: 9_000, saysReady: true });
    expect(writeDue(untrue, false, CALM)).toBe(9_000 + LONGEST_MS);
    expect(writeDue(untrue, false, { ...CALM, plans: CROWD })).toBe(9_000 + LONGEST_IN_CROWD_MS);
  });
});

describe("WriteRate", () => {
  /** Counts these writes, spread evenly over the second. */
  function written(rate: WriteRate, second: number, writes: number): void {
    for (let index = 0; index < writes; index += 1) rate.count(second * 1_000 + (index * 1_000) / writes);
  }

  function burst(rate: WriteRate, at: number, writes: number): void {
    for (let index = 0; index < writes; index += 1) rate.count(at + index);
  }

  test("is busy from the moment on that more is written in a quarter of a second than the limit", () => {
    const rate = new WriteRate();
    burst(rate, 5_000, WriteRate.BUSY_ABOVE);
    expect(rate.load(5_200).busy).toBe(false);
    rate.count(5_200);
    expect(rate.load(5_200).busy).toBe(true);
  });

  test.each([
    { name: "in the second after a burst", at: 6_249, busy: true },
    { name: "after that second", at: 6_250, busy: false },
    { name: "much later", at: 60_000, busy: false },
  ])("$name: busy $busy", ({ at, busy }) => {
    const rate = new WriteRate();
    burst(rate, 5_000, WriteRate.BUSY_ABOVE + 1);
    expect(rate.load(at).busy).toBe(busy);
  });

  test("stays busy with the fewer writes that being busy leaves, until they are few", () => {
    const rate = new WriteRate();
    burst(rate, 5_980, WriteRate.BUSY_ABOVE + 1);
    for (let second = 6; second < 20; second += 1) {
      written(rate, second, WriteRate.CALM_BELOW + 1);
      expect(rate.load(second * 1_000 + 999).busy).toBe(true);
    }
    written(rate, 20, WriteRate.CALM_BELOW - 1);
    expect(rate.load(21_000).busy).toBe(false);
  });

  test.each([10, 16, 20, 30, 40, 80])(
    "with %d objects a second on three clusters it does not go to and fro",
    (objects) => {
      const rate = new WriteRate();
      const turns: number[] = [];
      let before = false;
      for (let index = 0; index < objects * 60; index += 1) {
        const at = (index * 1_000) / objects;
        const { busy } = rate.load(at);
        if (busy !== before) turns.push(at);
        before = busy;
        rate.count(at);
        // A calm hub gets a second write for the other changes.
        if (!busy) rate.count(at + 1);
      }
      expect(turns.length).toBeLessThanOrEqual(1);
    },
  );
});
