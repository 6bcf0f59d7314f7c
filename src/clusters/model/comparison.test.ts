import { describe, expect, test } from "vitest";
import { inSyncWith, isInSync } from "./comparison.ts";
import { holdRow, memberObject, row, seen, taken } from "../testing/builders.ts";

const QUOTA = { reason: "QuotaExceeded", message: "exceeded quota", final: true };

describe("a member object is in sync", () => {
  const judged = { hash: "h1", lost: [], yielded: [], altered: [] };
  const lost = [{ path: "data.key", managers: ["kubectl"] }] as never;

  test.each<[string, Parameters<typeof memberObject>[0], string | undefined]>([
    ["with the hash that it was compared with", { observed: seen(), judged }, "h1"],
    ["not while it is missing", { judged }, undefined],
    ["not before it was compared", { observed: seen() }, undefined],
    ["not while it is being deleted", { observed: seen({ deleting: true }), judged }, undefined],
    ["not with another hash annotation", { observed: seen({ hash: "h0" }), judged }, undefined],
    ["not with lost fields", { observed: seen(), judged: { ...judged, lost } }, undefined],
    ["not with altered fields", { observed: seen(), judged: { ...judged, altered: ["data.key"] } }, undefined],
  ])("%s", (_, object, want) => expect(inSyncWith(memberObject(object))).toBe(want));

  test.each([
    [row(), true],
    [row({ hash: "h2" }), false],
    [holdRow(), false],
    [undefined, false],
  ])("with its row only if the row applies this hash: %#", (given, want) => {
    expect(isInSync(memberObject({ observed: seen(), judged, row: given }))).toBe(want);
  });

  test("without a second comparison for the same hash: the live object was dropped", () => {
    const { take, see, find } = taken();
    see();
    expect(find().observed?.evidence.live).toBeUndefined();
    take(holdRow());
    take(row());
    expect(isInSync(find())).toBe(true);
  });
});

describe("the comparison with the desired object", () => {
  test("finds lost fields first, since the write that takes them back shows altered ones", () => {
    const { see, find } = taken();
    see({ owns: false, value: "other" });
    expect(find()).toMatchObject({ judged: { lost: [{ path: "data.key" }], altered: [] }, failure: undefined });
    expect(isInSync(find())).toBe(false);
  });

  test("makes altered fields a failure until the values are back, without hiding a refusal", () => {
    const { objects, see, find } = taken();
    see({ value: "other" });
    expect(find()).toMatchObject({
      judged: { lost: [], altered: ["data.key"] },
      failure: { reason: "AppliedWithoutEffect" },
    });
    objects.fail(find(), QUOTA);
    see({ value: "other", resourceVersion: "8" });
    expect([isInSync(find()), find().failure]).toEqual([false, QUOTA]);
    see();
    expect([isInSync(find()), find().failure]).toEqual([true, undefined]);
  });

  test("treats a changed hash annotation as drift once the row was carried out", () => {
    const { see, find } = taken();
    see({ hash: "h0", resourceVersion: "6" });
    expect([find().judged, find().carriedOut]).toEqual([undefined, false]);
    see();
    expect([find().judged?.hash, find().carriedOut]).toEqual(["h1", true]);
    see({ hash: "h0", owns: false, resourceVersion: "8" });
    expect(find().judged).toMatchObject({ hash: "h1", lost: [{ path: "data.key" }] });
  });

  const FIRST = "2026-11-22T10:00:00Z";
  test.each<[string, Parameters<typeof seen>[0], object]>([
    ["skips the values of an apply whose values were all found", { appliedAt: FIRST, value: "x" }, { altered: [] }],
    [
      "includes the values of a later apply",
      { appliedAt: "2026-11-22T10:00:01Z", value: "x" },
      { altered: ["data.key"] },
    ],
    ["includes the values of an apply without a time", { value: "x" }, { altered: ["data.key"] }],
    ["includes the owners in each case", { appliedAt: FIRST, owns: false }, { lost: [{ path: "data.key" }] }],
  ])("%s", (_, next, want) => {
    const { see, find } = taken();
    see({ appliedAt: FIRST });
    see({ resourceVersion: "8", ...next });
    expect(find().judged).toMatchObject(want);
  });

  test("includes the values of an apply of another row in the same second", () => {
    const { take, see, find } = taken();
    see({ appliedAt: FIRST });
    take(row({ hash: "h2" }));
    see({ appliedAt: FIRST, hash: "h2", value: "x", resourceVersion: "8" });
    expect(find().judged).toMatchObject({ altered: ["data.key"] });
  });

  test("includes the values of an apply in the same second as the one before", () => {
    const { objects, see, find } = taken();
    see({ appliedAt: FIRST });
    find().isAbsent = true;
    objects.beginWrite(find());
    expect(find()).toMatchObject({ isAbsent: false, writing: true, effective: undefined });
    see({ appliedAt: FIRST, resourceVersion: "8" });
    objects.endWrite(find());
    see({ appliedAt: FIRST, value: "other", resourceVersion: "9" });
    expect(find()).toMatchObject({ writing: false, judged: { altered: ["data.key"] } });
  });
});
