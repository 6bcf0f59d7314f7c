import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { CONFIG_REF, deleteRow, holdRow, objectsWithLog, OWNER, row, seen, taken } from "../testing/builders.ts";

const KEY = refKey(CONFIG_REF);
const OTHER = { ...CONFIG_REF, name: "other" };
const QUOTA = { reason: "QuotaExceeded", message: "exceeded quota", final: true };

describe("the report", () => {
  test("holds each changed object once, as it is at the end of the turn", async () => {
    const { objects, reports, take, see, revisions } = objectsWithLog();
    take(row());
    see({ hash: "h0" });
    objects.observe(OTHER, seen({ ref: OTHER, owner: undefined }));
    see();
    expect(reports).toEqual([]);
    await Promise.resolve();
    const present = { uid: "member-1", hash: "h1", proven: true, deleting: false, health: { state: "Available" } };
    const common = { cluster: "shanghai-1", writing: false };
    expect(reports).toEqual([
      [
        {
          ...common,
          ref: CONFIG_REF,
          present: { ...present, owner: OWNER },
          inSyncWith: "h1",
          revision: revisions.last,
        },
        { ...common, ref: OTHER, present, revision: 0 },
      ],
    ]);
  });

  test("is not sent for an Apply row alone, nor for a write whose row stays", () => {
    const { objects, take, find, reported } = taken();
    take(row({ hash: "h2" }));
    objects.beginWrite(find());
    expect(reported()).toBe(0);
    objects.endWrite(find());
    expect(reported()).toBe(0);
  });

  test.each([["a withdrawal", undefined] as const, ["a Hold row", holdRow()], ["a Delete row", deleteRow()]])(
    "acknowledges %s",
    async (_, given) => {
      const { take, withdraw, reports } = taken();
      if (given === undefined) withdraw();
      else take(given);
      await Promise.resolve();
      expect(reports).toMatchObject([[{ ref: CONFIG_REF, revision: 2, writing: false }]]);
    },
  );

  test("acknowledges the withdrawal of an unknown row, and nothing is kept", async () => {
    const { objects, reports, withdraw } = objectsWithLog();
    withdraw();
    await Promise.resolve();
    expect(reports).toEqual([[{ cluster: "shanghai-1", ref: CONFIG_REF, writing: false, revision: 1 }]]);
    expect(objects.get(KEY)).toBeUndefined();
  });

  test("names a write that outlives its row, and its end", async () => {
    const { objects, reports, withdraw, find } = taken();
    objects.beginWrite(find());
    withdraw();
    await Promise.resolve();
    objects.endWrite(find());
    await Promise.resolve();
    expect(reports).toMatchObject([[{ writing: true, revision: 2 }], [{ writing: false, revision: 2 }]]);
    expect(objects.get(KEY)).toBeUndefined();
  });

  test("names an object without a row once more when it is gone, and then forgets the object", async () => {
    const { objects, reports, withdraw, see, gone } = taken();
    see();
    withdraw();
    await Promise.resolve();
    expect(objects.get(KEY)).toBeDefined();
    reports.length = 0;
    for (let time = 0; time < 2; time += 1) {
      gone();
      await Promise.resolve();
    }
    expect(reports).toEqual([[{ cluster: "shanghai-1", ref: CONFIG_REF, writing: false, revision: 2 }]]);
    expect(objects.get(KEY)).toBeUndefined();
  });

  test.each([
    ["the same failure", { ...QUOTA }, 0],
    ["another reason", { ...QUOTA, reason: "Forbidden" }, 1],
    ["another message", { ...QUOTA, message: "exceeded quota again" }, 1],
    ["a failure that is not final", { ...QUOTA, final: false }, 1],
    ["the end of the failure", undefined, 1],
  ])("after a failure names %s, if it is another one", (_, next, times) => {
    const { objects, find, reported } = taken();
    objects.fail(find(), QUOTA);
    expect(reported()).toBe(1);
    objects.fail(find(), next);
    expect([find().failure, reported()]).toEqual([next, times]);
  });

  test("names drift corrections, and the trouble of a contested object", () => {
    const { objects, pending, reports, find, reported } = taken();
    const healed = { at: 5, lost: [{ path: "data.key" }], gone: false, contested: false };
    objects.heal(find(), healed);
    pending.flush();
    expect(reports.at(-1)).toMatchObject([{ healed }]);
    const contested = { reason: "Contested", message: "again and again", final: false };
    objects.contest(find(), contested);
    objects.contest(find(), contested);
    expect(reported()).toBe(2);
  });
});
