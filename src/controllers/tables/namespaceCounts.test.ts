import { describe, expect, test } from "vitest";
import { NamespaceCounts } from "./namespaceCounts.ts";

const shop = (cluster: string, namespace?: string) => ({
  cluster,
  ref: { apiVersion: "v1", kind: "Service", name: "shop", ...(namespace === undefined ? {} : { namespace }) },
});

describe("a namespace of a cluster", () => {
  test("is in use from the first object to the last", () => {
    const counts = new NamespaceCounts();
    expect(counts.has("a", "team")).toBe(false);
    counts.add(shop("a", "team"));
    counts.add(shop("a", "team"));
    counts.remove(shop("a", "team"));
    expect(counts.has("a", "team")).toBe(true);
    counts.remove(shop("a", "team"));
    expect(counts.has("a", "team")).toBe(false);
  });

  test("is in use there, and neither on another cluster nor in another namespace", () => {
    const counts = new NamespaceCounts();
    counts.add(shop("a", "team"));
    expect([counts.has("b", "team"), counts.has("a", "other")]).toEqual([false, false]);
  });

  test("is not in use by what has no namespace", () => {
    const counts = new NamespaceCounts();
    counts.add(shop("a"));
    expect(counts.has("a", "")).toBe(false);
  });

  test("is in use by the first object also after one too many went", () => {
    const counts = new NamespaceCounts();
    counts.remove(shop("a", "team"));
    counts.add(shop("a", "team"));
    expect(counts.has("a", "team")).toBe(true);
  });
});
