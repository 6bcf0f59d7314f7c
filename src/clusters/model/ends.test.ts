import { describe, expect, test } from "vitest";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { decide } from "./decide.ts";
import { holdRow, objectsWithLog, row, seen } from "../testing/builders.ts";
import type { ObservedObject } from "./observed.ts";

/** What a worker remembers of a run that it has seen at its end. */

const job = (more: Partial<ApplyRow> = {}): ApplyRow => row({ run: "r1", ...more });
const ref = row().ref;
const complete = { ended: "Complete" } as const;

/** A worker that was given the row, and sees these states of the object one after the other; undefined: it is gone. */
function worker(given: ApplyRow, ...states: (Partial<ObservedObject> | undefined)[]) {
  const all = objectsWithLog();
  all.take(given);
  for (const state of states) all.objects.observe(ref, state === undefined ? undefined : seen(state));
  return all;
}

describe("a run that was seen at its end", () => {
  test("is remembered and told when nothing of the object is left, and is not made anew", () => {
    const { objects, reports, find } = worker(job(), {}, complete, { ...complete, deleting: true }, undefined);
    objects.flush();
    expect(reports.at(-1)?.[0]).toMatchObject({ ended: { run: "r1", end: "Complete" } });
    expect(reports.at(-1)?.[0]).not.toHaveProperty("present");
    expect(decide(find(), true)).toEqual({ kind: "Nothing" });
  });

  test("is that of the row, also when labels have changed since it was made", () => {
    const { take, find } = worker(job(), {});
    take(job({ hash: "h2" }));
    expect(decide(find(), true)).toMatchObject({ kind: "Update" });
    const other = worker(job(), complete);
    other.take(job({ hash: "h2" }));
    other.objects.observe(ref, undefined);
    expect(decide(other.find(), true)).toEqual({ kind: "Nothing" });
  });

  test("is no end of other work", () => {
    const { take, find, objects } = worker(job(), complete, undefined);
    take(job({ hash: "h2", run: "r2" }));
    expect(find().ended).toBeUndefined();
    expect(decide(find(), true)).toMatchObject({ kind: "Create" });
    // Nor of the life before: what is there does the work of before.
    objects.observe(ref, seen({ ...complete, hash: "h1" }));
    expect(find().ended).toBeUndefined();
  });

  test("is none where nobody can prove that Meridian made the object", () => {
    for (const strange of [{ proven: false }, { isOurs: false }, { hash: "another" }])
      expect(worker(job(), { ...complete, ...strange }).find().ended).toBeUndefined();
  });

  test("is seen of what is held as well", () => {
    const all = objectsWithLog();
    all.take(holdRow({ hash: "h1", run: "r1" }));
    all.objects.observe(ref, seen(complete));
    all.objects.observe(ref, undefined);
    all.take(job());
    expect(decide(all.find(), true)).toEqual({ kind: "Nothing" });
  });

  test("is forgotten with the row", () => {
    const { withdraw, find, objects } = worker(job(), complete);
    withdraw();
    expect(find().ended).toBeUndefined();
    objects.observe(ref, undefined);
    objects.flush();
    expect(objects.get(ref.name)).toBeUndefined();
  });
});

describe("a row that is done by the record", () => {
  const done = job({ done: "Complete" });

  test.each<[string, Partial<ObservedObject> | undefined]>([
    ["gone", undefined],
    ["as it was", complete],
    ["on its way out", { ...complete, deleting: true }],
    ["not as it is to be", { hash: "h0" }],
  ])("asks for nothing of an object that is %s", (_, state) => {
    expect(decide(worker(done, state).find(), true)).toEqual({ kind: "Nothing" });
  });

  test("is another one than the row before, so that what has failed is over", () => {
    const { take, find, objects } = worker(job({ hash: "h2" }), {});
    objects.fail(find(), { reason: "ImmutableField", message: "no", final: true });
    take(job({ hash: "h2", done: "Complete" }));
    expect(find().failure).toBeUndefined();
  });
});
