import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { inSyncWith, isInSync } from "./memberObjects.ts";
import type { ObservedObject } from "./observed.ts";
import { CONFIG_REF, deleteRow, holdRow, objectsWithLog, row, seen } from "../testing/builders.ts";
import { memberObject } from "../testing/memberObject.ts";

const KEY = refKey(CONFIG_REF);
const QUOTA = { reason: "QuotaExceeded", message: "exceeded quota", final: true };
const IMMUTABLE = { reason: "ImmutableField", message: "data: field is immutable", final: true };

/** Member objects, and of how many changes the lane has heard. */
function counted() {
  const state = { changes: 0 };
  const parts = objectsWithLog(() => void (state.changes += 1));
  /** How many changes there were since this was asked last. */
  const changes = (): number => {
    const { changes: count } = state;
    state.changes = 0;
    return count;
  };
  const reported = (): number => {
    parts.objects.flush();
    return parts.reports.splice(0).length;
  };
  return { ...parts, changes, reported };
}

describe("a member object is in sync with a hash", () => {
  const judged = { hash: "h1", lost: [], yielded: [], altered: [] };
  const lost = [{ path: "data.key", managers: ["kubectl"] }] as never;

  test.each([
    { name: "that it was found to be as", object: { observed: seen(), judged }, want: "h1" },
    { name: "only while it is there", object: { judged }, want: undefined },
    { name: "only when that was looked at", object: { observed: seen() }, want: undefined },
    { name: "not while it is on its way out", object: { observed: seen({ deleting: true }), judged }, want: undefined },
    { name: "not when it says another one", object: { observed: seen({ hash: "h0" }), judged }, want: undefined },
    { name: "not when fields were lost", object: { observed: seen(), judged: { ...judged, lost } }, want: undefined },
    {
      name: "not when fields have other values",
      object: { observed: seen(), judged: { ...judged, altered: ["data.key"] } },
      want: undefined,
    },
  ])("$name", ({ object, want }) => {
    expect(inSyncWith(memberObject(object))).toBe(want);
  });

  test("that is its row's, where the row asks for it to be applied", () => {
    const object = { observed: seen(), judged };
    expect(isInSync(memberObject({ ...object, row: row() }))).toBe(true);
    expect(isInSync(memberObject({ ...object, row: row({ hash: "h2" }) }))).toBe(false);
    expect(isInSync(memberObject({ ...object, row: holdRow() }))).toBe(false);
    expect(isInSync(memberObject(object))).toBe(false);
  });
});

describe("the lane hears", () => {
  test("of a row that asks for something else, and of none that asks for the same", () => {
    const { take, withdraw, changes } = counted();
    take(row());
    expect(changes()).toBe(1);
    take(row());
    expect(changes()).toBe(0);
    take(row({ hash: "h2" }));
    expect(changes()).toBe(1);
    take(holdRow());
    expect(changes()).toBe(1);
    withdraw();
    expect(changes()).toBe(1);
  });

  test("of a row that asks for more to be told", () => {
    const { take, changes, reported } = counted();
    take(row());
    changes();
    reported();
    take(row({ reporting: { withStatus: true } }));
    expect([changes(), reported()]).toEqual([1, 1]);
    take(row({ reporting: { withStatus: true } }));
    expect([changes(), reported()]).toEqual([0, 0]);
  });

  test("of what the member shows", () => {
    const { objects, changes, find } = counted();
    objects.observe(CONFIG_REF, seen());
    expect(changes()).toBe(1);
    objects.found(find(), seen());
    expect(changes()).toBe(1);
    objects.observe(CONFIG_REF, undefined);
    expect(changes()).toBe(1);
    objects.observe({ ...CONFIG_REF, name: "never seen" }, undefined);
    expect(changes()).toBe(0);
  });
});

describe("how many are asked for", () => {
  test("is how many have a row", () => {
    const { objects, take, withdraw } = counted();
    expect(objects.asked).toBe(0);
    take(row());
    take(row({ hash: "h2" }));
    take(deleteRow());
    expect(objects.asked).toBe(1);
    take(row({ ref: { ...CONFIG_REF, name: "b" } }));
    expect(objects.asked).toBe(2);
    withdraw();
    withdraw();
    expect(objects.asked).toBe(1);
  });

  test("is of each namespace by itself", () => {
    const { objects, take, withdraw, emptied } = counted();
    const cluster = { apiVersion: "v1", kind: "Namespace", name: "team" };
    take(row({ ref: { ...CONFIG_REF, namespace: "bank" } }));
    take(row());
    take(row({ ref: { ...CONFIG_REF, name: "b" } }));
    take(deleteRow({ ref: cluster }));
    expect([objects.isUsed("default"), objects.isUsed("bank"), objects.isUsed("team")]).toEqual([true, true, false]);
    withdraw();
    withdraw(cluster);
    objects.flush();
    expect([objects.isUsed("default"), emptied]).toEqual([true, []]);
    withdraw({ ...CONFIG_REF, name: "b" });
    objects.flush();
    expect([objects.isUsed("default"), objects.isUsed("bank"), emptied]).toEqual([false, true, ["default"]]);
  });
});

describe("an object keeps", () => {
  test("who asked for its row, and in which revision", () => {
    const { objects, find } = counted();
    const origin = { traceparent: "00-1-2-01" } as never;
    objects.takeRow({ ref: CONFIG_REF, row: row(), revision: 7, origin });
    expect(find()).toMatchObject({ revision: 7, origin });
    objects.takeRow({ ref: CONFIG_REF, row: row(), revision: 8 });
    expect([find().revision, find().origin]).toEqual([8, undefined]);
  });

  test("that its row was carried out, until another row comes", () => {
    const { objects, take, find } = counted();
    take(row());
    objects.carryOut(find(), "h0");
    expect(find().carriedOut).toBe(false);
    objects.carryOut(find(), "h1");
    expect(find().carriedOut).toBe(true);
    take(row());
    expect(find().carriedOut).toBe(true);
    take(row({ hash: "h2" }));
    expect(find().carriedOut).toBe(false);
    take(holdRow());
    objects.carryOut(find(), "h2");
    expect(find().carriedOut).toBe(false);
  });

  test("that it is as its row says, once it was found so: then another hash there is somebody's doing", () => {
    const { objects, take, find } = counted();
    take(row());
    objects.observe(CONFIG_REF, seen({ hash: "h0", resourceVersion: "6" }));
    expect([find().judged, find().carriedOut]).toEqual([undefined, false]);
    objects.observe(CONFIG_REF, seen());
    expect([find().judged?.hash, find().carriedOut]).toEqual(["h1", true]);
    objects.observe(CONFIG_REF, seen({ hash: "h0", owns: false, resourceVersion: "8" }));
    expect(find().judged).toMatchObject({ hash: "h1", lost: [{ path: "data.key" }] });
  });

  test("no certainty that it is gone once it is written, and nothing of the apply before", () => {
    const { objects, take, find } = counted();
    take(row());
    objects.observe(CONFIG_REF, seen({ appliedAt: "2026-11-22T10:00:00Z" }));
    expect(find().effective).toBeDefined();
    find().isAbsent = true;
    objects.beginWrite(find());
    expect(find()).toMatchObject({ isAbsent: false, writing: true, effective: undefined });
    objects.endWrite(find());
    expect(find().writing).toBe(false);
  });
});

describe("what a dependency has refused to become", () => {
  const dependency = (hash = "h2") => row({ role: "dependency", hash });
  const refusing = () => {
    const parts = counted();
    parts.objects.observe(CONFIG_REF, seen());
    parts.take(dependency());
    parts.objects.fail(parts.find(), IMMUTABLE);
    return parts;
  };

  test("is remembered for that life of it, in the order of the refusals, whatever its row says meanwhile", () => {
    const { objects, take, find, reported } = refusing();
    expect(find().refused).toEqual({ uid: "member-1", hashes: ["h2"] });
    take(holdRow());
    take(dependency("h3"));
    objects.fail(find(), IMMUTABLE);
    expect(find().refused).toEqual({ uid: "member-1", hashes: ["h2", "h3"] });
    expect(reported()).toBe(1);
    objects.observe(CONFIG_REF, seen({ uid: "member-2" }));
    objects.fail(find(), undefined);
    objects.fail(find(), IMMUTABLE);
    expect(find().refused).toEqual({ uid: "member-2", hashes: ["h3"] });
  });

  test("is news once", () => {
    const { objects, find, reported } = refusing();
    reported();
    const { refused } = find();
    objects.fail(find(), { ...IMMUTABLE });
    expect([find().refused === refused, reported()]).toEqual([true, 0]);
  });

  test("is of sixteen hashes at most, the last ones", () => {
    const { objects, take, find } = refusing();
    for (let n = 3; n <= 18; n += 1) {
      take(dependency(`h${n}`));
      objects.fail(find(), IMMUTABLE);
    }
    expect(find().refused?.hashes).toEqual(Array.from({ length: 16 }, (_, index) => `h${index + 3}`));
  });

  test.each([
    { name: "failed for another reason", asked: dependency(), failure: QUOTA, observed: seen() },
    { name: "is no dependency", asked: row({ hash: "h2" }), failure: IMMUTABLE, observed: seen() },
    { name: "is to go", asked: deleteRow({ role: "dependency" }), failure: IMMUTABLE, observed: seen() },
    { name: "is not there", asked: dependency(), failure: IMMUTABLE, observed: undefined },
  ])("is nothing where it $name", ({ asked, failure, observed }) => {
    const { objects, take, find } = counted();
    take(asked);
    if (observed !== undefined) objects.observe(CONFIG_REF, observed);
    objects.fail(find(), failure);
    expect(find().refused).toBeUndefined();
  });
});

describe("what the pods of a workload say", () => {
  const trouble = { reason: "ImagePullBackOff", message: "no such image" };
  const ill = (changes: Partial<ObservedObject> = {}) => seen({ podSelector: "app=shop", ...changes });
  const told = () => {
    const parts = counted();
    parts.objects.observe(CONFIG_REF, ill());
    parts.objects.tell(parts.find(), trouble);
    return parts;
  };

  test("is told, once", () => {
    const { objects, find, reported } = told();
    expect([find().trouble, reported()]).toEqual([trouble, 1]);
    objects.tell(find(), { ...trouble });
    expect(reported()).toBe(0);
    objects.tell(find(), undefined);
    expect([find().trouble, reported()]).toEqual([undefined, 1]);
  });

  test("counts for nothing where nobody asks for its pods", () => {
    const { objects, find, reported } = counted();
    objects.observe(CONFIG_REF, seen());
    reported();
    objects.tell(find(), trouble);
    expect([find().trouble, reported()]).toEqual([undefined, 0]);
  });

  test.each<{ name: string; change: Partial<ObservedObject>; want: object | undefined }>([
    { name: "holds while the same life of it is ill in the same state", change: {}, want: trouble },
    { name: "is over when it is well", change: { podSelector: undefined }, want: undefined },
    { name: "is over with that life of it", change: { uid: "member-2" }, want: undefined },
    { name: "is over when something else was applied", change: { hash: "h2" }, want: undefined },
  ])("$name", ({ change, want }) => {
    const { objects, find } = told();
    objects.observe(CONFIG_REF, ill({ resourceVersion: "8", ...change }));
    expect(find().trouble).toEqual(want);
  });
});

describe("of an object that is not followed any more", () => {
  const forgotten = () => {
    const parts = counted();
    parts.take(row());
    const object = parts.find();
    parts.withdraw();
    parts.objects.flush();
    parts.reports.length = 0;
    expect(parts.objects.get(KEY)).toBeUndefined();
    return { ...parts, object };
  };

  test("no failure, no finding, no removal and no content is taken", () => {
    const { objects, object, reported, changes } = forgotten();
    changes();
    objects.fail(object, IMMUTABLE);
    objects.found(object, seen());
    objects.removed(object, "member-1");
    objects.read(object, seen());
    expect([object.failure, object.observed, object.isAbsent]).toEqual([undefined, undefined, false]);
    expect([reported(), changes(), [...objects.all()]]).toEqual([0, 0, []]);
  });
});

describe("at the end", () => {
  test("everything is dropped, and nothing is taken or reported any more", async () => {
    const { objects, take, reports, find } = counted();
    take(row());
    objects.observe(CONFIG_REF, seen({ visible: false }));
    const object = find();
    objects.close();
    await Promise.resolve();
    take(row());
    objects.observe(CONFIG_REF, seen());
    objects.vanished(CONFIG_REF, "member-1");
    objects.loseSight(() => false);
    objects.heal(object, { at: 5, lost: [], gone: true, contested: false });
    await Promise.resolve();
    expect([reports, [...objects.all()], objects.isUsed("default")]).toEqual([[], [], false]);
  });

  test("nothing is reported when nothing is waiting", () => {
    const { objects, reports } = counted();
    objects.flush();
    expect(reports).toEqual([]);
  });
});

describe("a failure", () => {
  test.each([
    { name: "for another reason", next: { ...QUOTA, reason: "Forbidden" } },
    { name: "in other words", next: { ...QUOTA, message: "exceeded quota again" } },
    { name: "that is not final", next: { ...QUOTA, final: false } },
    { name: "that is over", next: undefined },
  ])("$name is news", ({ next }) => {
    const { objects, take, find, reported } = counted();
    take(row());
    objects.fail(find(), QUOTA);
    reported();
    objects.fail(find(), next);
    expect([find().failure, reported()]).toEqual([next, 1]);
  });
});

test("what no watch sees is gone when it was removed", () => {
  const { objects, take, find, changes } = counted();
  objects.observe(CONFIG_REF, seen({ visible: false }));
  take(deleteRow());
  changes();
  objects.removed(find(), "member-1");
  expect([find().observed, find().removed, changes()]).toEqual([undefined, "member-1", 1]);
});

test("a withdrawal of what has a row names the revision that it had", () => {
  const { objects, find, take, revisions } = counted();
  take(row());
  objects.observe(CONFIG_REF, seen());
  objects.withdrawOthers([]);
  expect(find()).toMatchObject({ row: undefined, revision: revisions.last });
  objects.withdrawOthers([]);
  expect(find().row).toBeUndefined();
});
