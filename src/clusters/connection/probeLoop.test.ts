import { describe, expect, test } from "vitest";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ProbeLoop } from "./probeLoop.ts";

function probes() {
  const clock = new FakeClock();
  const startedAt: number[] = [];
  const settled: number[] = [];
  const pending: { resolve: (found: number) => void; reject: (error: Error) => void }[] = [];
  const begin = clock.monotonic();
  const loop = new ProbeLoop<number>({
    clock,
    probe: () => {
      startedAt.push(clock.monotonic() - begin);
      return new Promise((resolve, reject) => pending.push({ resolve, reject }));
    },
    settle: (found) => void settled.push(found),
  });
  const end = async (found: number) => {
    pending.shift()?.resolve(found);
    await loop.settled();
  };
  return { clock, loop, startedAt, settled, pending, end };
}

describe("probes", () => {
  test("begin at the last scheduled time", async () => {
    const { clock, loop, startedAt, settled, end } = probes();
    loop.schedule(5_000);
    loop.schedule(1_000);
    await clock.advance(10_000);
    expect(startedAt).toEqual([1_000]);
    await end(1);
    expect(settled).toEqual([1]);
  });

  test("are at least a quarter of a second apart", async () => {
    const { clock, loop, startedAt, end } = probes();
    loop.schedule(0);
    await clock.advance(0);
    await end(1);
    loop.schedule(0);
    await clock.advance(249);
    expect(startedAt).toHaveLength(1);
    await clock.advance(1);
    expect(startedAt).toEqual([0, 250]);
    await end(2);
    loop.schedule(600);
    await clock.advance(1_000);
    expect(startedAt).toEqual([0, 250, 850]);
  });

  test("run one at a time, and once more after a request during a probe", async () => {
    const { clock, loop, startedAt, settled, end } = probes();
    loop.schedule(0);
    await clock.advance(0);
    loop.schedule(0);
    loop.schedule(60_000);
    await clock.advance(1_000);
    expect(startedAt).toHaveLength(1);
    await end(1);
    expect(settled).toEqual([1]);
    await clock.advance(0);
    expect(startedAt).toEqual([0, 1_000]);
    await end(2);
    await clock.advance(60_000);
    expect(startedAt).toHaveLength(2);
  });

  test("end with the loop: none begins, and the result of a running one is ignored", async () => {
    const scheduled = probes();
    scheduled.loop.schedule(1_000);
    scheduled.loop[Symbol.dispose]();
    scheduled.loop.schedule(0);
    await scheduled.clock.advance(2_000);
    expect([scheduled.startedAt, scheduled.clock.pending]).toEqual([[], 0]);
    for (const error of [undefined, new Error("stopped")]) {
      const { clock, loop, settled, pending } = probes();
      loop.schedule(0);
      await clock.advance(0);
      loop[Symbol.dispose]();
      if (error === undefined) pending.shift()?.resolve(1);
      else pending.shift()?.reject(error);
      await loop.settled();
      expect(settled).toEqual([]);
    }
  });

  test("that fail without a stop reject", async () => {
    const { clock, loop, pending } = probes();
    loop.schedule(0);
    await clock.advance(0);
    const work = loop.settled();
    pending.shift()?.reject(new Error("broken"));
    await expect(work).rejects.toThrow("broken");
  });
});
