import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gathering } from "./gathering.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A reader that ends each call when the test says so. */
function gathering() {
  const taken: string[][] = [];
  const dropped: string[] = [];
  const ends: (() => void)[] = [];
  const gathered = new Gathering<string>({
    ...{ weigh: ({ length }) => length, most: 10, enough: 4, atOnce: 2, waitMs: 100 },
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
    take(items) {
      taken.push(items);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    },
    dropped: (item) => void dropped.push(item),
  });
  return { gathered, taken, dropped, end: () => ends.shift()?.() };
}

test("few items wait for more, and enough of them do not", async () => {
  const { gathered, taken, end } = gathering();
  gathered.add("a");
  await pass(99);
  expect(taken).toEqual([]);
  await pass(1);
  expect(taken).toEqual([["a"]]);
  end();
  await pass(0);
  gathered.add("bb");
  gathered.add("cc");
  expect(taken).toEqual([["a"], ["bb", "cc"]]);
});

test("a reader has one call at a time, and what is too much for him is dropped", async () => {
  const { gathered, taken, dropped, end } = gathering();
  for (const item of ["aaaa", "bbbb", "cccc", "dddd", "e"]) gathered.add(item);
  expect([taken, dropped]).toEqual([[["aaaa"]], ["dddd"]]);
  end();
  await pass(0);
  expect(taken).toEqual([["aaaa"], ["bbbb", "cccc"]]);
});

test("a flush ends with the last call, also with one that began by itself", async () => {
  const { gathered, taken, end } = gathering();
  gathered.add("aaaa");
  gathered.add("bbbb");
  let isFlushed = false;
  const flushed = gathered.flush().then(() => (isFlushed = true));
  end();
  await pass(0);
  expect([taken.length, isFlushed]).toEqual([2, false]);
  end();
  await flushed;
});
