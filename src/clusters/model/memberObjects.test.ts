import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { isInSync } from "./memberObjects.ts";
import { CONFIG_REF, deleteRow, holdRow, objectsWithLog, OWNER, row, seen } from "../testing/builders.ts";

const KEY = refKey(CONFIG_REF);
const failure = { reason: "QuotaExceeded", message: "exceeded quota", final: true };

describe("what is known of a member object", () => {
  test("it is in sync when its hash is the desired one and its fields are ours", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    expect(isInSync(find())).toBe(false);
    objects.observe(CONFIG_REF, seen());
    expect(isInSync(find())).toBe(true);
  });

  test("who owns the fields is forgotten once an object was found in sync, and not asked again for the same hash", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen());
    expect(find().observed?.evidence.live).toBeUndefined();
    take(holdRow());
    take(row());
    expect(isInSync(find())).toBe(true);
  });

  test("an observation that comes before the row is judged when the row is there", () => {
    const { objects, take, find } = objectsWithLog();
    objects.observe(CONFIG_REF, seen());
    take(row());
    expect(isInSync(find())).toBe(true);
  });

  test("a field that somebody took shows as lost", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen({ owns: false }));
    expect(isInSync(find())).toBe(false);
    expect(find().judged?.lost).toHaveLength(1);
  });

  test("a field that is ours and has another value shows as a failure, and not as in sync", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen({ value: "other" }));
    expect(isInSync(find())).toBe(false);
    expect(find().judged).toMatchObject({ lost: [], altered: ["data.key"] });
    expect(find().failure).toMatchObject({ reason: "AppliedWithoutEffect" });
    objects.observe(CONFIG_REF, seen());
    expect([isInSync(find()), find().failure]).toEqual([true, undefined]);
  });

  describe("of an apply whose values were all found there", () => {
    const FIRST = "2026-11-22T10:00:00Z";
    const settled = () => {
      const log = objectsWithLog();
      log.take(row());
      log.objects.observe(CONFIG_REF, seen({ appliedAt: FIRST }));
      return log;
    };

    test("the values are not compared again, whatever else happens to the object", () => {
      const { objects, find } = settled();
      objects.observe(CONFIG_REF, seen({ appliedAt: FIRST, value: "not looked at", resourceVersion: "8" }));
      expect(isInSync(find())).toBe(true);
    });

    test.each([
      { name: "a later one", changes: { appliedAt: "2026-11-22T10:00:01Z" } },
      { name: "one that does not say when it was", changes: {} },
    ])("the values of $name are compared", ({ changes }) => {
      const { objects, find } = settled();
      objects.observe(CONFIG_REF, seen({ ...changes, value: "other", resourceVersion: "8" }));
      expect(find().judged?.altered).toEqual(["data.key"]);
    });

    test("the values of one within the same second are compared", () => {
      const { objects, find } = settled();
      objects.beginWrite(find());
      objects.observe(CONFIG_REF, seen({ appliedAt: FIRST, resourceVersion: "8" }));
      objects.endWrite(find());
      objects.observe(CONFIG_REF, seen({ appliedAt: FIRST, value: "other", resourceVersion: "9" }));
      expect(find().judged?.altered).toEqual(["data.key"]);
    });

    test("fields that somebody takes are lost nevertheless", () => {
      const { objects, find } = settled();
      objects.observe(CONFIG_REF, seen({ appliedAt: FIRST, owns: false, resourceVersion: "8" }));
      expect(find().judged?.lost).toHaveLength(1);
    });
  });

  test("what was taken is no alteration: it is put back first", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen({ owns: false, value: "other" }));
    expect(find().judged).toMatchObject({ lost: [{ path: "data.key" }], altered: [] });
    expect(find().failure).toBeUndefined();
  });

  test("an alteration does not hide why the next attempt was refused", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen({ value: "other" }));
    objects.fail(find(), failure);
    objects.observe(CONFIG_REF, seen({ value: "other", resourceVersion: "8" }));
    expect(find().failure).toEqual(failure);
  });

  test("what no watch sees is there until its writer says that this life of it is gone", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen({ resourceVersion: "8" }));
    objects.observe(CONFIG_REF, seen({ visible: false, resourceVersion: "9" }));
    // The watch tells that it has left the selection, and may tell an older state before that.
    objects.observe(CONFIG_REF, seen({ resourceVersion: "8" }));
    objects.observe(CONFIG_REF, undefined);
    objects.vanished(CONFIG_REF, "another life");
    expect(find().observed).toMatchObject({ visible: false, resourceVersion: "9" });
    objects.vanished(CONFIG_REF, "member-1");
    expect(find().observed).toBeUndefined();
  });

  test("what no watch saw is seen again when its marks are back", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen({ visible: false, resourceVersion: "9" }));
    objects.observe(CONFIG_REF, seen({ resourceVersion: "10" }));
    objects.vanished(CONFIG_REF, "member-1");
    expect(find().observed).toMatchObject({ visible: true });
    objects.observe(CONFIG_REF, undefined);
    expect(find().observed).toBeUndefined();
  });

  test("a new desired hash clears the failure of the one before; the same row again does not", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.fail(find(), failure);
    take(row());
    expect(find().failure).toEqual(failure);
    take(row({ hash: "h2" }));
    expect(find().failure).toBeUndefined();
  });

  test("what is in sync has not failed", () => {
    const { objects, take, find } = objectsWithLog();
    take(row());
    objects.fail(find(), { reason: "ClusterUnreachable", message: "no answer in time", final: false });
    objects.observe(CONFIG_REF, seen());
    expect(find().failure).toBeUndefined();
  });

  test("a namespace is used while any object in it is known, and the end of the last one is reported", async () => {
    const { objects, emptied, take, withdraw } = objectsWithLog();
    take(row());
    objects.observe({ ...CONFIG_REF, name: "other" }, seen());
    withdraw();
    await Promise.resolve();
    expect([objects.isUsed("default"), emptied]).toEqual([true, []]);
    objects.observe({ ...CONFIG_REF, name: "other" }, undefined);
    await Promise.resolve();
    expect([objects.isUsed("default"), emptied]).toEqual([false, ["default"]]);
  });
});

describe("what is reported", () => {
  test("changes of one turn are one report, in which each object stands once as it is at the end", async () => {
    const { objects, reports, take, revisions } = objectsWithLog();
    const other = { ...CONFIG_REF, name: "other" };
    take(row());
    objects.observe(CONFIG_REF, seen({ hash: "h0" }));
    objects.observe(other, seen({ ref: other, owner: undefined }));
    objects.observe(CONFIG_REF, seen());
    expect(reports).toEqual([]);
    await Promise.resolve();
    const present = { uid: "member-1", hash: "h1", proven: true, deleting: false, health: { state: "Available" } };
    expect(reports).toEqual([
      [
        {
          cluster: "shanghai-1",
          ref: CONFIG_REF,
          present: { ...present, owner: OWNER },
          inSyncWith: "h1",
          writing: false,
          revision: revisions.last,
        },
        { cluster: "shanghai-1", ref: other, present, writing: false, revision: 0 },
      ],
    ]);
  });

  test("an apply row that changes nothing of what is known is not reported", async () => {
    const { reports, take } = objectsWithLog();
    take(row());
    take(row({ hash: "h2" }));
    await Promise.resolve();
    expect(reports).toEqual([]);
  });

  test.each([
    { name: "a withdrawal", change: ({ withdraw }: ReturnType<typeof objectsWithLog>) => withdraw() },
    { name: "a hold", change: ({ take }: ReturnType<typeof objectsWithLog>) => take(holdRow()) },
    { name: "a removal", change: ({ take }: ReturnType<typeof objectsWithLog>) => take(deleteRow()) },
  ])("$name is acknowledged, though nothing else changed", async ({ change }) => {
    const parts = objectsWithLog();
    parts.take(row());
    change(parts);
    await Promise.resolve();
    expect(parts.reports).toMatchObject([[{ ref: CONFIG_REF, revision: 2, writing: false }]]);
  });

  test("the withdrawal of a row that was never heard of is acknowledged, and nothing is kept of it", async () => {
    const { objects, reports, withdraw } = objectsWithLog();
    withdraw();
    await Promise.resolve();
    expect(reports).toEqual([[{ cluster: "shanghai-1", ref: CONFIG_REF, writing: false, revision: 1 }]]);
    expect(objects.get(KEY)).toBeUndefined();
  });

  test("a write that was under way when its row was withdrawn shows until it ends, and then once more", async () => {
    const { objects, reports, take, withdraw, find } = objectsWithLog();
    take(row());
    objects.beginWrite(find());
    withdraw();
    await Promise.resolve();
    expect(reports).toMatchObject([[{ writing: true, revision: 2 }]]);
    objects.endWrite(find());
    await Promise.resolve();
    expect(reports).toMatchObject([[{ writing: true }], [{ writing: false, revision: 2 }]]);
    expect(objects.get(KEY)).toBeUndefined();
  });

  test("a write whose row stands is not reported by itself", async () => {
    const { objects, reports, take, find } = objectsWithLog();
    take(row());
    objects.beginWrite(find());
    await Promise.resolve();
    objects.endWrite(find());
    await Promise.resolve();
    expect(reports).toEqual([]);
  });

  test("an object that is gone and has no row is reported once more, and then forgotten", async () => {
    const { objects, reports, take, withdraw } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen());
    withdraw();
    await Promise.resolve();
    expect(objects.get(KEY)).toBeDefined();
    reports.length = 0;
    objects.observe(CONFIG_REF, undefined);
    await Promise.resolve();
    expect(reports).toEqual([[{ cluster: "shanghai-1", ref: CONFIG_REF, writing: false, revision: 2 }]]);
    expect(objects.get(KEY)).toBeUndefined();
    objects.observe(CONFIG_REF, undefined);
    await Promise.resolve();
    expect(reports).toHaveLength(1);
  });

  test("failures and heals are", async () => {
    const { objects, reports, take, find } = objectsWithLog();
    take(row());
    objects.fail(find(), failure);
    await Promise.resolve();
    objects.fail(find(), { ...failure });
    await Promise.resolve();
    const lost = [{ path: "data.key", managers: ["kubectl"] }] as never;
    objects.heal(find(), { at: 5, lost, gone: false, contested: false });
    await Promise.resolve();
    expect(reports).toMatchObject([[{ failure }], [{ failure, healed: { at: 5, lost } }]]);
  });

  test("a new assignment without a row for an object takes its row away", async () => {
    const { objects, take, revisions, find } = objectsWithLog();
    take(row());
    objects.observe(CONFIG_REF, seen());
    objects.withdrawOthers([revisions.set(row())]);
    expect(find().row).toBeDefined();
    objects.withdrawOthers([]);
    expect(find()).toMatchObject({ row: undefined, observed: { uid: "member-1" } });
  });
});

describe("that nothing is left is certain", () => {
  const isAbsent = ({ find }: ReturnType<typeof objectsWithLog>): boolean => find().isAbsent;

  test.each<{ name: string; gone: (all: ReturnType<typeof objectsWithLog>) => void; want: boolean }>([
    {
      name: "when the watch shows the end of what was removed",
      gone: ({ objects, find }) => {
        objects.removed(find(), "member-1");
        objects.observe(CONFIG_REF, undefined);
      },
      want: true,
    },
    {
      name: "when the watch was faster than the answer",
      gone: ({ objects, find }) => {
        objects.observe(CONFIG_REF, undefined);
        objects.removed(find(), "member-1");
      },
      want: true,
    },
    {
      name: "not when it only left the selection",
      gone: ({ objects }) => objects.observe(CONFIG_REF, undefined),
      want: false,
    },
    {
      name: "not when another life of it left the selection",
      gone: ({ objects, find }) => {
        objects.removed(find(), "member-0");
        objects.observe(CONFIG_REF, undefined);
      },
      want: false,
    },
    {
      name: "when nothing of ours was found under the name",
      gone: ({ objects, find }) => {
        objects.observe(CONFIG_REF, undefined);
        objects.found(find(), undefined);
      },
      want: true,
    },
    {
      name: "not when what was found has been removed and nobody has looked again",
      gone: ({ objects, find }) => {
        objects.observe(CONFIG_REF, undefined);
        objects.found(find(), seen());
        objects.removed(find(), "member-1");
      },
      want: false,
    },
    {
      name: "not any more when it is wanted again",
      gone: ({ objects, take, find }) => {
        objects.removed(find(), "member-1");
        objects.observe(CONFIG_REF, undefined);
        take(row());
      },
      want: false,
    },
  ])("$name", ({ gone, want }) => {
    const all = objectsWithLog();
    all.objects.observe(CONFIG_REF, seen());
    all.take(deleteRow());
    gone(all);
    expect(isAbsent(all)).toBe(want);
  });
});

describe("what is out of sight from now on", () => {
  test("is known no more, and reported so; the rest stays", () => {
    const { objects, reports, find } = objectsWithLog();
    const other = { ...CONFIG_REF, namespace: "bank" };
    objects.observe(CONFIG_REF, seen());
    objects.observe(other, seen({ ref: other }));
    objects.flush();
    objects.loseSight(({ namespace }) => namespace === "default");
    objects.flush();
    expect(find().observed).toBeDefined();
    expect(objects.get(refKey(other))).toBeUndefined();
    expect(reports.at(-1)).toMatchObject([{ ref: other }]);
    expect(reports.at(-1)?.[0]).not.toHaveProperty("present");
  });

  test("is not certainly gone, even where it was before", () => {
    const { objects, reports, take, find } = objectsWithLog();
    objects.observe(CONFIG_REF, seen());
    take(deleteRow());
    objects.removed(find(), "member-1");
    objects.observe(CONFIG_REF, undefined);
    objects.flush();
    expect(reports.at(-1)?.[0]?.absent).toBe(true);
    objects.loseSight(() => false);
    objects.flush();
    expect(reports.at(-1)?.[0]).not.toHaveProperty("absent");
  });
});
