import { expect, test } from "vitest";
import { createLogger } from "../observability/index.ts";
import type { Informer } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { FirstLook } from "./firstLook.ts";
import type { ObservedObject } from "./observed.ts";

/** A look at a member where `there` of `reported` objects were seen, and whose further reads answer as told. */
function look(reported: number, there: number, ...answers: (boolean | Error)[]) {
  const clock = new FakeClock();
  const end = new AbortController();
  const told: string[] = [];
  let reads = 0;
  const informer = {
    agreesWithServer: () => {
      const answer = answers[Math.min(reads++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  } as unknown as Informer<ObservedObject>;
  const first = new FirstLook({
    cluster: "shanghai-1",
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "silent" }),
    signal: end.signal,
    informers: () => [informer],
    reported: () => Array.from({ length: reported }, (_, index) => `app-${index}`),
    isThere: (owner) => Number(owner.slice(4)) < there,
    changed: () => void told.push(first.isTrusted ? "trusted" : first.isDoubted ? "doubted" : "untaken"),
  });
  return { first, clock, end, told, reads: () => reads };
}

test.each([
  { name: "nothing was there", reported: 0, there: 0, trusted: true },
  { name: "9 of 9 are missing", reported: 9, there: 0, trusted: true },
  { name: "10 of 10 are missing", reported: 10, there: 0, trusted: false },
  { name: "10 of 20 are missing", reported: 20, there: 10, trusted: true },
  { name: "11 of 20 are missing", reported: 20, there: 9, trusted: false },
])("when $name it is believed at once: $trusted", ({ reported, there, trusted }) => {
  const { first } = look(reported, there, true);
  expect(first.isTrusted).toBe(false);
  first.take();
  expect([first.isTrusted, first.isDoubted]).toEqual([trusted, !trusted]);
});

test("it is believed when a second read agrees, however long that takes", async () => {
  const { first, clock, told, reads } = look(12, 0, new Error("no answer"), false, true);
  first.take();
  first.take();
  await clock.advance(60_000);
  expect(told).toEqual(["doubted", "trusted"]);
  expect(reads()).toBe(3);
});

test("nothing is asked after the session", async () => {
  const { first, clock, end, told, reads } = look(12, 0, true);
  first.take();
  end.abort(new Error("over"));
  await clock.advance(60_000);
  expect([told, reads(), clock.pending]).toEqual([["doubted"], 0, 0]);
});
