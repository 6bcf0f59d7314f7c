import { describe, expect, test } from "vitest";
import type { ObjectRef } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";
import { Phases } from "./phases.ts";
import { deleteRow, holdRow, OWNER, row } from "../testing/builders.ts";

const refOf = (name: string): ObjectRef => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name });

function setUp() {
  const released: string[] = [];
  const phases = new Phases(({ ref }) => void released.push(ref.name));
  const objects = new Map<string, MemberObject>();
  const note = (
    name: string,
    given: Row | undefined,
    observed?: { hash?: string; deleting?: boolean },
  ): MemberObject => {
    const object = objects.get(name) ?? ({ key: name, ref: refOf(name) } as MemberObject);
    objects.set(name, object);
    object.row = given;
    object.observed = observed === undefined ? undefined : ({ deleting: false, hash: "h1", ...observed } as never);
    phases.note(object);
    return object;
  };
  const waits = (name: string): boolean => phases.mustWait(objects.get(name) as MemberObject);
  return { phases, released, note, waits };
}

const apply = (phase?: number, owner = OWNER): Row => row({ owner, ...(phase === undefined ? {} : { phase }) });
const terminating = (phase: number): Row =>
  holdRow({ phase, wanted: false, why: { reason: "Terminating", message: "" } });

describe("what is applied in phases", () => {
  test("waits until everything of earlier phases is there as it should be", () => {
    const { note, waits, released } = setUp();
    note("crd", apply(0));
    note("account", apply(1));
    note("workload", apply(2));
    expect([waits("crd"), waits("account"), waits("workload")]).toEqual([false, true, true]);
    note("crd", apply(0), { hash: "old" });
    expect(waits("account")).toBe(true);
    note("crd", apply(0), {});
    expect([waits("account"), waits("workload"), released]).toEqual([false, true, ["account", "workload", "crd"]]);
    note("account", apply(1), {});
    expect(waits("workload")).toBe(false);
  });

  test("does not wait for what has come to its end", () => {
    const { note, waits } = setUp();
    note("job", row({ phase: 1, run: "r1" }));
    note("workload", apply(2));
    expect(waits("workload")).toBe(true);
    note("job", row({ phase: 1, run: "r1", done: "Complete" }));
    expect(waits("workload")).toBe(false);
  });

  test("waits for no other owner, and what has no phase waits for nobody", () => {
    const { note, waits } = setUp();
    note("crd", apply(0));
    note("others", apply(2, { ...OWNER, name: "other" }));
    note("plain", apply());
    expect([waits("others"), waits("plain")]).toEqual([false, false]);
  });

  test("waits no longer for what is not asked for any more", () => {
    const { note, waits, released } = setUp();
    note("crd", apply(0));
    note("workload", apply(2));
    note("crd", undefined);
    expect([waits("workload"), released]).toEqual([false, ["workload"]]);
  });

  test("waits until all rows of a delta are known", () => {
    const { note, waits, released, phases } = setUp();
    const pause = phases.pause();
    note("workload", apply(2));
    expect(waits("workload")).toBe(true);
    note("crd", apply(0));
    pause[Symbol.dispose]();
    expect([released, waits("workload"), waits("crd")]).toEqual([["workload"], true, false]);
  });
});

describe("what is removed in phases", () => {
  test("goes after everything of later phases was seen gone, finalizers included", () => {
    const { note, waits, released } = setUp();
    const gone = (phase: number): Row => deleteRow({ phase });
    note("crd", gone(0), {});
    note("workload", gone(2), {});
    note("custom", gone(4), {});
    expect([waits("crd"), waits("workload"), waits("custom")]).toEqual([true, true, false]);
    note("custom", terminating(4), { deleting: true });
    expect(waits("workload")).toBe(true);
    note("custom", terminating(4));
    expect([waits("workload"), waits("crd")]).toEqual([false, true]);
    expect(released).toContain("workload");
    note("workload", undefined);
    expect(waits("crd")).toBe(false);
  });

  test("does not wait for what is applied, nor for what is held", () => {
    const { note, waits } = setUp();
    note("crd", deleteRow({ phase: 0 }), {});
    note("workload", apply(2));
    note("held", holdRow({ phase: 4, wanted: false, why: { reason: "FoundOnJoin", message: "" } }), {});
    expect(waits("crd")).toBe(false);
  });
});
