import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { compareText } from "../../query/types.ts";
import { GridLines, type GridRow, moved, spanOf } from "./grid.ts";

function row(name: string, cluster: string, state = "Available"): GridRow {
  const region = cluster.split("-")[0] ?? "";
  return {
    kind: "DemoApplication",
    group: "paas.cmft.com",
    namespace: "shop",
    name,
    cluster,
    region,
    state,
    ready: 1,
    desired: 1,
    stale: false,
  };
}

function content(grid: GridLines): object {
  return grid
    .lines()
    .map(({ object, cells }) => [
      object.name,
      [...cells].map(([cluster, { state }]) => `${cluster} ${state}`).toSorted(compareText),
    ]);
}

describe("GridLines", () => {
  const copies = fc.record({
    name: fc.constantFrom("a", "b", "c"),
    cluster: fc.constantFrom("eu-1", "eu-2", "us-1"),
    state: fc.constantFrom("Available", "Failed", undefined),
  });
  property.prop([fc.array(copies, { maxLength: 30 }), fc.nat(30)])(
    "follows changes to what is there now",
    (changes, lookAt) => {
      const grid = new GridLines();
      const rows = new Map<string, GridRow>();
      for (const [at, { name, cluster, state }] of changes.entries()) {
        const key = `${name} ${cluster}`;
        const after = state === undefined ? undefined : row(name, cluster, state);
        grid.change(rows.get(key), after);
        if (after === undefined) rows.delete(key);
        else rows.set(key, after);
        // Whether or not somebody looked in between makes no difference.
        if (at === lookAt) grid.lines();
      }
      const fresh = new GridLines();
      for (const one of rows.values()) fresh.change(undefined, one);
      expect(content(grid)).toEqual(content(fresh));
      expect(grid.columns([])).toEqual(fresh.columns([]));
    },
  );

  test("a change of one copy touches its line alone", () => {
    const grid = new GridLines();
    for (const name of ["a", "b"]) grid.change(undefined, row(name, "eu-1"));
    const lines = grid.lines();
    const before = lines.map(({ version }) => version);
    grid.change(row("b", "eu-1"), row("b", "eu-1", "Failed"));
    expect(grid.lines()).toBe(lines);
    expect(lines.map(({ version }, at) => version === before[at])).toEqual([true, false]);
  });

  test("columns are those of the copies and of the fleet, by region", () => {
    const grid = new GridLines();
    grid.change(undefined, row("a", "us-1"));
    const columns = grid.columns([{ name: "eu-1", region: "eu", isTroubled: true }]);
    expect(columns).toEqual([
      { cluster: "eu-1", region: "eu", isTroubled: true },
      { cluster: "us-1", region: "us", isTroubled: false },
    ]);
  });
});

const size = fc.integer({ min: 1, max: 40 });
property.prop([fc.nat(100_000), fc.nat(2_000), size, fc.nat(5_000), fc.integer({ min: 1, max: 20 })])(
  "what is drawn covers what is seen, and little more",
  (scrolled, seen, cell, count, step) => {
    const { from, to } = spanOf(scrolled, seen, cell, count, step);
    const [first, last] = [Math.floor(scrolled / cell), Math.ceil((scrolled + seen) / cell)];
    expect(from).toBeLessThanOrEqual(Math.min(first, count));
    expect(to).toBeGreaterThanOrEqual(Math.min(last, count));
    expect(to).toBeLessThanOrEqual(count);
    expect(to - from).toBeLessThanOrEqual(last - first + 4 * step);
  },
);

describe("the keyboard", () => {
  const bounds = { lines: 20, columns: 30 };
  test.each([
    ["ArrowDown", false, { line: 6, column: 5 }],
    ["ArrowUp", false, { line: 4, column: 5 }],
    ["ArrowRight", false, { line: 5, column: 6 }],
    ["ArrowLeft", false, { line: 5, column: 4 }],
    ["PageDown", false, { line: 15, column: 5 }],
    ["PageUp", false, { line: 0, column: 5 }],
    ["Home", false, { line: 5, column: 0 }],
    ["End", false, { line: 5, column: 29 }],
    ["Home", true, { line: 0, column: 0 }],
    ["End", true, { line: 19, column: 29 }],
    ["Tab", false, undefined],
  ])("%s with control %s", (key, isControl, want) =>
    expect(moved({ line: 5, column: 5 }, key, isControl, bounds)).toEqual(want),
  );
});
