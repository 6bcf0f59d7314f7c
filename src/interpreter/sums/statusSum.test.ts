import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Condition, KubeObject } from "../../apis/index.ts";
import { isSummedUp, statusOwner, statusSum } from "./statusSum.ts";
import type { MemberStatus } from "../types.ts";

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
      { name: "is the hub's own once every copy is current", current: [true, true], before: 6, want: 7 },
      { name: "stays while one copy is not", current: [true, false], before: 6, want: 6 },
      { name: "does not begin before that", current: [true, false], before: undefined, want: undefined },
    ])("$name", ({ current, before, want }) => {
      const members = current.map((isCurrent, index) => member(`c${index}`, { observedGeneration: 31 }, isCurrent));
      const found = sum(members, before === undefined ? {} : { observedGeneration: before });
      expect(found?.["observedGeneration"]).toBe(want);
    });

    test("waits for a copy that has said nothing, and is not made up where nobody has one", () => {
      const members = [member("a", { observedGeneration: 3 }), member("b", undefined)];
      expect(sum(members, { observedGeneration: 6 })?.["observedGeneration"]).toBe(6);
      expect(sum([member("a", { readyNodes: 1 })], { observedGeneration: 6 })).toEqual({ readyNodes: 1 });
    });
  });

  describe("conditions", () => {
    const one = (type: string, status: string, more: object = {}) => ({ conditions: [{ type, status, ...more }] });
    const merged = (type: string, statuses: (string | undefined)[], before?: object) =>
      conditionsOf(
        statuses.map((status, index) => member(`c${index}`, status === undefined ? {} : one(type, status))),
        before,
      )[0];

    test.each([
      ["Ready", ["True", "True"], "True"],
      ["Ready", ["True", "False"], "False"],
      ["Ready", ["True", undefined], "Unknown"],
      ["Stalled", ["True", "False"], "True"],
      ["Stalled", ["False", "False"], "False"],
      ["Stalled", ["False", undefined], "Unknown"],
      ["FailoverInProgress", ["True", "False"], "Unknown"],
      ["FailoverInProgress", ["False", "False"], "False"],
    ])("%s that is %j is %s", (type, statuses, want) => expect(merged(type, statuses)?.status).toBe(want));

    test("say for how many clusters, and in whose words", () => {
      const bad = member("b", one("Ready", "False", { reason: "NoDisk", message: "no disk is left" }));
      const found = sum([member("a", one("Ready", "True")), bad])?.["conditions"];
      expect(found).toEqual([
        {
          type: "Ready",
          status: "False",
          reason: "NoDisk",
          message: "False on 1 of 2 clusters; b: no disk is left",
          lastTransitionTime: "2026-11-22T10:00:00Z",
        },
      ]);
      expect(merged("Ready", ["True", "True"])).toMatchObject({
        reason: "ReportedByClusters",
        message: "True on 2 of 2 clusters",
      });
      expect(merged("Odd", ["True", "False"])).toMatchObject({ reason: "ClustersDiffer" });
    });

    test("keep the time of their last change", () => {
      const before = (status: string) => ({
        conditions: [{ type: "Ready", status, lastTransitionTime: "2026-01-01T00:00:00Z" }],
      });
      expect(merged("Ready", ["True"], before("True"))?.lastTransitionTime).toBe("2026-01-01T00:00:00Z");
      expect(merged("Ready", ["True"], before("False"))?.lastTransitionTime).toBe("2026-11-22T10:00:00Z");
    });

    test("are of a generation only where the copies' are, and of the hub's once all are current", () => {
      const dated = one("Ready", "True", { observedGeneration: 3 });
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

describe("what is to be written of it", () => {
  const managed = (manager: string, operation: "Apply" | "Update", ...names: string[]) => ({
    manager,
    operation,
    subresource: "status",
    fieldsV1: { "f:status": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
  });
  const object = (status: object, ...managedFields: object[]): KubeObject => {
    const { metadata, ...rest } = mysql(status);
    return { ...rest, metadata: { ...metadata, managedFields } } as KubeObject;
  };

  test("is nothing where all of it stands there", () => {
    const ours = managed("meridian", "Apply", "readyNodes");
    expect(isSummedUp(object({ readyNodes: 3, other: 1 }, ours), { readyNodes: 3 }, "meridian")).toBe(true);
    expect(isSummedUp(object({ readyNodes: 2 }, ours), { readyNodes: 3 }, "meridian")).toBe(false);
    expect(isSummedUp(mysql(), { readyNodes: 3 }, "meridian")).toBe(false);
  });

  test("is the rest where a field of ours is in it no more", () => {
    const ours = managed("meridian", "Apply", "readyNodes", "phase");
    expect(isSummedUp(object({ readyNodes: 3, phase: "Running" }, ours), { readyNodes: 3 }, "meridian")).toBe(false);
  });

  test("is nobody's to take: who owns a field of it keeps the field", () => {
    const theirs = managed("mysql-operator", "Update", "readyNodes");
    expect(statusOwner(object({}, theirs), { readyNodes: 3 }, "meridian")).toBe("mysql-operator");
    expect(statusOwner(object({}, theirs), { phase: "x" }, "meridian")).toBeUndefined();
    expect(statusOwner(object({}, managed("meridian", "Apply", "readyNodes")), { readyNodes: 3 }, "meridian")).toBe(
      undefined,
    );
    expect(statusOwner(mysql(), { readyNodes: 3 }, "meridian")).toBeUndefined();
  });
});
