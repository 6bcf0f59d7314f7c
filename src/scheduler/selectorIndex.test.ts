import { describe, expect, test } from "vitest";
import type { ClusterSelector } from "../apis/index.ts";
import { SelectorIndex } from "./selectorIndex.ts";
import { cluster } from "./testing.ts";
import type { ClusterSnapshot } from "./types.ts";

const labelled = (key: string, ...values: string[]): ClusterSelector => ({
  labelSelector: { matchExpressions: [{ key, operator: "In", values }] },
});
const inRegion = (...values: string[]): ClusterSelector => ({
  fieldSelector: { matchExpressions: [{ key: "region", operator: "In", values }] },
});
const indexOf = (...selectors: (ClusterSelector | undefined)[]): SelectorIndex<number> =>
  new SelectorIndex(selectors.map((selector, i) => [selector, i] as const));

/** A cluster that counts how often its name and its labels are read. */
function counting(name: string, labels: Record<string, string> = {}) {
  const reads = { name: 0, labels: 0 };
  const { name: _name, labels: _labels, ...rest } = cluster(name);
  const one: ClusterSnapshot = {
    ...rest,
    get name() {
      reads.name += 1;
      return name;
    },
    get labels() {
      reads.labels += 1;
      return labels;
    },
  };
  /** What the index finds, and how much was read for it. */
  const ask = (index: SelectorIndex<number>) => {
    Object.assign(reads, { name: 0, labels: 0 });
    return [index.matches(one, undefined), reads.name + reads.labels] as const;
  };
  return ask;
}

describe("an index of selectors", () => {
  test("tells apart clusters that many numbered values stand for", () => {
    const values = Array.from({ length: 12 }, (_, i) => `v${i}`);
    const index = indexOf(
      ...values.map((value) => labelled("one", value)),
      ...values.map((value) => labelled("two", value)),
    );
    for (const [i, one] of values.entries())
      for (const [j, two] of values.entries())
        expect(index.matches(cluster("a", { labels: { one, two } }), undefined)).toEqual([i, 12 + j]);
  });

  test("reads no more of a cluster than the facts that decide, once they have decided", () => {
    const tiers = [labelled("tier", "web"), labelled("tier", "web", "db")];
    const index = indexOf(...tiers, labelled("env", "p"), undefined, {});
    const ask = counting("a", { tier: "web", env: "p" });
    const [first, before] = ask(index);
    const [second, after] = ask(index);
    expect(first).toEqual([0, 1, 2, 3, 4]);
    expect(second).toBe(first);
    expect(before).toBeGreaterThan(2);
    expect(after).toBe(2);
    // Another cluster of the same values is known with the first one.
    expect(counting("b", { tier: "web", env: "p" })(index)).toEqual([first, 2]);
  });

  test("never asks what names another value", () => {
    const index = indexOf(...["x", "y", "z"].map((value) => ({ ...labelled("tier", value), exclude: ["b"] })));
    const [found, reads] = counting("a", { tier: "x" })(index);
    expect(found).toEqual([0]);
    const [, few] = counting("a", { tier: "x" })(indexOf({ ...labelled("tier", "x"), exclude: ["b"] }));
    expect(reads).toBe(few);
  });

  test("holds each value as it is given, in one list for the same values", () => {
    const [one, other] = [{ name: "one" }, { name: "other" }];
    const index = new SelectorIndex<object>([
      [undefined, one],
      [inRegion("x", "y"), other],
    ]);
    const at = (region: string) => index.matches(cluster("a", { region }), undefined);
    expect(at("x")).toEqual([one, other]);
    expect(at("x")).toBe(at("y"));
    expect(at("z")).toEqual([one]);
    expect(at("z")[0]).toBe(one);
  });
});
