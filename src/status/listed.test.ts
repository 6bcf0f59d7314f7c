import { describe, expect, test } from "vitest";
import { namesIn, recordOf } from "../apis/index.ts";
import { aggregate, withClusters } from "./aggregate.ts";
import { after, entry, inputOf, refused, T0, view } from "./testing.ts";

const nameOf = (index: number): string =>
  `cluster-with-a-rather-long-name-in-some-region-${String(index).padStart(4, "0")}`;
const many = (count: number, more: Parameters<typeof view>[1] = {}) =>
  Array.from({ length: count }, (_, index) => view(nameOf(index), { region: `region-${index % 7}`, ...more }));

describe("a status of very many clusters", () => {
  test.each([
    { name: "that are lost", more: { contact: { ...refused, message: "x".repeat(2_000) } } },
    { name: "that are healthy", more: {} },
  ])("$name stays far below what etcd takes, and names all of them", ({ more }) => {
    const input = inputOf(many(5_000, more));
    const status = aggregate(input, T0);
    expect(JSON.stringify(status).length).toBeLessThan(600_000);
    expect(namesIn(status).size).toBe(5_000);
    expect(status.summary?.reduce((sum, { clusters }) => sum + clusters, 0)).toBe(status.unlistedClusters?.length);
    expect(aggregate(after(input, status), T0)).toEqual(status);
  });

  test("says in which state those are that are not listed, where not all of them are Available", () => {
    const status = aggregate(inputOf([...many(400, { contact: refused }), view("zz")]), T0);
    expect(status.clusters).toHaveLength(300);
    expect(status.summary?.find(({ region }) => region === "region-1")?.states).toEqual({ Unknown: 14 });
    expect(status.summary?.find(({ region }) => region === "region-of-zz")).not.toHaveProperty("states");
  });
});

describe("where something of the object may be", () => {
  test("a cluster on which nothing is seen and something may be left keeps its entry", () => {
    const left = { rows: [], mayRemain: true };
    const before = aggregate(inputOf([view("a"), view("b")]), T0);
    const gone = { target: undefined, deleting: true };
    const given = after(inputOf([view("a", left), view("b", { ...left, contact: refused })], gone), before);
    const status = aggregate(given, T0);
    expect(entry(status, "a")).toMatchObject({ state: "Removing", replicas: { desired: 0, ready: 2 } });
    expect(entry(status, "b")).toMatchObject({ state: "Unknown", replicas: { ready: 2 } });
    expect(namesIn(aggregate(inputOf([view("a", { rows: [] })], gone), T0))).toEqual(new Set());
  });

  test("more clusters can be named before there is anything to say of them", () => {
    expect(withClusters(undefined, ["b", "a"])).toEqual({ unlistedClusters: ["a", "b"] });
    const status = aggregate(inputOf([view("b")]), T0);
    expect(withClusters(status, ["b", "a"])).toEqual({ ...status, unlistedClusters: ["a"] });
  });

  test("is said by the finalizer's write until there is a status", () => {
    const text = JSON.stringify({ clusters: ["a"], deletionPolicy: "Orphan" });
    const metadata = { name: "shop", annotations: { "federation.paas.cmft.com/clusters": text } };
    expect([...recordOf({ metadata }).names]).toEqual(["a"]);
    expect([...recordOf({ metadata, status: { unlistedClusters: ["b"] } }).names]).toEqual(["b", "a"]);
    expect([...recordOf({ metadata, status: { observedGeneration: 1 } }).names]).toEqual([]);
    const spoiled = { ...metadata, annotations: { "federation.paas.cmft.com/clusters": "null" } };
    expect([...recordOf({ metadata: spoiled }).names]).toEqual([]);
  });

  test("a summary of an earlier version may mean each cluster of its regions", () => {
    const summary = [{ region: "eu", clusters: 2, replicas: { desired: 2, updated: 2, ready: 2, available: 2 } }];
    const metadata = { name: "shop" };
    expect([...recordOf({ metadata, status: { summary } }).regions]).toEqual(["eu"]);
    expect([...recordOf({ metadata, status: { summary, unlistedClusters: ["a"] } }).regions]).toEqual([]);
  });
});
