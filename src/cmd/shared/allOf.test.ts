import { describe, expect, test } from "vitest";
import { allOf, atOnce } from "./allOf.ts";

test("the error is that of the first in the list, though another one fails sooner", async () => {
  const late = Promise.withResolvers<string>();
  const all = allOf([Promise.resolve(1), late.promise, Promise.reject(new Error("sooner"))]);
  await Promise.resolve();
  late.reject(new Error("first in the list"));
  await expect(all).rejects.toThrow("first in the list");
});

describe("atOnce", () => {
  const counted = () => {
    const seen = { order: [] as number[], now: 0, most: 0 };
    const work = async (item: number): Promise<void> => {
      seen.order.push(item);
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      await Promise.resolve();
      seen.now -= 1;
    };
    return { seen, work };
  };
  const items = Array.from({ length: 40 }, (_, index) => index);

  test.each([
    { limit: undefined, most: 16 },
    { limit: 3, most: 3 },
    { limit: 100, most: 40 },
  ])("begins the items in order, and has $most under way at a time", async ({ limit, most }) => {
    const { seen, work } = counted();
    await atOnce(new Set(items), work, limit);
    expect(seen).toEqual({ order: items, now: 0, most });
  });

  test("fails as the work fails", async () => {
    const failure = new Error("refused");
    await expect(atOnce(items, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});
