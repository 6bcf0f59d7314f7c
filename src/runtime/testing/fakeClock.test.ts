import { describe, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { FakeClock } from "./fakeClock.ts";

describe("FakeClock", () => {
  test("fires timers in order of their time, those that were set meanwhile included", async () => {
    const clock = new FakeClock(1_000);
    const fired: string[] = [];
    clock.after(20, () => fired.push(`b at ${clock.now()}`));
    clock.after(10, () => {
      fired.push(`a at ${clock.now()}`);
      clock.after(5, () => fired.push(`c at ${clock.now()}`));
    });
    await clock.advance(20);
    expect(fired).toEqual(["a at 1010", "c at 1015", "b at 1020"]);
    expect(clock.monotonic()).toBe(20);
  });

  test("a disposed timer does not fire", async () => {
    const clock = new FakeClock();
    let fired = false;
    clock.after(10, () => (fired = true))[Symbol.dispose]();
    await clock.advance(20);
    expect(fired).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test("the wall clock may jump; durations do not notice", async () => {
    const clock = new FakeClock(1_000);
    clock.jumpTo(500);
    await clock.advance(10);
    expect([clock.now(), clock.monotonic()]).toEqual([510, 10]);
  });
});

describe.each([
  { name: "the system's clock", create: () => ({ clock: systemClock, pass: async () => undefined }) },
  {
    name: "the fake clock",
    create: () => {
      const clock = new FakeClock();
      return { clock, pass: (ms: number) => clock.advance(ms) };
    },
  },
])("sleep of $name", ({ create }) => {
  test("ends after its time", async () => {
    const { clock, pass } = create();
    const slept = clock.sleep(5);
    await pass(5);
    await expect(slept).resolves.toBeUndefined();
  });

  test("rejects with the signal's reason, before or during the sleep", async () => {
    const { clock } = create();
    const reason = new Error("enough");
    await expect(clock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const slept = clock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
  });
});
