import type { Candidate } from "./divideByHeadroom.ts";

/** Reads `a6 b2` as numbers by name. */
export const numbersIn = (text: string): Record<string, number> =>
  Object.fromEntries(wordsIn(text).map((word) => [word.slice(0, 1), Number(word.slice(1))]));

/**
 * Reads candidates: `a4+1` has headroom for 4 beside 1 replica that it runs; `b?` has an unknown headroom; of the
 * replicas of `c4+5<=2` at most 2 may stay.
 */
export const candidatesIn = (text: string): Candidate[] =>
  wordsIn(text).map((word) => {
    const [, name = "", room = "", current = "0", most] = /^(\w)(\?|\d+)(?:\+(\d+))?(?:<=(\d+))?$/.exec(word) ?? [];
    const candidate = { name, room: room === "?" ? undefined : Number(room), current: Number(current) };
    return most === undefined ? candidate : { ...candidate, most: Number(most) };
  });

const wordsIn = (text: string): string[] => text.split(" ").filter((word) => word !== "");
