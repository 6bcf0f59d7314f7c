import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { InOrder } from "./inOrder.ts";

/** Messages that a stream keeps while an earlier one is missing. */
const MOST_EARLY = 64;

interface Numbered {
  seq: number;
}

const message = (seq: number): Numbered => ({ seq });
const numbers = (taken: readonly Numbered[] | "Gap"): (number | "Gap")[] =>
  taken === "Gap" ? [taken] : taken.map(({ seq }) => seq);

/** Takes each message; the numbers that came out, in order. */
function takeAll(stream: InOrder<Numbered>, given: Iterable<number>): (number | "Gap")[] {
  return [...given].flatMap((seq) => numbers(stream.take(message(seq))));
}

/** How late each of up to 300 messages is, and which arrive twice. A message that is `n` late is overtaken by `n`. */
const shuffled = fc
  .array(fc.tuple(fc.nat(MOST_EARLY - 1), fc.option(fc.nat(100), { nil: undefined })), { maxLength: 300 })
  .map((messages) => ({
    count: messages.length,
    arriving: messages
      .flatMap(([late, again], seq) => [
        { seq, at: seq + late },
        ...(again === undefined ? [] : [{ seq, at: seq + late + again }]),
      ])
      .sort((a, b) => a.at - b.at || b.seq - a.seq)
      .map(({ seq }) => seq),
  }));

describe("messages of a stream", () => {
  test.prop([shuffled])("come out in order and once, whatever their order and doubles", ({ count, arriving }) => {
    const stream = new InOrder<Numbered>();
    expect(takeAll(stream, arriving)).toEqual(Array.from({ length: count }, (_, seq) => seq));
    expect([stream.isStuck(), stream.isStuck()]).toEqual([false, false]);
  });

  test("that came before are dropped", () => {
    const stream = new InOrder<Numbered & { text: string }>();
    const of = (seq: number, text: string) => ({ seq, text });
    expect(stream.take(of(0, "first"))).toEqual([of(0, "first")]);
    expect(stream.take(of(0, "again"))).toEqual([]);
  });

  test("wait for the one that is missing, and are then taken together", () => {
    const stream = new InOrder<Numbered>();
    expect(takeAll(stream, [2, 1])).toEqual([]);
    expect([stream.isStuck(), stream.isStuck()]).toEqual([false, true]);
    expect(numbers(stream.take(message(0)))).toEqual([0, 1, 2]);
    expect(stream.isStuck()).toBe(false);
    expect(takeAll(stream, [5, 3])).toEqual([3]);
    expect(stream.isStuck()).toBe(false);
    expect(takeAll(stream, [7, 4])).toEqual([4, 5]);
    // Another message is missing now.
    expect(stream.isStuck()).toBe(false);
  });

  test("leave a gap when too many follow a missing one, and doubles of early ones do not count", () => {
    const stream = new InOrder<Numbered>();
    const early = Array.from({ length: MOST_EARLY }, (_, index) => index + 1);
    expect(takeAll(stream, [...early, ...early])).toEqual([]);
    expect(stream.take(message(MOST_EARLY + 1))).toBe("Gap");
  });
});
