import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { ObjectRef, OwnerRef } from "../../apis/index.ts";
import { refKey } from "../../apis/index.ts";
import { ownerRefOf, reowned } from "./marks.ts";
import { chooseRow, inTheNameOf, inTheNamesOf, isInSync, isSameRef } from "./rows.ts";
import { app, copy } from "../testing/builders.ts";
import type { ApplyRow, DeletionPolicy, Observation, Row } from "../types.ts";

const why = { reason: "NotSelected", message: "no policy selects it" };
const ownerNamed = (name: string): OwnerRef => ownerRefOf(app({}, { name, uid: `uid-of-${name}` }));
const base = (name: string) => ({
  cluster: "shanghai-1",
  ref: { apiVersion: "v1", kind: "Secret", namespace: "default", name: "shared" },
  owner: ownerNamed(name),
  role: "dependency" as const,
});
const apply = (name: string, hash = "h"): ApplyRow => {
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "shared", namespace: "default" } };
  return { ...base(name), verb: "Apply", object, hash, conflictResolution: "Abort" };
};
const retained = (name: string): Row => ({ ...base(name), verb: "Hold", why, wanted: true });
const kept = (name: string): Row => ({ ...base(name), verb: "Hold", why, wanted: false });
const remove = (name: string): Row => ({ ...base(name), verb: "Delete", uid: "u", why });
const release = (name: string): Row => ({ ...base(name), verb: "Release", uid: "u", why });

const unplaced = (name: string): Row => ({
  ...base(name),
  role: "rendered",
  verb: "Hold",
  why,
  wanted: true,
  unplaced: true,
});

const own = <R extends Row>(row: R): R => ({ ...row, role: "rendered" });

describe("chooseRow", () => {
  const [a, b] = [apply("a"), apply("b")];
  const either = { ...a, alternatives: [b] };
  test.each<[string, Row[], Row | undefined]>([
    ["several that want it: the first, with alternatives", [a, b], either],
    ["one that wants it before one that does not", [remove("a"), b], b],
    ["one that retains it before one that does not want it", [remove("a"), retained("b")], retained("b")],
    ["one that wants it before one that retains it", [retained("a"), b], b],
    ["the placed owner before dependents", [a, own(b), apply("c")], own(b)],
    ["the frozen placed owner before dependents", [a, own(retained("b"))], own(retained("b"))],
    ["dependents before the owner's removal", [own(remove("b")), a], a],
    ["dependents before the owner's held removal", [own(kept("b")), a], a],
    [
      "dependents of an unplaced owner, in its name",
      [unplaced("b"), a],
      { ...a, alternatives: inTheNamesOf(a, ownerNamed("b")) },
    ],
    ["the placed owner before its unplaced earlier life", [unplaced("b"), own(a)], own(a)],
    ["an unplaced owner before a removal", [remove("a"), unplaced("b")], unplaced("b")],
  ])("%s", (_name, rows, want) => expect(chooseRow(rows)).toEqual(want));

  test.each([
    { name: "whom the member object names", named: "b", want: b },
    { name: "the first, when it names somebody who does not ask", named: "c", want: either },
    { name: "the first, when it names nobody", named: undefined, want: either },
  ])("of alternatives that counts which is in the name of the one $name", ({ named, want }) => {
    expect(inTheNameOf(either, named === undefined ? {} : { owner: ownerNamed(named) })).toEqual(want);
  });

  test("of an owner whose policy nobody knows the member object says which row is the owner's", () => {
    const asked = (policy: DeletionPolicy): ApplyRow => ({ ...b, ...reowned(b.object, ownerNamed("b"), policy) });
    const [deleting, orphaning] = [asked("Delete"), asked("Orphan")];
    const row = { ...a, alternatives: [deleting, orphaning] };
    expect(inTheNameOf(row, { owner: ownerNamed("b") })).toBe(deleting);
    expect(inTheNameOf(row, { owner: ownerNamed("b"), policy: "Orphan" })).toBe(orphaning);
    expect(inTheNameOf({ ...a, alternatives: [deleting] }, { owner: ownerNamed("b"), policy: "Orphan" })).toBe(
      deleting,
    );
  });

  const arbitraryRow = fc
    .tuple(
      fc.constantFrom(apply, retained, unplaced, kept, remove, release),
      fc.constantFrom("a", "b", "c"),
      fc.boolean(),
    )
    .map(([make, name, isOwn]): Row => (isOwn ? own(make(name)) : make(name)));

  test.prop([fc.array(arbitraryRow, { maxLength: 6 }), fc.constantFrom("a", "b", "z")])(
    "never removes what anybody wants or anything holds, in whatever order the rows come",
    (rows, named) => {
      for (const given of [rows, rows.toReversed()]) {
        const chosen = chooseRow(given);
        expect(chosen === undefined).toBe(rows.length === 0);
        if (rows.some((row) => row.verb === "Apply" || (row.verb === "Hold" && row.wanted)))
          expect(chosen?.verb === "Apply" || (chosen?.verb === "Hold" && chosen.wanted)).toBe(true);
        if (rows.some(({ verb, role }) => verb === "Apply" && role === "rendered")) expect(chosen?.verb).toBe("Apply");
        if (rows.some(({ verb }) => verb === "Hold")) expect(chosen?.verb).not.toMatch(/Delete|Release/);
        if (rows.some((row) => row.verb === "Hold" && row.wanted)) expect(chosen).not.toEqual(kept(named));
        const asked = rows.filter((row) => row.verb === "Apply" && row.role === chosen?.role);
        const mine = asked.find((row) => row.owner.name === named);
        if (chosen?.verb === "Apply" && mine !== undefined)
          expect(inTheNameOf(chosen, { owner: ownerNamed(named) })).toMatchObject(mine);
      }
    },
  );
});

describe("isInSync", () => {
  const there = (present: Partial<NonNullable<Observation["present"]>>, inSyncWith?: string): Observation =>
    copy("shanghai-1", "Secret", present, inSyncWith === undefined ? {} : { inSyncWith });

  test.each<[string, Row | undefined, Observation | undefined, boolean]>([
    ["there, and every field ours", apply("a"), there({ hash: "h" }, "h"), true],
    ["nothing is asked for", undefined, there({ hash: "h" }, "h"), false],
    ["not there", apply("a"), { ...there({}), present: undefined } as never, false],
    ["another hash", apply("a"), there({ hash: "g" }, "h"), false],
    ["compared with another row", apply("a"), there({ hash: "h" }, "g"), false],
    ["being deleted", apply("a"), there({ hash: "h", deleting: true }, "h"), false],
  ])("%s", (_name, row, observation, want) => expect(isInSync(row, observation)).toBe(want));
});

describe("isSameRef", () => {
  const arbitraryRef: fc.Arbitrary<ObjectRef> = fc
    .record({
      apiVersion: fc.constantFrom("v1", "apps/v1", "apps/v1beta1"),
      kind: fc.constantFrom("A", "B"),
      namespace: fc.constantFrom(undefined, "", "x"),
      name: fc.constantFrom("n", "m"),
    })
    .map(({ namespace, ...ref }) => (namespace === undefined ? ref : { ...ref, namespace }));

  test.prop([arbitraryRef, arbitraryRef])("says what equal keys say", (a, b) => {
    expect(isSameRef(a, b)).toBe(refKey(a) === refKey(b));
  });
});
