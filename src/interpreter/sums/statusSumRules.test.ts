import { describe, expect, test } from "vitest";
import type { Condition, KubeObject } from "../../apis/index.ts";
import { conditionSums } from "./conditionSums.ts";
import { isSummedUp, statusOwner, statusSum } from "./statusSum.ts";
import type { MemberStatus } from "../types.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
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
const sum = (...statuses: (object | undefined)[]) => statusSum(widget(), members(...statuses), NOW);

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
  ])("by its name, as %s", (name) => expect(sum({ [name]: 1 }, { [name]: 2 })).toEqual({ [name]: 3 }));

  test.each(["port", "replicasWanted", "collisionCount", "nodeName"])("and not by another, as %s", (name) => {
    expect(sum({ [name]: 1 }, { [name]: 2 })).toEqual({});
    expect(sum({ [name]: 2 }, { [name]: 2 })).toEqual({ [name]: 2 });
  });

  test("and is summed where some have none of it, or none at all", () => {
    expect(sum({ replicas: 0 }, { replicas: 0 }, {})).toEqual({ replicas: 0 });
    expect(sum({ replicas: 2 }, { replicas: "2" })).toEqual({});
  });
});

describe("the sum of statuses", () => {
  test("names its fields in one order, whoever said them first", () => {
    expect(Object.keys(sum({ b: 1, a: 1 }, { a: 1, b: 1 }) ?? {})).toEqual(["a", "b"]);
  });

  test("leaves out what one says and the others do not", () => {
    expect(sum({}, { phase: "Running" })).toEqual({});
    expect(sum({ phase: null }, { phase: null })).toEqual({ phase: null });
  });

  test("holds no empty list of conditions, and no load balancer without points", () => {
    expect(sum({ conditions: [], loadBalancer: { ingress: [] } })).toEqual({});
  });

  test("holds at most 64 points of load balancers", () => {
    const ingress = Array.from({ length: 65 }, (_, at) => ({ ip: `10.0.0.${100 + at}` }));
    expect(sum({ loadBalancer: { ingress } })).toEqual({ loadBalancer: { ingress: ingress.slice(0, 64) } });
  });

  test("is of generation 0 where the object has none", () => {
    expect(sum({ observedGeneration: 3 })).toEqual({ observedGeneration: 0 });
  });

  test("goes on from the conditions that stand on the hub", () => {
    const said = { conditions: [{ type: "Ready", status: "True" }] };
    const before = { conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] };
    expect(statusSum(widget({}, before), members(said), NOW)?.["conditions"]).toMatchObject([
      { type: "Ready", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ]);
  });
});

describe("the conditions of all copies", () => {
  const context = { previous: [] as Condition[], generation: 7 as number | undefined, now: NOW };
  const one = (type: string, status: string, more: object = {}) => ({ conditions: [{ type, status, ...more }] });
  const lastTransitionTime = "2026-11-22T10:00:00Z";

  test.each<[string, (string | undefined)[], string]>([
    ["Ready", ["Unknown", "False"], "False"],
    ["Ready", ["Unknown", "True"], "Unknown"],
    ["Ready", ["Odd", "Odd"], "Unknown"],
    ["Initialized", ["True", "False"], "False"],
    ["Stalled", ["Unknown", "True"], "True"],
    ["Suspended", ["True", "False"], "True"],
    ["Other", ["True", "True"], "True"],
    ["Other", ["False", "False"], "False"],
    ["Other", ["False", undefined], "Unknown"],
  ])("%s of %j is %s", (type, statuses, want) => {
    const given = statuses.map((status) => (status === undefined ? {} : one(type, status)));
    expect(conditionSums(members(...given), context)).toMatchObject([{ type, status: want }]);
  });

  test("are at most 16, by name, and none without a name", () => {
    const types = Array.from({ length: 17 }, (_, at) => `T${10 + at}`);
    const conditions = [{ status: "True" }, ...types.toReversed().map((type) => ({ type, status: "True" }))];
    expect(conditionSums(members({ conditions }), context).map(({ type }) => type)).toEqual(types.slice(0, 16));
  });

  test("speak in the words of the first cluster by name that has it so", () => {
    const bad = (message: string) => one("Ready", "False", { reason: "Bad", message });
    const given = members(bad("first"), one("Ready", "True", { message: "fine" }), bad("last")).toReversed();
    expect(conditionSums(given, context)).toEqual([
      {
        type: "Ready",
        status: "False",
        reason: "Bad",
        message: "False on 2 of 3 clusters; c0: first",
        lastTransitionTime,
      },
    ]);
    expect(conditionSums(members(one("Ready", "False")), context)).toEqual([
      {
        type: "Ready",
        status: "False",
        reason: "ReportedByClusters",
        message: "False on 1 of 1 cluster",
        lastTransitionTime,
      },
    ]);
  });

  test("say where nobody has it so, that clusters differ", () => {
    expect(conditionSums(members(one("Other", "True"), one("Other", "False")), context)).toEqual([
      {
        type: "Other",
        status: "Unknown",
        reason: "ClustersDiffer",
        message: "not the same on 2 clusters",
        lastTransitionTime,
      },
    ]);
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

  test("keep the generation that they were of, until all speak of the present one", () => {
    const previous = [
      { type: "Other", status: "True", observedGeneration: 1, lastTransitionTime },
      { type: "Ready", status: "True", observedGeneration: 5, lastTransitionTime: "2026-01-01T00:00:00Z" },
    ] as Condition[];
    const dated = members(one("Ready", "True", { observedGeneration: 2 }), one("Ready", "True"));
    const found = (generation: number | undefined, given = dated) =>
      conditionSums(given, { previous, generation, now: NOW })[0];
    expect(found(7)).toMatchObject({ observedGeneration: 7, lastTransitionTime: "2026-01-01T00:00:00Z" });
    expect(found(undefined)).toMatchObject({ observedGeneration: 5 });
    expect(found(7, members(one("Ready", "True")))).not.toHaveProperty("observedGeneration");
  });

  test("leave out the words of a cluster that are too long to be told beside the count", () => {
    const [found] = conditionSums(
      members(one("Ready", "True", { reason: "R".repeat(80), message: "m".repeat(5000) })),
      context,
    );
    expect(found?.reason.length).toBeLessThanOrEqual(63);
    expect(found?.message).toMatch(/^True on 1 of 1 cluster/);
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
