import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { inSyncWith, isInSync } from "./memberObjects.ts";
import type { ObservedObject } from "./observed.ts";
import { deleteRow, holdRow, memberObject, objectsWithLog, row, seen } from "../testing/builders.ts";
import { CONFIG_REF, type ObjectsWithLog, OWNER } from "../testing/builders.ts";

const KEY = refKey(CONFIG_REF);
const OTHER = { ...CONFIG_REF, name: "other" };
const QUOTA = { reason: "QuotaExceeded", message: "exceeded quota", final: true };
const IMMUTABLE = { reason: "ImmutableField", message: "data: field is immutable", final: true };

/** Member objects. `changes` and `reported`: numbers since the previous call. */
function counted() {
  let count = 0;
  const parts = objectsWithLog(() => void (count += 1));
  const changes = (): number => {
    const before = count;
    count = 0;
    return before;
  };
  const reported = (): number => {
    parts.objects.flush();
    return parts.reports.splice(0).length;
  };
  return { ...parts, changes, reported };
}

/** Member objects that took the Apply row. */
function taken() {
  const parts = counted();
  parts.take(row());
  parts.changes();
  return parts;
}

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

describe("an object that the watch does not show", () => {
  test("stays observed until this UID is reported gone, whatever the watch brings", () => {
    const { objects, see, gone, find } = taken();
    see({ visible: false, resourceVersion: "9" });
    // The watch reports that the object left the selection, and perhaps an older state before that.
    see({ resourceVersion: "8" });
    gone();
    objects.vanished(CONFIG_REF, "another UID");
    expect(find().observed).toMatchObject({ visible: false, resourceVersion: "9" });
    objects.vanished(CONFIG_REF, "member-1");
    expect(find().observed).toBeUndefined();
  });

  test("is taken from the watch again when its label is back", () => {
    const { objects, see, gone, find } = taken();
    see({ visible: false, resourceVersion: "9" });
    see({ resourceVersion: "10" });
    objects.vanished(CONFIG_REF, "member-1");
    expect(find().observed).toMatchObject({ visible: true });
    gone();
    expect(find().observed).toBeUndefined();
  });
});

describe("the absence of an object is certain", () => {
  const steps = {
    removed: ({ objects, find }: ObjectsWithLog) => objects.removed(find(), "member-1"),
    removedEarlier: ({ objects, find }: ObjectsWithLog) => objects.removed(find(), "member-0"),
    gone: ({ gone }: ObjectsWithLog) => gone(),
    found: ({ objects, find }: ObjectsWithLog) => objects.found(find(), seen()),
    notFound: ({ objects, find }: ObjectsWithLog) => objects.found(find(), undefined),
    wanted: ({ take }: ObjectsWithLog) => take(row()),
  };

  test.each<[string, (keyof typeof steps)[], boolean]>([
    ["when the watch shows the end of our removal", ["removed", "gone"], true],
    ["when the watch was faster than the answer", ["gone", "removed"], true],
    ["not when the object only left the selection", ["gone"], false],
    ["not when another UID was removed", ["removedEarlier", "gone"], false],
    ["when a read by name found nothing", ["gone", "notFound"], true],
    ["not when the found object was removed and not read again", ["gone", "found", "removed"], false],
    ["not when the object is wanted again", ["removed", "gone", "wanted"], false],
  ])("%s", (_, taken, want) => {
    const parts = objectsWithLog();
    parts.see();
    parts.take(deleteRow());
    for (const step of taken) steps[step](parts);
    expect(parts.find().isAbsent).toBe(want);
  });
});

describe("objects that can no longer be read", () => {
  test("lose their observation, which is reported; others keep it", () => {
    const { objects, reports, see, find } = objectsWithLog();
    const inBank = { ...CONFIG_REF, namespace: "bank" };
    see();
    objects.observe(inBank, seen({ ref: inBank }));
    objects.flush();
    objects.forgetUnreadable(({ namespace }) => namespace === "default");
    objects.flush();
    expect([find().observed?.uid, objects.get(refKey(inBank))]).toEqual(["member-1", undefined]);
    expect(reports.at(-1)).toEqual([{ cluster: "shanghai-1", ref: inBank, writing: false, revision: 0 }]);
  });

  test("are no longer certainly absent", () => {
    const { objects, reports, see, take, gone, find } = objectsWithLog();
    see();
    take(deleteRow());
    objects.removed(find(), "member-1");
    gone();
    objects.flush();
    expect(reports.at(-1)?.[0]?.absent).toBe(true);
    objects.forgetUnreadable(() => false);
    objects.flush();
    expect(reports.at(-1)?.[0]).not.toHaveProperty("absent");
  });
});

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
    const { objects, reports, find, reported } = taken();
    const healed = { at: 5, lost: [{ path: "data.key" }], gone: false, contested: false };
    objects.heal(find(), healed);
    objects.flush();
    expect(reports.at(-1)).toMatchObject([{ healed }]);
    const contested = { reason: "Contested", message: "again and again", final: false };
    objects.contest(find(), contested);
    objects.contest(find(), contested);
    expect(reported()).toBe(2);
  });
});

describe("rows", () => {
  test("a new request changes the object, the same request does not", () => {
    const { take, withdraw, changes, reported } = taken();
    const changed = [row(), row({ hash: "h2" }), holdRow()].map((given) => (take(given), changes()));
    withdraw();
    expect([...changed, changes()]).toEqual([0, 1, 1, 1]);
    take(row());
    changes();
    reported();
    for (const want of [1, 0]) {
      take(row({ reporting: { withStatus: true } }));
      expect([changes(), reported()]).toEqual([want, want]);
    }
  });

  test("a new hash clears the failure and the carried-out state; the same row keeps them", () => {
    const { objects, take, find } = taken();
    objects.carryOut(find(), "h0");
    expect(find().carriedOut).toBe(false);
    objects.carryOut(find(), "h1");
    objects.fail(find(), QUOTA);
    take(row());
    expect(find()).toMatchObject({ failure: QUOTA, carriedOut: true });
    take(row({ hash: "h2" }));
    expect(find()).toMatchObject({ failure: undefined, carriedOut: false });
    take(holdRow());
    objects.carryOut(find(), "h2");
    expect(find().carriedOut).toBe(false);
  });

  test("are withdrawn when a complete set of rows lacks them, with the revision that they had", () => {
    const { objects, see, find } = taken();
    see();
    const rows = (): string[] => [...objects.withRows()];
    expect(rows()).toEqual([find().key]);
    objects.withdraw(rows());
    objects.withdraw([find().key, "/ConfigMap/default/unknown"]);
    expect(rows()).toEqual([]);
    expect(find()).toMatchObject({ row: undefined, observed: { uid: "member-1" }, revision: 1 });
  });

  test("are counted by object and by namespace, and the last object of a namespace is reported", () => {
    const { objects, take, withdraw, emptied } = taken();
    const namespace = { apiVersion: "v1", kind: "Namespace", name: "team" };
    const inBank = { ...CONFIG_REF, namespace: "bank" };
    take(deleteRow());
    expect(objects.asked).toBe(1);
    take(row({ ref: inBank }));
    take(deleteRow({ ref: namespace }));
    objects.observe(OTHER, seen());
    expect(objects.asked).toBe(3);
    expect(["default", "bank", "team"].map((name) => objects.isUsed(name))).toEqual([true, true, false]);
    withdraw();
    withdraw();
    withdraw(namespace);
    objects.flush();
    expect([objects.asked, objects.isUsed("default"), emptied]).toEqual([1, true, []]);
    objects.observe(OTHER, undefined);
    objects.flush();
    expect([objects.isUsed("default"), objects.isUsed("bank"), emptied]).toEqual([false, true, ["default"]]);
  });
});

describe("the hashes that a dependency refused for an immutable field", () => {
  const dependency = (hash = "h2") => row({ role: "dependency", hash });
  const refusing = () => {
    const parts = counted();
    parts.see();
    parts.take(dependency());
    parts.objects.fail(parts.find(), IMMUTABLE);
    return parts;
  };

  test("are kept in order for this UID, and each is reported once", () => {
    const { objects, take, see, find, reported } = refusing();
    reported();
    const { refused } = find();
    objects.fail(find(), { ...IMMUTABLE });
    expect([find().refused === refused, reported()]).toEqual([true, 0]);
    take(holdRow());
    take(dependency("h3"));
    objects.fail(find(), IMMUTABLE);
    expect([find().refused, reported()]).toEqual([{ uid: "member-1", hashes: ["h2", "h3"] }, 1]);
    see({ uid: "member-2" });
    objects.fail(find(), undefined);
    objects.fail(find(), IMMUTABLE);
    expect(find().refused).toEqual({ uid: "member-2", hashes: ["h3"] });
  });

  test("are the last sixteen", () => {
    const { objects, take, find } = refusing();
    for (let n = 3; n <= 18; n += 1) {
      take(dependency(`h${n}`));
      objects.fail(find(), IMMUTABLE);
    }
    expect(find().refused?.hashes).toEqual(Array.from({ length: 16 }, (_, index) => `h${index + 3}`));
  });

  test.each([
    ["another reason", dependency(), QUOTA, seen()],
    ["an object that is no dependency", row({ hash: "h2" }), IMMUTABLE, seen()],
    ["a removal", deleteRow({ role: "dependency" }), IMMUTABLE, seen()],
    ["a missing object", dependency(), IMMUTABLE, undefined],
  ])("are not kept for %s", (_, asked, failure, observed) => {
    const { objects, take, see, find } = counted();
    take(asked);
    if (observed !== undefined) see(observed);
    objects.fail(find(), failure);
    expect(find().refused).toBeUndefined();
  });
});

describe("the trouble of a workload's pods", () => {
  const trouble = { reason: "ImagePullBackOff", message: "no such image" };

  test("is reported when it changes, and ignored for an object without unhealthy pods", () => {
    const { objects, see, find, reported } = counted();
    see();
    reported();
    objects.setTrouble(find(), trouble);
    expect([find().trouble, reported()]).toEqual([undefined, 0]);
    see({ podSelector: "app=shop" });
    reported();
    const times = [trouble, { ...trouble }, undefined].map((found) => (objects.setTrouble(find(), found), reported()));
    expect([times, find().trouble]).toEqual([[1, 0, 1], undefined]);
  });

  test.each<[string, Partial<ObservedObject>, object | undefined]>([
    ["stays while UID and hash stay", {}, trouble],
    ["ends when the workload is healthy", { podSelector: undefined }, undefined],
    ["ends with the UID", { uid: "member-2" }, undefined],
    ["ends with the hash", { hash: "h2" }, undefined],
  ])("%s", (_, change, want) => {
    const { objects, see, find } = counted();
    see({ podSelector: "app=shop" });
    objects.setTrouble(find(), trouble);
    see({ podSelector: "app=shop", resourceVersion: "8", ...change });
    expect(find().trouble).toEqual(want);
  });
});

test("a forgotten object takes nothing any more", () => {
  const { objects, withdraw, find, changes, reported } = taken();
  const object = find();
  withdraw();
  reported();
  changes();
  objects.fail(object, IMMUTABLE);
  objects.contest(object, IMMUTABLE);
  objects.found(object, seen());
  objects.removed(object, "member-1");
  objects.read(object, seen());
  expect([object.failure, object.contested, object.observed, object.isAbsent]).toEqual([
    ...[undefined, undefined, undefined],
    false,
  ]);
  expect([reported(), changes(), [...objects.all()]]).toEqual([0, 0, []]);
});

test("after the end nothing is kept, taken or reported", async () => {
  const { objects, take, see, reports, find } = taken();
  see({ visible: false });
  const object = find();
  objects.close();
  await Promise.resolve();
  take(row());
  see();
  objects.vanished(CONFIG_REF, "member-1");
  objects.forgetUnreadable(() => false);
  objects.heal(object, { at: 5, lost: [], gone: true, contested: false });
  objects.flush();
  expect([reports, [...objects.all()], objects.isUsed("default")]).toEqual([[], [], false]);
});
