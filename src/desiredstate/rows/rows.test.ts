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
  test.each<{ name: string; rows: Row[]; want: Row | undefined }>([
    { name: "none of none", rows: [], want: undefined },
    { name: "the only one", rows: [remove("a")], want: remove("a") },
    { name: "of several that want it the first, with the others as alternatives", rows: [a, b], want: either },
    { name: "who wants it, though another does not", rows: [remove("a"), b], want: b },
    {
      name: "who retains it, though another does not want it",
      rows: [remove("a"), retained("b")],
      want: retained("b"),
    },
    { name: "who wants it before who only retains it", rows: [retained("a"), b], want: b },
    {
      name: "what is placed for itself before who needs it beside him, whoever comes first",
      rows: [a, own(b), apply("c")],
      want: own(b),
    },
    {
      name: "what is placed for itself and stays as it is, before who needs it beside him",
      rows: [a, own(retained("b"))],
      want: own(retained("b")),
    },
    {
      name: "who needs it beside him, where it is not placed for itself any more",
      rows: [own(remove("b")), a],
      want: a,
    },
    {
      name: "who needs it beside him, where what was placed for itself is held back from going",
      rows: [own(kept("b")), a],
      want: a,
    },
    {
      name: "who needs it beside him before what no policy places any more, in whose name its copy stays",
      rows: [unplaced("b"), a],
      want: { ...a, alternatives: inTheNamesOf(a, ownerNamed("b")) },
    },
    {
      name: "what is placed for itself before another life of it that no policy places",
      rows: [unplaced("b"), own(a)],
      want: own(a),
    },
    {
      name: "what no policy places, though another does not want it",
      rows: [remove("a"), unplaced("b")],
      want: unplaced("b"),
    },
    { name: "of removals one that an obstacle holds", rows: [remove("a"), kept("b")], want: kept("b") },
    { name: "releasing before deleting", rows: [remove("a"), release("b")], want: release("b") },
  ])("$name", ({ rows, want }) => expect(chooseRow(rows)).toEqual(want));

  test.each([
    { name: "whom the member object names", named: "b", want: b },
    { name: "the first, when it names somebody who does not ask", named: "c", want: either },
    { name: "the first, when it names nobody", named: undefined, want: either },
  ])("of alternatives that counts which is in the name of the one $name", ({ named, want }) => {
    expect(inTheNameOf(either, named === undefined ? {} : { owner: ownerNamed(named) })).toEqual(want);
  });

  test("a namesake of another life is the same owner", () => {
    expect(inTheNameOf(either, { owner: { ...ownerNamed("b"), uid: "of an earlier life" } })).toBe(b);
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

  test.each<{ name: string; row: Row | undefined; observation: Observation | undefined; want: boolean }>([
    { name: "there, and every field ours", row: apply("a"), observation: there({ hash: "h" }, "h"), want: true },
    { name: "nothing is asked for", row: undefined, observation: there({ hash: "h" }, "h"), want: false },
    { name: "not seen", row: apply("a"), observation: undefined, want: false },
    { name: "not there", row: apply("a"), observation: { ...there({}), present: undefined } as never, want: false },
    { name: "another hash", row: apply("a"), observation: there({ hash: "g" }, "h"), want: false },
    { name: "compared with another row", row: apply("a"), observation: there({ hash: "h" }, "g"), want: false },
    { name: "not compared yet", row: apply("a"), observation: there({ hash: "h" }), want: false },
    { name: "on its way out", row: apply("a"), observation: there({ hash: "h", deleting: true }, "h"), want: false },
    { name: "a frozen row", row: retained("a"), observation: there({ hash: "h" }, "h"), want: false },
    { name: "a removal", row: remove("a"), observation: there({ hash: "h" }, "h"), want: false },
  ])("$name: $want", ({ row, observation, want }) => expect(isInSync(row, observation)).toBe(want));
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
