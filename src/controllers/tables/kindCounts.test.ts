import { describe, expect, test } from "vitest";
import type { GroupKind } from "../../interpreter/index.ts";
import { KindCounts } from "./kindCounts.ts";

const kind = (name: string): GroupKind => ({ group: "", kind: name });
const placed = (name: string, cluster = "a") => ({ cluster, ref: { apiVersion: "v1", kind: name, name: "shop" } });

describe("the kinds that are asked for on a cluster, beside those that are watched everywhere", () => {
  test("come with their first object and go with their last, in alphabetical order", () => {
    const counts = new KindCounts();
    const [watched, recorded] = [[kind("Service")], [kind("Secret")]];
    const beside = () => counts.beside(watched, "a", recorded).map((one) => one.kind);
    expect(beside()).toEqual(["Secret"]);
    expect(counts.add(placed("Service"))).toBe(true);
    expect(counts.add(placed("ConfigMap"))).toBe(true);
    expect(beside()).toEqual(["ConfigMap", "Secret"]);
    expect(counts.add(placed("ConfigMap"))).toBe(false);
    expect(counts.remove(placed("ConfigMap"))).toBe(false);
    expect(beside()).toEqual(["ConfigMap", "Secret"]);
    expect(counts.remove(placed("ConfigMap"))).toBe(true);
    expect(beside()).toEqual(["Secret"]);
    expect(counts.remove(placed("ConfigMap"))).toBe(false);
  });

  test("are those of that cluster, for those that are watched and recorded now", () => {
    const counts = new KindCounts();
    const none: GroupKind[] = [];
    counts.add(placed("ConfigMap"));
    expect(counts.beside(none, "b", none)).toEqual([]);
    expect(counts.beside(none, "a", none)).toEqual([kind("ConfigMap")]);
    expect(counts.beside([kind("ConfigMap")], "a", none)).toEqual([]);
    expect(counts.beside(none, "a", [kind("Secret")])).toEqual([kind("ConfigMap"), kind("Secret")]);
  });
});
