import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Condition, KubeObject } from "../../apis/index.ts";
import { isSummedUp, statusOwner, statusSum } from "./statusSum.ts";
import type { MemberStatus } from "../types.ts";
import { conditionSums } from "./conditionSums.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const mysql = (status?: object): KubeObject => ({
  apiVersion: "mysql.presslabs.org/v1alpha1",
  kind: "MysqlCluster",
  metadata: { name: "my-db", namespace: "default", generation: 7 },
  ...(status === undefined ? {} : { status }),
});
const member = (cluster: string, status: object | undefined, isCurrent = true): MemberStatus => ({
  cluster,
  status: status as MemberStatus["status"],
  isCurrent,
});
const sum = (members: MemberStatus[], before?: object) => statusSum(mysql(before), members, NOW);
const conditionsOf = (members: MemberStatus[], before?: object): Partial<Condition>[] =>
  (sum(members, before)?.["conditions"] ?? []) as Partial<Condition>[];

describe("the sum of statuses", () => {
  test("adds up counts, also where a controller leaves out a 0", () => {
    expect(sum([member("a", { readyNodes: 2, replicas: 3 }), member("b", { readyNodes: 1 })])).toEqual({
      readyNodes: 3,
      replicas: 3,
    });
  });

  test("adds up counts that no number holds, and takes over such integers", () => {
    const most = 2n ** 62n;
    expect(
      sum([member("a", { usedCount: most, id: most + 1n }), member("b", { usedCount: 1, id: most + 1n })]),
    ).toEqual({ usedCount: most + 1n, id: most + 1n });
    expect(sum([member("a", { id: most + 1n }), member("b", { id: most })])).toEqual({});
  });

  test("takes over what all say alike, and invents nothing for the rest", () => {
    const one = { phase: "Running", version: "8.0", port: 3306, primary: "db-0", nodes: [{ name: "db-0" }] };
    expect(sum([member("a", one), member("b", { ...one, primary: "db-1", port: 3307 })])).toEqual({
      phase: "Running",
      version: "8.0",
      nodes: [{ name: "db-0" }],
    });
    expect(sum([member("a", one), member("b", {})])).toEqual({});
  });

  test("is nothing while nobody has said anything, and of one copy what that one says", () => {
    expect(sum([])).toBeUndefined();
    expect(sum([member("a", undefined)])).toBeUndefined();
    expect(sum([member("a", { phase: "Running", port: 3306 })])).toEqual({ phase: "Running", port: 3306 });
  });

  test("takes over nothing from some where others have not said anything yet, but counts what there is", () => {
    expect(sum([member("a", { phase: "Running", readyNodes: 2 }), member("b", undefined, false)])).toEqual({
      readyNodes: 2,
    });
  });

  test("does not count what is no count", () => {
    const odd = { readyNodes: "2", failed: -1, active: 1.5, ready: true, collisionCount: 1 };
    expect(sum([member("a", odd), member("b", odd)])).toEqual(odd);
    expect(sum([member("a", { ...odd, collisionCount: 2 }), member("b", odd)])).not.toHaveProperty("collisionCount");
  });

  test("joins the points of load balancers, each once and in one order", () => {
    const at = (...ips: string[]) => ({ loadBalancer: { ingress: ips.map((ip) => ({ ip })) } });
    expect(sum([member("b", at("2.2.2.2", "1.1.1.1")), member("a", at("1.1.1.1")), member("c", {})])).toEqual({
      loadBalancer: { ingress: [{ ip: "1.1.1.1" }, { ip: "2.2.2.2" }] },
    });
  });

  describe("observedGeneration", () => {
    test.each([
      ["is the hub's own once every copy is current", [true, true], 6, 7],
      ["stays while one copy is not", [true, false], 6, 6],
      ["does not begin before that", [true, false], undefined, undefined],
    ])("%s", (_name, current, before, want) => {
      const members = current.map((isCurrent, index) => member(`c${index}`, { observedGeneration: 31 }, isCurrent));
      const found = sum(members, before === undefined ? {} : { observedGeneration: before });
      expect(found?.["observedGeneration"]).toBe(want);
    });
  });

  describe("conditions", () => {
    test("are of a generation only where the copies' are, and of the hub's once all are current", () => {
      const dated = { conditions: [{ type: "Ready", status: "True", observedGeneration: 3 }] };
      const generation = (isCurrent: boolean) => conditionsOf([member("a", dated, isCurrent)])[0];
      expect(generation(true)?.observedGeneration).toBe(7);
      expect(generation(false)).not.toHaveProperty("observedGeneration");
    });
  });

  const anyStatus = fc.record(
    {
      readyNodes: fc.nat(9),
      phase: fc.constantFrom("Running", "Pending"),
      observedGeneration: fc.nat(9),
      conditions: fc.uniqueArray(
        fc.record({
          type: fc.constantFrom("Ready", "Stalled", "Odd"),
          status: fc.constantFrom("True", "False", "Unknown"),
          reason: fc.constantFrom("A", "B"),
          message: fc.string(),
        }),
        { selector: ({ type }) => type },
      ),
    },
    { requiredKeys: [] },
  );
  const anyMembers = fc.array(fc.tuple(fc.option(anyStatus, { nil: undefined }), fc.boolean()), { maxLength: 6 });

  test.prop([anyMembers, fc.nat()])("is the same in whatever order the clusters come", (given, turn) => {
    const members = given.map(([status, isCurrent], index) => member(`c${index}`, status, isCurrent));
    const at = members.length === 0 ? 0 : turn % members.length;
    const turned = [...members.slice(at), ...members.slice(0, at)].toReversed();
    expect(sum(turned)).toEqual(sum(members));
  });

  test.prop([anyMembers])("says once written what it says again", (given) => {
    const members = given.map(([status, isCurrent], index) => member(`c${index}`, status, isCurrent));
    const first = sum(members);
    if (first !== undefined) expect(statusSum(mysql(first), members, NOW + 60_000)).toEqual(first);
  });

  test.prop([anyMembers])("never says Ready of all unless every copy does", (given) => {
    const members = given.map(([status, isCurrent], index) => member(`c${index}`, status, isCurrent));
    const ready = (status: unknown): boolean =>
      ((status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
        (one) => one.type === "Ready" && one.status === "True",
      );
    if (ready(sum(members))) expect(members.every(({ status }) => ready(status))).toBe(true);
  });
});

const widget = (metadata: object = {}, status?: object): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "w", ...metadata },
  ...(status === undefined ? {} : { status }),
});
const members = (...statuses: (object | undefined)[]): MemberStatus[] =>
  statuses.map((status, at) => ({
    cluster: `c${at}`,
    status: status as MemberStatus["status"],
    isCurrent: true,
  }));
const sumOf = (...statuses: (object | undefined)[]) => statusSum(widget(), members(...statuses), NOW);

describe("a field counts something", () => {
  test.each([
    "readyReplicas",
    "numNodes",
    "pods",
    "instances",
    "members",
    "workers",
    "brokers",
    "shards",
    "backupCount",
    "desiredNumberScheduled",
    "numberReady",
    "numberAvailable",
    "numberUnavailable",
    "active",
    "succeeded",
    "failed",
    "REPLICAS",
  ])("by its name, as %s", (name) => expect(sumOf({ [name]: 1 }, { [name]: 2 })).toEqual({ [name]: 3 }));

  test.each(["port", "replicasWanted", "collisionCount", "nodeName"])("and not by another, as %s", (name) => {
    expect(sumOf({ [name]: 1 }, { [name]: 2 })).toEqual({});
    expect(sumOf({ [name]: 2 }, { [name]: 2 })).toEqual({ [name]: 2 });
  });

  test("and is summed where some have none of it, or none at all", () => {
    expect(sumOf({ replicas: 0 }, { replicas: 0 }, {})).toEqual({ replicas: 0 });
    expect(sumOf({ replicas: 2 }, { replicas: "2" })).toEqual({});
  });
});

describe("the sum of statuses", () => {
  test("holds no empty list of conditions, and no load balancer without points", () => {
    expect(sumOf({ conditions: [], loadBalancer: { ingress: [] } })).toEqual({});
  });
});

describe("the conditions of all copies", () => {
  const context = { previous: [] as Condition[], generation: 7 as number | undefined, now: NOW };
  const one = (type: string, status: string, more: object = {}) => ({ conditions: [{ type, status, ...more }] });
  const lastTransitionTime = "2026-11-22T10:00:00Z";

  test("are at most 16, by name, and none without a name", () => {
    const types = Array.from({ length: 17 }, (_, at) => `T${10 + at}`);
    const conditions = [{ status: "True" }, ...types.toReversed().map((type) => ({ type, status: "True" }))];
    expect(conditionSums(members({ conditions }), context).map(({ type }) => type)).toEqual(types.slice(0, 16));
  });

  test("of a cluster that says nothing are unknown there, without a word of its own", () => {
    expect(conditionSums(members(undefined, one("Ready", "True", { message: "fine" })), context)).toEqual([
      {
        type: "Ready",
        status: "Unknown",
        reason: "ReportedByClusters",
        message: "Unknown on 1 of 2 clusters",
        lastTransitionTime,
      },
    ]);
  });
});

describe("who owns the status of a hub object", () => {
  const entry = (manager: string | undefined, more: object = {}) => ({
    ...(manager === undefined ? {} : { manager }),
    operation: "Update",
    subresource: "status",
    fieldsV1: { "f:status": { "f:a": {} } },
    ...more,
  });
  const owner = (...managedFields: object[]) => statusOwner(widget({ managedFields }), { a: 1, b: 2 }, "meridian");

  test("is whoever has one of its fields, the first of them", () => {
    expect(owner(entry("x", { fieldsV1: { "f:status": { "f:c": {} } } }), entry("y"), entry("z"))).toBe("y");
    expect(owner(entry(undefined))).toBe("");
  });

  test("is ourselves under another operation", () => {
    expect(owner(entry("meridian"))).toBe("meridian");
    expect(owner(entry("meridian", { operation: "Apply" }))).toBeUndefined();
    expect(owner(entry("other", { operation: "Apply" }))).toBe("other");
  });

  test.each<[string, object]>([
    ["the object itself", { subresource: "" }],
    ["no fields", { fieldsV1: undefined }],
    ["fields beside the status", { fieldsV1: { "f:spec": { "f:a": {} } } }],
    ["a status that cannot be read", { fieldsV1: { "f:status": "f:a" } }],
  ])("is not who owns %s", (_name, more) => expect(owner(entry("x", more))).toBeUndefined());

  describe("and whether it is written already", () => {
    const ours = (more: object = {}) =>
      entry("meridian", { operation: "Apply", fieldsV1: { "f:status": { ".": {}, "f:a": {}, "f:b": {} } }, ...more });
    const isWritten = (given: object, status: object, ...managedFields: object[]) =>
      isSummedUp(widget({ managedFields }, status), given as Record<string, unknown>, "meridian");

    test("it is when each of its fields is there, and no other is ours", () => {
      expect(isWritten({ a: 1, b: [2] }, { a: 1, b: [2], c: 3 }, ours())).toBe(true);
      expect(isWritten({ a: 1, b: 2 }, { a: 1, b: 3 }, ours())).toBe(false);
      expect(isWritten({ a: 1 }, { a: 1, b: 2 }, ours())).toBe(false);
    });

    test.each<[string, object]>([
      ["another manager", { manager: "other" }],
      ["another operation", { operation: "Update" }],
      ["another part of the object", { subresource: "" }],
      ["nothing", { fieldsV1: undefined }],
    ])("what is owned by %s is not ours to take back", (_name, more) => {
      expect(isWritten({ a: 1 }, { a: 1, b: 2 }, ours(more))).toBe(true);
    });
  });
});
