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
  test("begin when they are due, by the last that was said", async () => {
    const { clock, loop, startedAt, settled, end } = probes();
    loop.schedule(5_000);
    loop.schedule(1_000);
    await clock.advance(10_000);
    expect(startedAt).toEqual([1_000]);
    await end(1);
    expect(settled).toEqual([1]);
  });

  test("do not follow each other within a quarter of a second", async () => {
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

  test("run one at a time: who asks meanwhile gets a new one", async () => {
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

  test("end with the loop: none begins, and what one finds is not taken", async () => {
    const { clock, loop, startedAt, settled, end, pending } = probes();
    loop.schedule(1_000);
    loop[Symbol.dispose]();
    await clock.advance(1_000);
    loop.schedule(0);
    await clock.advance(1_000);
    expect([startedAt, clock.pending]).toEqual([[], 0]);

    const second = probes();
    second.loop.schedule(0);
    await second.clock.advance(0);
    second.loop[Symbol.dispose]();
    await second.end(1);
    expect(second.settled).toEqual([]);

    const third = probes();
    third.loop.schedule(0);
    await third.clock.advance(0);
    third.loop[Symbol.dispose]();
    third.pending.shift()?.reject(new Error("stopped"));
    await third.loop.settled();
    expect([third.settled, settled, pending]).toEqual([[], [], []]);
    await end(0);
  });

  test("that fail though nobody stopped them are an error", async () => {
    const { clock, loop, pending } = probes();
    loop.schedule(0);
    await clock.advance(0);
    const work = loop.settled();
    pending.shift()?.reject(new Error("broken"));
    await expect(work).rejects.toThrow("broken");
  });
});
