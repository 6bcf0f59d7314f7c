import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { clockSkew, readClock, skewText, THIS_MACHINE } from "./clock.ts";

const NOW = Date.UTC(2026, 10, 28, 8);
/** An answer that took `tripMs`, of a server whose clock is `aheadMs` ahead. */
const answer = (aheadMs: number, tripMs = 20) => {
  const serverTime = Math.floor((NOW + tripMs / 2 + aheadMs) / 1_000) * 1_000;
  return readClock({ asked: NOW, answered: NOW + tripMs, serverTime });
};

describe("the clocks of two servers", () => {
  test.each<{ name: string; ahead: number; trip?: number; want: string | undefined }>([
    { name: "agree within half a minute", ahead: 29_000, want: undefined },
    { name: "are told apart when one is ahead", ahead: 95_000, want: "95 s ahead of" },
    { name: "are told apart when one is behind", ahead: -3_600_000, want: "3600 s behind" },
    { name: "are not told apart by an answer that took too long", ahead: 35_000, trip: 20_000, want: undefined },
  ])("$name", ({ ahead, trip, want }) => {
    const skew = clockSkew(answer(ahead, trip), THIS_MACHINE);
    expect(skew === undefined ? undefined : skewText(skew)).toBe(want);
  });

  property.prop([fc.integer({ min: -1e8, max: 1e8 }), fc.integer({ min: -1e8, max: 1e8 }), fc.nat(30_000)])(
    "are never found apart when they differ by less than the limit, and the wrong clock of this machine does not count",
    (common, apart, trip) => {
      const skew = clockSkew(answer(common, trip), answer(common + apart, trip));
      if (Math.abs(apart) <= 30_000) expect(skew).toBeUndefined();
      if (Math.abs(apart) > 32_000 + trip + 30_000) expect(Math.sign(skew ?? 0)).toBe(-Math.sign(apart));
    },
  );
});
