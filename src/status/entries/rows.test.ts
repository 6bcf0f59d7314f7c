import { describe, expect, test } from "vitest";
import { hashOf } from "../../apis/index.ts";
import { combined, failingRow, hashesOf, reportedOn, servingOf } from "./rows.ts";
import { row, rowWithout, unhealthy } from "../testing/builders.ts";
import type { RowView } from "../types.ts";

const dependency = (more: Partial<RowView> = {}) => row({ role: "dependency", ...more });
const toGo = (more: Partial<RowView> = {}) => rowWithout(["desiredHash"], { inSync: false, ...more });

describe("the rows of a cluster", () => {
  test("tell of the first failure, a final one first", () => {
    const failing = (final: boolean) => row({ inSync: false, failure: { reason: "R", message: "", final } });
    const [first, second, last] = [failing(false), failing(false), failing(true)];
    expect([failingRow([row(), first, second]), failingRow([first, last])]).toEqual([first, last]);
  });

  test.each<{ name: string; health: RowView["health"]; want: string | undefined }>([
    { name: "as the worse of two", health: { ...unhealthy("Degraded", 1), serves: "Before" }, want: "Before" },
    { name: "as it serves now", health: { ...unhealthy("Degraded", 1), serves: "Now" }, want: "Now" },
    { name: "not at all", health: unhealthy("Degraded", 1), want: undefined },
  ])("serve $name: $want", ({ health, want }) => {
    const other = row(health === undefined ? {} : { health });
    expect([
      servingOf([row(), other]),
      servingOf([other, row(), dependency({ health: unhealthy("Failed", 0) })]),
    ]).toEqual([want, want]);
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
