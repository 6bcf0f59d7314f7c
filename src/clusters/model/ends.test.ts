import { describe, expect, test } from "vitest";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { decide } from "./decide.ts";
import type { ObservedObject } from "./observed.ts";
import { holdRow, objectsWithLog, row } from "../testing/builders.ts";

const job = (more: Partial<ApplyRow> = {}): ApplyRow => row({ run: "r1", ...more });
const complete = { ended: "Complete" } as const;

/** Takes the row and observes these states one after the other; undefined: the object is gone. */
function observing(given: ApplyRow, ...states: (Partial<ObservedObject> | undefined)[]) {
  const parts = objectsWithLog();
  parts.take(given);
  for (const state of states)
    if (state === undefined) parts.gone();
    else parts.see(state);
  const next = () => decide(parts.find(), true).kind;
  return { ...parts, next };
}

describe("the end of a run", () => {
  test("is reported after the object is gone, and the object is not created again", () => {
    const { pending, reports, next } = observing(job(), {}, complete, { ...complete, deleting: true }, undefined);
    pending.flush();
    const report = reports.at(-1)?.[0];
    expect(report).toMatchObject({ ended: { run: "r1", end: "Complete" } });
    expect([report?.present, next()]).toEqual([undefined, "Nothing"]);
  });

  test("counts for the same run with another hash", () => {
    const running = observing(job(), {});
    running.take(job({ hash: "h2" }));
    expect(running.next()).toBe("Update");
    const ended = observing(job(), complete);
    ended.take(job({ hash: "h2" }));
    ended.gone();
    expect(ended.next()).toBe("Nothing");
  });

  test("does not count for another run, and an object of the earlier run does not end the new one", () => {
    const { take, find, see, next } = observing(job(), complete, undefined);
    take(job({ hash: "h2", run: "r2" }));
    expect([find().ended, next()]).toEqual([undefined, "Create"]);
    see({ ...complete, hash: "h1" });
    expect(find().ended).toBeUndefined();
  });

  test.each([{ proven: false }, { isOurs: false }, { hash: "another" }])("is not taken from an object with %j", (not) =>
    expect(observing(job(), { ...complete, ...not }).find().ended).toBeUndefined(),
  );

  test("of a held object counts for a later Apply row", () => {
    const { take, see, gone, find } = objectsWithLog();
    take(holdRow({ hash: "h1", run: "r1" }));
    see(complete);
    gone();
    take(job());
    expect(decide(find(), true).kind).toBe("Nothing");
  });

  test("is forgotten when the row is withdrawn", () => {
    const { withdraw, find } = observing(job(), complete);
    withdraw();
    expect(find().ended).toBeUndefined();
  });
});

describe("a row whose run is done by the hub's record", () => {
  const done = job({ done: "Complete" });

  test.each<[string, Partial<ObservedObject> | undefined]>([
    ["is gone", undefined],
    ["has ended", complete],
    ["is being deleted", { ...complete, deleting: true }],
    ["has another hash", { hash: "h0" }],
  ])("needs no action for an object that %s", (_, state) => expect(observing(done, state).next()).toBe("Nothing"));

  test("clears the failure of the row before", () => {
    const { take, find, objects } = observing(job({ hash: "h2" }), {});
    objects.fail(find(), { reason: "ImmutableField", message: "no", final: true });
    take(job({ hash: "h2", done: "Complete" }));
    expect(find().failure).toBeUndefined();
  });
});
