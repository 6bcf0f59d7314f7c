import { expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { createLogger } from "../../observability/index.ts";
import type { Informer } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { InitialSync } from "./initialSync.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CONFIG_REF, objectsWithLog, OWNER, seen } from "../testing/builders.ts";

const application = (index: number) => ({ ...OWNER, name: `app-${index}` });

/** The initial sync of a member where `there` of `reported` objects were seen, and whose further reads answer as given. */
function syncOf(reported: number, there: number, ...answers: (boolean | Error)[]) {
  const clock = new FakeClock();
  const end = new AbortController();
  const changes: string[] = [];
  const known = { isComplete: true, isHeard: true };
  let reads = 0;
  const { objects } = objectsWithLog();
  for (let index = 0; index < there; index += 1) {
    const ref = { ...CONFIG_REF, name: `config-${index}` };
    objects.observe(ref, seen({ ref, owner: application(index) }));
  }
  const informer = {
    agreesWithServer: () => {
      const answer = answers[Math.min(reads++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  } as unknown as Informer<ObservedObject>;
  const sync = new InitialSync({
    cluster: "shanghai-1",
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "silent" }),
    signal: end.signal,
    informers: () => [informer],
    objects,
    isComplete: () => known.isComplete,
    expected: () =>
      known.isHeard ? Array.from({ length: reported }, (_, index) => refKey(application(index))) : undefined,
    changed: () => void changes.push(sync.isTrusted ? "trusted" : sync.isDoubted ? "doubted" : "incomplete"),
  });
  return { sync, clock, end, changes, known, reads: () => reads };
}

test.each([
  { name: "nothing was there", reported: 0, there: 0, trusted: true },
  { name: "9 of 9 are missing", reported: 9, there: 0, trusted: true },
  { name: "10 of 10 are missing", reported: 10, there: 0, trusted: false },
  { name: "10 of 20 are missing", reported: 20, there: 10, trusted: true },
  { name: "11 of 20 are missing", reported: 20, there: 9, trusted: false },
])("when $name it is believed at once: $trusted", ({ reported, there, trusted }) => {
  const { sync } = syncOf(reported, there, true);
  expect(sync.isTrusted).toBe(false);
  sync.advance();
  expect([sync.isTrusted, sync.isDoubted]).toEqual([trusted, !trusted]);
});

test.each([
  { name: "every kind is known", missing: "isComplete" },
  { name: "the hub's record was heard", missing: "isHeard" },
] as const)("nothing is believed before $name", ({ missing }) => {
  const { sync, known } = syncOf(0, 0, true);
  known[missing] = false;
  sync.advance();
  expect(sync.isTrusted).toBe(false);
  known[missing] = true;
  sync.advance();
  expect(sync.isTrusted).toBe(true);
});

test("it is believed when a second read agrees, however long that takes", async () => {
  const { sync, clock, changes, reads } = syncOf(12, 0, new Error("no answer"), false, true);
  sync.advance();
  sync.advance();
  await clock.advance(60_000);
  expect(changes).toEqual(["doubted", "trusted"]);
  expect(reads()).toBe(3);
});

test("nothing is asked after the session", async () => {
  const { sync, clock, end, changes, reads } = syncOf(12, 0, true);
  sync.advance();
  end.abort(new Error("over"));
  await clock.advance(60_000);
  expect([changes, reads(), clock.pending]).toEqual([["doubted"], 0, 0]);
});
