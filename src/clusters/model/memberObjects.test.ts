import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import type { ObservedObject } from "./observed.ts";
import { CONFIG_REF, counted, deleteRow, holdRow, objectsWithLog, type ObjectsWithLog } from "../testing/builders.ts";
import { row, seen, taken } from "../testing/builders.ts";

const OTHER = { ...CONFIG_REF, name: "other" };
const QUOTA = { reason: "QuotaExceeded", message: "exceeded quota", final: true };
const IMMUTABLE = { reason: "ImmutableField", message: "data: field is immutable", final: true };

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
    const { objects, pending, reports, see, find } = objectsWithLog();
    const inBank = { ...CONFIG_REF, namespace: "bank" };
    see();
    objects.observe(inBank, seen({ ref: inBank }));
    pending.flush();
    objects.forgetUnreadable(({ namespace }) => namespace === "default");
    pending.flush();
    expect([find().observed?.uid, objects.get(refKey(inBank))]).toEqual(["member-1", undefined]);
    expect(reports.at(-1)).toEqual([{ cluster: "shanghai-1", ref: inBank, writing: false, revision: 0 }]);
  });

  test("are no longer certainly absent", () => {
    const { objects, pending, reports, see, take, gone, find } = objectsWithLog();
    see();
    take(deleteRow());
    objects.removed(find(), "member-1");
    gone();
    pending.flush();
    expect(reports.at(-1)?.[0]?.absent).toBe(true);
    objects.forgetUnreadable(() => false);
    pending.flush();
    expect(reports.at(-1)?.[0]).not.toHaveProperty("absent");
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

  test("are counted by object and by namespace, and the last object of a namespace is reported", () => {
    const { objects, pending, take, withdraw, emptied } = taken();
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
    pending.flush();
    expect([objects.asked, objects.isUsed("default"), emptied]).toEqual([1, true, []]);
    objects.observe(OTHER, undefined);
    pending.flush();
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
  const { objects, pending, take, see, reports, find } = taken();
  see({ visible: false });
  const object = find();
  objects.close();
  await Promise.resolve();
  take(row());
  see();
  objects.vanished(CONFIG_REF, "member-1");
  objects.forgetUnreadable(() => false);
  objects.heal(object, { at: 5, lost: [], gone: true, contested: false });
  pending.flush();
  expect([reports, [...objects.all()], objects.isUsed("default")]).toEqual([[], [], false]);
});
