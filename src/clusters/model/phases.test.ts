import { describe, expect, test } from "vitest";
import type { Row } from "../../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";
import { Phases } from "./phases.ts";
import { changeFeed, CONFIG_REF, deleteRow, holdRow, memberObject, OWNER, row, seen } from "../testing/builders.ts";

function phased() {
  const released: string[] = [];
  const { onChange, change } = changeFeed();
  const phases = new Phases({ onChange }, ({ ref }) => void released.push(ref.name));
  const objects = new Map<string, MemberObject>();
  const object = (name: string): MemberObject => {
    const known = objects.get(name) ?? memberObject({ ref: { ...CONFIG_REF, name } });
    objects.set(name, known);
    return known;
  };
  const note = (name: string, given: Row | undefined, observed?: Parameters<typeof seen>[0]): void => {
    change(Object.assign(object(name), { row: given, observed: observed === undefined ? undefined : seen(observed) }));
  };
  /** For each name, whether the object must wait. */
  const waits = (...names: string[]): boolean[] =>
    names.map((name) => {
      const mustWait = phases.mustWait(object(name));
      if (mustWait) phases.awaitTurn(object(name));
      return mustWait;
    });
  return { phases, released, note, waits };
}

const apply = (phase: number, owner = OWNER): Row => row({ owner, phase });
const held = (phase: number, reason: string): Row => holdRow({ phase, wanted: false, why: { reason, message: "" } });

describe("applies", () => {
  test("wait until all objects of earlier phases were seen applied", () => {
    const { note, waits, released } = phased();
    note("crd", apply(0));
    note("account", apply(1));
    note("workload", apply(2));
    expect(waits("crd", "account", "workload")).toEqual([false, true, true]);
    note("crd", apply(0), { hash: "old" });
    expect(waits("account")).toEqual([true]);
    note("crd", apply(0), {});
    expect(waits("account", "workload")).toEqual([false, true]);
    expect(released).toEqual(["account", "workload", "crd"]);
    note("account", apply(1), {});
    expect(waits("workload")).toEqual([false]);
  });

  test.each<[string, Row | undefined, boolean]>([
    ["an unfinished run", row({ phase: 1, run: "r1" }), true],
    ["not a finished run", row({ phase: 1, run: "r1", done: "Complete" }), false],
    ["not a withdrawn row", undefined, false],
    ["not another owner's object", apply(1, { ...OWNER, name: "other" }), false],
    ["not an object without a phase", row(), false],
  ])("wait for %s", (_, after, want) => {
    const { note, waits, released } = phased();
    note("first", apply(1));
    note("workload", apply(2));
    note("first", after);
    expect([waits("workload"), released.includes("workload")]).toEqual([[want], !want]);
  });

  test("do not wait without a phase", () => {
    const { note, waits } = phased();
    note("crd", apply(0));
    note("plain", row());
    expect(waits("plain")).toEqual([false]);
  });

  test("wait until all rows of a delta are known", () => {
    const { note, waits, released, phases } = phased();
    const pause = phases.pause();
    note("workload", apply(2));
    expect(waits("workload")).toEqual([true]);
    note("crd", apply(0));
    pause[Symbol.dispose]();
    expect([released, ...waits("workload", "crd")]).toEqual([["workload"], true, false]);
  });
});

describe("removals", () => {
  test("wait until all objects of later phases were seen gone, with their finalizers", () => {
    const { note, waits, released } = phased();
    note("crd", deleteRow({ phase: 0 }), {});
    note("workload", deleteRow({ phase: 2 }), {});
    note("custom", deleteRow({ phase: 4 }), {});
    expect(waits("crd", "workload", "custom")).toEqual([true, true, false]);
    note("custom", held(4, "Terminating"), { deleting: true });
    expect(waits("workload")).toEqual([true]);
    note("custom", held(4, "Terminating"));
    expect([...waits("workload", "crd"), released.includes("workload")]).toEqual([false, true, true]);
    note("workload", undefined);
    expect(waits("crd")).toEqual([false]);
  });

  test("do not wait for applies and held objects", () => {
    const { note, waits } = phased();
    note("crd", deleteRow({ phase: 0 }), {});
    note("workload", apply(2));
    note("held", held(4, "FoundOnJoin"), {});
    expect(waits("crd")).toEqual([false]);
  });
});
