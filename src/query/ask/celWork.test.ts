import { describe, expect, test } from "vitest";
import { CelTurns, CelWork } from "./celWork.ts";

/** Work whose evaluations take ten microseconds each. */
function working() {
  const state = { ms: 0, rested: [] as number[] };
  const turns = new CelTurns({
    monotonic: () => state.ms,
    rest: async (ms) => {
      state.rested.push(ms);
      // Others use the time of a rest.
      state.ms += 1_000;
    },
  });
  const work = () => new CelWork(turns, () => undefined);
  const evaluate = async (one: CelWork, rows: number): Promise<void> => {
    for (let i = 0; i < rows; i += 1) {
      const pause = one.next();
      if (pause !== undefined) await pause;
      one.count();
      state.ms += 0.01;
    }
  };
  return { state, work, evaluate };
}

const MANY = 100_000;

describe("work on CEL", () => {
  test("up to 100,000 rows takes no turn and no rest", async () => {
    const { state, work, evaluate } = working();
    const [first, second] = [work(), work()];
    await evaluate(first, MANY);
    await evaluate(second, MANY);
    expect(state.rested).toEqual([]);
  });

  test("on more rows rests as long as it works, and the rests count as no work", async () => {
    const { state, work, evaluate } = working();
    await evaluate(work(), MANY + 50_000);
    const rested = state.rested.reduce((sum, ms) => sum + ms, 0);
    expect(rested).toBeGreaterThan(490);
    expect(Math.max(...state.rested.slice(1))).toBeLessThan(10);
  });

  test("on more rows is one after the other, and ends its turn with its answer", async () => {
    const { work, evaluate } = working();
    const first = work();
    await evaluate(first, MANY + 100);
    let isDone = false;
    const second = work();
    const waiting = evaluate(second, MANY + 100).then(() => (isDone = true));
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
    expect(isDone).toBe(false);
    first[Symbol.dispose]();
    await waiting;
    second[Symbol.dispose]();
    await evaluate(work(), MANY + 100);
  });

  test("is refused if too many wait", async () => {
    const { work, evaluate } = working();
    const first = work();
    await evaluate(first, MANY + 100);
    const others = Array.from({ length: 3 }, () => work());
    const waiting = others.map(async (one) => {
      await evaluate(one, MANY + 100);
      one[Symbol.dispose]();
    });
    await expect(evaluate(work(), MANY + 100)).rejects.toMatchObject({ status: 429 });
    first[Symbol.dispose]();
    await Promise.all(waiting);
  });

  test("ends with its budget, and says how far it came", async () => {
    const { work, evaluate } = working();
    await expect(evaluate(work(), 1_100_000)).rejects.toThrow(/^cel has taken 10 s for 10\d{5} rows/);
  });
});
