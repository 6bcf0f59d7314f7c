import { describe, expect, test } from "vitest";
import type { ObjectRef } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { Definitions } from "./definitions.ts";
import type { MemberObject } from "./memberObject.ts";
import type { ObservedObject } from "./observed.ts";
import { deleteRow, objectsWithLog, releaseRow, row, seen } from "../testing/builders.ts";

const definitionOf = (name: string): ObjectRef => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  name,
});
const WIDGETS = definitionOf("widgets.example.com");
const WIDGET: ObjectRef = { apiVersion: "example.com/v1", kind: "Widget", namespace: "shop", name: "a" };

/** Definitions, and what is noted of them as rows and observations change. */
function defining() {
  const definitions = new Definitions();
  const { objects, take, withdraw, find } = objectsWithLog();
  const observe = (observed: ObservedObject | undefined, ref: ObjectRef = WIDGETS): void =>
    objects.observe(ref, observed === undefined ? undefined : { ...observed, ref });
  const ask = (wanted: Row, ref: ObjectRef = WIDGETS): void => take({ ...wanted, ref });
  const hasChanged = (ref: ObjectRef = WIDGETS): boolean => definitions.hasChanged(find(ref));
  const freedBy = (object: Pick<MemberObject, "ref" | "observed">): string[] =>
    Array.from(definitions.freedBy(object as MemberObject), ({ ref }) => ref.name);
  return { definitions, observe, ask, withdraw, hasChanged, freedBy };
}

describe("the kinds that a definition serves may be others", () => {
  test("when it is there, and not while it stays as it is", () => {
    const { observe, ask, hasChanged } = defining();
    ask(row());
    expect(hasChanged()).toBe(false);
    observe(seen());
    expect([hasChanged(), hasChanged()]).toEqual([true, false]);
    observe(seen({ resourceVersion: "99" }));
    expect(hasChanged()).toBe(false);
  });

  test.each<{ name: string; after: ObservedObject }>([
    { name: "another life of it", after: seen({ uid: "member-2" }) },
    { name: "another state of it", after: seen({ hash: "h2" }) },
    { name: "a state of nobody's", after: seen({ hash: undefined }) },
    { name: "another health of it", after: seen({ health: { state: "Degraded" } }) },
  ])("when there is $name", ({ after }) => {
    const { observe, ask, hasChanged } = defining();
    ask(row());
    observe(seen());
    hasChanged();
    observe(after);
    expect([hasChanged(), hasChanged()]).toEqual([true, false]);
  });

  test("when it goes, and when it comes back as it was", () => {
    const { observe, ask, hasChanged } = defining();
    ask(row());
    observe(seen());
    hasChanged();
    observe(undefined);
    expect([hasChanged(), hasChanged()]).toEqual([true, false]);
    observe(seen());
    expect(hasChanged()).toBe(true);
  });

  test("for each definition by itself, and never for another object", () => {
    const { observe, hasChanged } = defining();
    const gadgets = definitionOf("gadgets.example.com");
    const namesake = { ...WIDGETS, apiVersion: "example.com/v1" };
    for (const ref of [WIDGETS, gadgets, namesake, WIDGET]) observe(seen(), ref);
    expect([WIDGETS, gadgets, namesake, WIDGET].map((ref) => hasChanged(ref))).toEqual([true, true, false, false]);
  });
});

describe("a definition that is to go may go", () => {
  const gone = { ref: WIDGET, observed: undefined };

  function leaving(...names: string[]) {
    const parts = defining();
    for (const name of names) {
      parts.observe(seen(), definitionOf(name));
      parts.ask(deleteRow(), definitionOf(name));
      parts.hasChanged(definitionOf(name));
    }
    return parts;
  }

  test("when an object of its group has gone", () => {
    const { freedBy } = leaving("widgets.example.com", "gadgets.example.com", "widgets.myexample.com", "x.other.org");
    expect(freedBy(gone)).toEqual(["widgets.example.com", "gadgets.example.com"]);
    expect(freedBy({ ...gone, ref: { ...WIDGET, apiVersion: "other.org/v1" } })).toEqual(["x.other.org"]);
  });

  test("when an object of exactly its group has gone, and not of a group within that or around it", () => {
    const { freedBy } = leaving("widgets.example.com", "widgets.sub.example.com");
    expect(freedBy(gone)).toEqual(["widgets.example.com"]);
    const within = { ...gone, ref: { ...WIDGET, apiVersion: "sub.example.com/v1" } };
    expect(freedBy(within)).toEqual(["widgets.sub.example.com"]);
  });

  test.each<{ name: string; object: Pick<MemberObject, "ref" | "observed"> }>([
    { name: "while the object is there", object: { ref: WIDGET, observed: seen() } },
    { name: "for an object of another group", object: { ...gone, ref: { ...WIDGET, apiVersion: "ample.com/v1" } } },
    { name: "for an object of every server", object: { ...gone, ref: { ...WIDGET, apiVersion: "apps/v1" } } },
  ])("but not $name", ({ object }) => {
    expect(leaving("widgets.example.com", "strange.apps").freedBy(object)).toEqual([]);
  });

  test("but not while its row asks for it, or lets go of it, or after that was withdrawn", () => {
    const { ask, withdraw, hasChanged, freedBy } = leaving("widgets.example.com");
    expect(freedBy(gone)).toEqual(["widgets.example.com"]);
    ask(row());
    hasChanged();
    expect(freedBy(gone)).toEqual([]);
    ask(deleteRow());
    hasChanged();
    expect(freedBy(gone)).toEqual(["widgets.example.com"]);
    ask(releaseRow());
    hasChanged();
    expect(freedBy(gone)).toEqual([]);
    ask(deleteRow());
    hasChanged();
    withdraw(WIDGETS);
    hasChanged();
    expect(freedBy(gone)).toEqual([]);
  });
});
