import { expect, test } from "vitest";
import { FIRST_DEBOUNCE_MS, writeDue } from "./debounce.ts";
import { newTracked } from "./trackedStatus.ts";

const IDLE = { busy: false, writeMs: 0, plans: 0 };

test("of an object that was just met nothing is remembered", () => {
  expect(newTracked()).toStrictEqual({
    plannedAt: undefined,
    movedAt: undefined,
    propagating: undefined,
    lastWriteAt: Number.NEGATIVE_INFINITY,
    earlierWriteAt: Number.NEGATIVE_INFINITY,
    changedAt: 0,
    changed: false,
    goneAt: undefined,
    open: undefined,
    progress: { rollingOut: undefined, troubled: new Map() },
  });
});

test("the first change of it is written at once: no write was before", () => {
  const tracked = { ...newTracked(), changedAt: 7 };
  expect(writeDue(tracked, true, IDLE)).toBe(7);
  expect(writeDue({ ...tracked, lastWriteAt: 5 }, true, IDLE)).toBe(5 + FIRST_DEBOUNCE_MS);
});

test("what was told of one object is not remembered of another", () => {
  const [one, other] = [newTracked(), newTracked()];
  one.progress.troubled.set("a", "CrashLoopBackOff");
  expect(other.progress.troubled.size).toBe(0);
});
