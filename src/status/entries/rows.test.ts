import { describe, expect, test } from "vitest";
import { defined, hashOf } from "../../apis/index.ts";
import { namingObjects } from "../conditions/named.ts";
import {
  combined,
  failingRow,
  hashesOf,
  isSettled,
  keptData,
  reportedOn,
  servingOf,
  sumOfHealth,
  worstRow,
} from "./rows.ts";
import { healthy, row, rowWithout, unhealthy, view } from "../testing/builders.ts";
import type { RowView } from "../types.ts";

const dependency = (more: Partial<RowView> = {}) => row({ role: "dependency", ...more });
const toGo = (more: Partial<RowView> = {}) => rowWithout(["desiredHash"], { inSync: false, ...more });
const gone = rowWithout(["desiredHash", "observedHash"], { inSync: false });
const kept = { reason: "HoldsData", message: "it stays" };

describe("the rows of a cluster", () => {
  test.each<{ name: string; rows: RowView[]; want: boolean }>([
    { name: "of which one is as wanted", rows: [row()], want: true },
    { name: "of which none is wanted", rows: [gone], want: false },
    { name: "that are none", rows: [], want: false },
    { name: "of which one is not as wanted", rows: [row(), row({ inSync: false })], want: false },
    { name: "with one that is to go", rows: [row(), toGo()], want: false },
    { name: "with one that has gone", rows: [row(), gone], want: true },
    { name: "with one that stays with its data", rows: [row(), toGo({ stays: kept })], want: true },
    {
      name: "with one that stays for another reason",
      rows: [row(), toGo({ stays: { reason: "R", message: "" } })],
      want: false,
    },
  ])("$name are settled: $want", ({ rows, want }) => expect(isSettled(rows)).toBe(want));

  test("tell why data stays", () => {
    expect(keptData([row(), toGo({ stays: { reason: "R", message: "" } }), toGo({ stays: kept })])).toBe(kept);
    expect(keptData([row()])).toBeUndefined();
  });

  test("tell of the first failure, a final one first, and of none of what is in sync", () => {
    const failing = (final: boolean, more: Partial<RowView> = {}) =>
      row({ inSync: false, failure: { reason: "R", message: "", final }, ...more });
    const [first, second, last] = [failing(false), failing(false), failing(true)];
    expect(failingRow([row(), first, second])).toBe(first);
    expect(failingRow([first, last])).toBe(last);
    expect(failingRow([failing(true, { inSync: true })])).toBeUndefined();
    const leftOver = toGo({ inSync: true, failure: { reason: "R", message: "", final: false } });
    expect(failingRow([leftOver])).toBe(leftOver);
  });

  test("tell of the worst health of what is rendered, the first of several", () => {
    const of = (state: "Available" | "Progressing" | "Unknown" | "Degraded" | "Failed") => row({ health: { state } });
    const order = [of("Available"), of("Progressing"), of("Unknown"), of("Degraded"), of("Failed")];
    for (const [index, worse] of order.entries())
      for (const better of order.slice(0, index)) {
        expect(worstRow([better, worse])).toBe(worse);
        expect(worstRow([worse, better])).toBe(worse);
      }
    const [one, other] = [of("Degraded"), of("Degraded")];
    expect(worstRow([one, other])).toBe(one);
    expect(worstRow([of("Failed"), rowWithout(["health"])])).toBeUndefined();
    const fine = of("Available");
    const broken = { health: { state: "Failed" as const } };
    expect(worstRow([fine, dependency(broken), toGo(broken)])).toBe(fine);
    expect(worstRow([dependency(broken)])).toBeUndefined();
  });

  test.each<{ name: string; rows: RowView[]; want: string | undefined }>([
    { name: "available", rows: [row(), row()], want: "Now" },
    {
      name: "as it serves",
      rows: [row({ health: { ...unhealthy("Degraded", 1), serves: "Before" } }), row()],
      want: "Before",
    },
    {
      name: "as the worse of two",
      rows: [row(), row({ health: { ...unhealthy("Degraded", 1), serves: "Before" } })],
      want: "Before",
    },
    { name: "as it serves now", rows: [row({ health: { ...unhealthy("Degraded", 1), serves: "Now" } })], want: "Now" },
    { name: "not at all", rows: [row(), row({ health: unhealthy("Degraded", 1) })], want: undefined },
    { name: "unknown", rows: [row(), rowWithout(["health"])], want: undefined },
    { name: "not by what goes along", rows: [row(), dependency({ health: unhealthy("Failed", 0) })], want: "Now" },
    { name: "nothing", rows: [], want: undefined },
  ])("serve $name: $want", ({ rows, want }) => expect(servingOf(rows)).toBe(want));

  test("sum up the replicas of what is rendered, also of what is to go", () => {
    const rows = [
      row({ health: { state: "Degraded", replicas: { desired: 1, updated: 2, ready: 3, available: 4 } } }),
      toGo({ health: { state: "Degraded", replicas: { desired: 10, updated: 20, ready: 30, available: 40 } } }),
      dependency({ health: healthy(7) }),
      row({ health: { state: "Available" } }),
      rowWithout(["health"]),
    ];
    expect(sumOfHealth(rows)).toEqual({ desired: 11, updated: 22, ready: 33, available: 44 });
  });

  test("have every address, eight at most, and the conditions of the worst", () => {
    const addresses = Array.from({ length: 5 }, (_, index) => ({ type: "NodePort" as const, port: 30000 + index }));
    const conditions = [{ type: "T", status: "True" as const }];
    const rows = [row({ addresses }), row({ addresses, conditions, health: unhealthy("Degraded", 1) })];
    expect(reportedOn(rows)).toStrictEqual({ conditions, addresses: [...addresses, ...addresses.slice(0, 3)] });
    expect(reportedOn([row(), toGo({ addresses }), dependency({ addresses })])).toStrictEqual({});
    expect(reportedOn([row({ addresses: [], conditions: [] })])).toStrictEqual({});
  });

  test("have one hash for what is wanted and one for what is there", () => {
    const x = row({ desiredHash: "x", observedHash: "x" });
    const y = row({ desiredHash: "y", observedHash: "old" });
    const all = hashOf(["x", "y"]);
    expect(hashesOf([x, y])).toStrictEqual({ desiredHash: all, observedHash: hashOf(["old", "x"]) });
    expect(hashesOf([{ ...y, observedHash: "y" }, x, dependency(), toGo()])).toStrictEqual({
      desiredHash: all,
      observedHash: all,
    });
    expect(hashesOf([])).toStrictEqual({});
    expect(hashesOf([rowWithout(["observedHash"])])).toStrictEqual({ desiredHash: hashOf(["h1"]) });
    expect(hashesOf([x, rowWithout(["observedHash"])]).observedHash).toBe(hashOf(["", "x"]));
    expect(combined([y, dependency()], "observedHash")).toBe(hashOf(["old"]));
    expect(combined([row({ observedHash: "" })], "observedHash")).toBeUndefined();
  });
});

test("a field without a value is none", () => {
  expect(defined({ a: undefined })).toStrictEqual({});
  expect(defined({ a: 0 })).toStrictEqual({ a: 0 });
});

describe("rows in which every sentence names its object", () => {
  const ref = { apiVersion: "v1", kind: "Widget", namespace: "default", name: "first" };
  const named = (more: Partial<RowView>, home: string | undefined = "default") => {
    const [found] = namingObjects(view("a", { rows: [{ ...row({ ref }), ...more }] }), home).rows;
    return found;
  };

  test("are the same in all else", () => {
    const plain = row({ ref });
    expect(namingObjects(view("a", { rows: [plain] }), "default")).toStrictEqual(view("a", { rows: [plain] }));
    const failure = { reason: "R", message: "no", final: true, fields: [".spec"] };
    const rest = {
      health: { state: "Failed" as const, reason: "H", message: "ill" },
      stays: { reason: "S", message: "stays" },
    };
    expect(named({ ...rest, failure })).toStrictEqual({
      ...plain,
      health: { state: "Failed", reason: "H", message: "Widget first: ill" },
      stays: { reason: "S", message: { what: "Widget first", why: "stays" } },
      failure: { ...failure, message: { what: "Widget first", why: "no" } },
    });
  });

  test.each([
    {
      name: "by kind and quoted name",
      message: 'widgets.example.com "first" is bad',
      want: 'widgets.example.com "first" is bad',
    },
    { name: "by kind and name", message: "the Widget first is bad", want: "the Widget first is bad" },
    { name: "by the name alone", message: '"first" is bad', want: 'Widget first: "first" is bad' },
    { name: "by the kind alone", message: "a widget is bad", want: "Widget first: a widget is bad" },
  ])("say it once where the words have the object $name", ({ message, want }) =>
    expect(named({ health: { state: "Failed", message } })?.health?.message).toBe(want),
  );

  test("name the namespace where it does not go without saying", () => {
    const health = { state: "Failed" as const, message: "m" };
    expect(named({ health }, "elsewhere")?.health?.message).toBe("Widget default/first: m");
    const { namespace: _namespace, ...wide } = ref;
    expect(named({ ref: wide, health })?.health?.message).toBe("Widget first: m");
  });

  test("name the object in a condition without words too", () => {
    const conditions = [{ type: "T", status: "True" as const }];
    expect(named({ conditions })?.conditions).toEqual([{ ...conditions[0], message: "Widget first" }]);
  });
});
