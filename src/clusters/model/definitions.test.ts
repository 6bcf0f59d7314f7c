import { describe, expect, test } from "vitest";
import type { ObjectRef } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { Definitions } from "./definitions.ts";
import type { MemberObject } from "./memberObject.ts";
import type { ObservedObject } from "./observed.ts";
import { changeFeed, deleteRow, memberObject, releaseRow, row, seen } from "../testing/builders.ts";

const definition = (name: string): ObjectRef => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  name,
});
const WIDGETS = definition("widgets.example.com");
const WIDGET: ObjectRef = { apiVersion: "example.com/v1", kind: "Widget", namespace: "shop", name: "a" };

/** `changed`, `freed`: names that this change of an object has brought about. */
function defining() {
  const feed = changeFeed();
  const definitions = new Definitions(feed);
  const changed: string[] = [];
  const freed: string[] = [];
  definitions.onChange(({ ref }) => void changed.push(ref.name));
  definitions.onFreed(({ ref }) => void freed.push(ref.name));
  const change = (object: MemberObject) => {
    feed.change(object);
    return { changed: changed.splice(0), freed: freed.splice(0) };
  };
  return { change, hasChanged: (object: MemberObject) => change(object).changed.length > 0 };
}

describe("a definition has changed", () => {
  /** Whether each of these states of one definition, each given twice, is a change. */
  const changes = (...states: (Partial<ObservedObject> | undefined)[]): boolean[] => {
    const { hasChanged } = defining();
    return states.flatMap((state) => {
      const object = memberObject({ ref: WIDGETS, observed: state === undefined ? undefined : seen(state) });
      return [hasChanged(object), hasChanged(object)];
    });
  };

  test.each<[string, Partial<ObservedObject> | undefined, boolean]>([
    ["not with its resourceVersion", { resourceVersion: "99" }, false],
    ["with its UID", { uid: "member-2" }, true],
    ["with its hash", { hash: "h2" }, true],
    ["without a hash", { hash: undefined }, true],
    ["with its health", { health: { state: "Degraded" } }, true],
    ["when it is gone", undefined, true],
  ])("%s", (_, after, want) => expect(changes(undefined, {}, after)).toEqual([false, false, true, false, want, false]));

  test("when it is back as it was", () => expect(changes({}, undefined, {}).at(-2)).toBe(true));

  test("by itself, and no other kind counts", () => {
    const { hasChanged } = defining();
    const refs = [WIDGETS, definition("gadgets.example.com"), { ...WIDGETS, apiVersion: "example.com/v1" }, WIDGET];
    const changed = refs.map((ref) => hasChanged(memberObject({ ref, observed: seen() })));
    expect(changed).toEqual([true, true, false, false]);
  });
});

describe("the deletion of a definition may proceed", () => {
  const gone = memberObject({ ref: WIDGET });

  function leaving(...names: string[]) {
    const { change } = defining();
    const objects = names.map((name) => memberObject({ ref: definition(name), observed: seen() }));
    const ask = (given: Row | undefined): void => {
      for (const object of objects) {
        object.row = given;
        change(object);
      }
    };
    ask(deleteRow());
    const freedBy = (object = gone): string[] => change(object).freed;
    return { ask, freedBy };
  }

  test.each([
    ["example.com/v1", ["widgets.example.com", "gadgets.example.com"]],
    ["sub.example.com/v1", ["widgets.sub.example.com"]],
    ["other.org/v1", ["x.other.org"]],
    ["ample.com/v1", []],
    ["apps/v1", []],
  ])("when an object of exactly its group is gone: %s", (apiVersion, want) => {
    const all = ["widgets.example.com", "gadgets.example.com", "widgets.myexample.com", "widgets.sub.example.com"];
    const { freedBy } = leaving(...all, "x.other.org", "strange.apps");
    expect(freedBy(memberObject({ ref: { ...WIDGET, apiVersion } }))).toEqual(want);
  });

  test("not while the object exists", () => {
    expect(leaving("widgets.example.com").freedBy(memberObject({ ref: WIDGET, observed: seen() }))).toEqual([]);
  });

  test("only with a Delete row", () => {
    const { ask, freedBy } = leaving("widgets.example.com");
    const freed = [row(), deleteRow(), releaseRow(), deleteRow(), undefined].map((given) => (ask(given), freedBy()));
    expect(freed.map(({ length }) => length)).toEqual([0, 1, 0, 1, 0]);
  });
});
