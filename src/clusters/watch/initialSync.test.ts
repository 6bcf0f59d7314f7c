import { expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { createLogger } from "../../observability/index.ts";
import type { Informer } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { InitialSync } from "./initialSync.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CLUSTER, CONFIG_REF, objectsWithLog, OWNER, seen } from "../testing/builders.ts";

const application = (index: number) => ({ ...OWNER, name: `app-${index}` });

/** Initial sync with `present` of `recorded` objects; `answers`: results of the later reads. */
function syncOf(recorded: number, present: number, ...answers: (boolean | Error)[]) {
  const clock = new FakeClock();
  const end = new AbortController();
  const changes: string[] = [];
  const known = { isComplete: true, hasRecord: true };
  let reads = 0;
  const { objects } = objectsWithLog();
  for (let index = 0; index < present; index += 1) {
    const ref = { ...CONFIG_REF, name: `config-${index}` };
    objects.observe(ref, seen({ ref, owner: application(index) }));
  }
  const agreesWithServer = async () => {
    const answer = answers[Math.min(reads++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const owners = Array.from({ length: recorded }, (_, index) => refKey(application(index)));
  const sync = new InitialSync({
    cluster: CLUSTER,
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "silent" }),
    signal: end.signal,
    informers: () => [{ agreesWithServer } as unknown as Informer<ObservedObject>],
    objects,
    isComplete: () => known.isComplete,
    expected: () => (known.hasRecord ? owners : undefined),
    changed: () => void changes.push(sync.isTrusted ? "trusted" : sync.isDoubted ? "doubted" : "incomplete"),
  });
  return { sync, clock, end, changes, known, reads: () => reads };
}

test.each([
  [0, 0, true],
  [9, 0, true],
  [10, 0, false],
  [20, 10, true],
  [20, 9, false],
])("of %d recorded objects %d are present: trusted at once: %s", (recorded, present, trusted) => {
  const { sync } = syncOf(recorded, present, true);
  expect(sync.isTrusted).toBe(false);
  sync.advance();
  expect([sync.isTrusted, sync.isDoubted]).toEqual([trusted, !trusted]);
});

test.each(["isComplete", "hasRecord"] as const)("nothing is trusted before %s", (missing) => {
  const { sync, known } = syncOf(0, 0, true);
  known[missing] = false;
  sync.advance();
  expect(sync.isTrusted).toBe(false);
  known[missing] = true;
  sync.advance();
  expect(sync.isTrusted).toBe(true);
});

test("a doubted sync is trusted when a later read agrees", async () => {
  const { sync, clock, changes, reads } = syncOf(12, 0, new Error("no answer"), false, true);
  sync.advance();
  sync.advance();
  await clock.advance(60_000);
  expect([changes, reads()]).toEqual([["doubted", "trusted"], 3]);
});

test("nothing is read after the session", async () => {
  const { sync, clock, end, changes, reads } = syncOf(12, 0, true);
  sync.advance();
  end.abort(new Error("over"));
  await clock.advance(60_000);
  expect([changes, reads(), clock.pending]).toEqual([["doubted"], 0, 0]);
});
