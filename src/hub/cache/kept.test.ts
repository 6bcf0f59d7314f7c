import { describe, expect, test } from "vitest";
import type { KubeObject, MemberCluster } from "../../apis/index.ts";
import { clusterObject } from "../../../test/builders/policyObjects.ts";
import { clusterSnapshot } from "./clusterSnapshot.ts";
import { isDeparture } from "./events.ts";
import { namespaceFacts, objectIndexers, withoutBookkeeping } from "./kept.ts";
import { memberRights, memberRightsInNamespace, rightsOn } from "../kinds/rights.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const object = (metadata: object, spec?: unknown): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a", ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

describe("what is kept of an object", () => {
  test("is all but the owners of its fields and what kubectl remembers", () => {
    const annotations = { [LAST_APPLIED]: "{}", note: "x" };
    expect(withoutBookkeeping(object({ managedFields: [{}], annotations, labels: { a: "1" } }, {}))).toStrictEqual(
      object({ annotations: { note: "x" }, labels: { a: "1" } }, {}),
    );
    expect(withoutBookkeeping(object({ annotations: { [LAST_APPLIED]: "{}" } }))).toStrictEqual(
      object({ annotations: {} }),
    );
    expect(withoutBookkeeping(object({ managedFields: [] }))).toStrictEqual(object({}));
  });

  test("of a namespace is who it is, its labels and its annotations", () => {
    const metadata = { name: "n", uid: "u", labels: { a: "1" }, annotations: { b: "2" } };
    expect(namespaceFacts({ ...object({ ...metadata, finalizers: ["f"] }), spec: {} })).toStrictEqual({ metadata });
    expect(namespaceFacts(object({}))).toStrictEqual({ metadata: { name: "a" } });
  });

  test("is found by its namespace and by its node ports", () => {
    const { namespace, nodePort } = objectIndexers as Record<string, (object: KubeObject) => readonly string[]>;
    expect([namespace?.(object({ namespace: "n" })), namespace?.(object({}))]).toEqual([["n"], []]);
    const ports = [{ port: 80, nodePort: 30080 }, { port: 81 }, { port: 82, nodePort: "30082" }];
    expect(nodePort?.(object({}, { ports }))).toEqual(["30080"]);
    expect([nodePort?.(object({}, { ports: {} })), nodePort?.(object({}))]).toEqual([[], []]);
  });
});

describe("what a decision knows of a cluster", () => {
  const cluster = (metadata: object, spec: Record<string, unknown>): MemberCluster => {
    const made = clusterObject(spec, "a") as unknown as MemberCluster;
    return { ...made, metadata: { name: "a", ...metadata } };
  };

  test("is where it is, whose it is, what taints it has and whether it goes", () => {
    const labels = { "topology.kubernetes.io/region": "east", "topology.kubernetes.io/zone": "east-1", tier: "gold" };
    const taints = [{ key: "k", effect: "NoExecute" as const }];
    const spec = { connection: { local: {} }, provider: "aws", taints, deletionPolicy: "Drain" };
    expect(clusterSnapshot(cluster({ labels, deletionTimestamp: "2026-11-22T10:00:00Z" }, spec))).toStrictEqual({
      name: "a",
      labels,
      provider: "aws",
      region: "east",
      zone: "east-1",
      taints,
      deleting: true,
      local: true,
    });
  });

  test("says that nobody has said how it goes", () => {
    const deleted = clusterSnapshot(
      cluster({ deletionTimestamp: "2026-11-22T10:00:00Z" }, { connection: { local: {} } }),
    );
    expect(deleted).toMatchObject({ deleting: false, undecided: true });
  });

  test("lacks what nobody has said", () => {
    expect(clusterSnapshot(cluster({}, { connection: { pull: {} } }))).toStrictEqual({
      name: "a",
      labels: {},
      taints: [],
      deleting: false,
      local: false,
    });
    const seen = [{ key: "seen", effect: "NoSchedule" as const }];
    expect(clusterSnapshot(cluster({}, { connection: { pull: {} } }), seen).taints).toBe(seen);
  });
});

test.each<[string, Parameters<typeof isDeparture>[0], boolean]>([
  ["is gone", { type: "Deleted", object: object({}) }, true],
  ["was seen going, and is gone", { type: "Deleted", object: object({ deletionTimestamp: "t" }) }, false],
  ["begins to go", { type: "Updated", object: object({ deletionTimestamp: "t" }), old: object({}) }, true],
  ["comes as one that goes", { type: "Added", object: object({ deletionTimestamp: "t" }) }, true],
  [
    "goes on going",
    { type: "Updated", object: object({ deletionTimestamp: "t" }), old: object({ deletionTimestamp: "t" }) },
    false,
  ],
  ["changes", { type: "Updated", object: object({}), old: object({}) }, false],
  ["appears", { type: "Added", object: object({}) }, false],
])("whether an object that %s has gone, or begun to", (_what, event, want) => expect(isDeparture(event)).toBe(want));

describe("rights", () => {
  test("are one rule for each group, with the resources in order", () => {
    const kinds = [
      { group: "apps", plural: "statefulsets" },
      { group: "", plural: "services" },
      { group: "apps", plural: "deployments" },
      { group: "apps", plural: "deployments" },
    ];
    expect(rightsOn(kinds, ["get"])).toEqual([
      { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs: ["get"] },
      { apiGroups: [""], resources: ["services"], verbs: ["get"] },
    ]);
  });

  test("on a member are those on what is placed there, and namespaces are never replaced", () => {
    const all = ["get", "list", "watch", "create", "patch", "delete"];
    expect(memberRights([{ group: "batch", plural: "jobs" }])).toEqual([
      { apiGroups: [""], resources: ["namespaces"], verbs: all },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: all },
      { apiGroups: [""], resources: ["configmaps", "secrets", "services"], verbs: all },
      { apiGroups: ["batch"], resources: ["jobs"], verbs: all },
      { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    ]);
  });

  test("in a namespace of a member are those on all but what is cluster-scoped", () => {
    const all = ["get", "list", "watch", "create", "patch", "delete"];
    const more = [
      { group: "batch", plural: "jobs", namespaced: true },
      { group: "x.io", plural: "unknowns", namespaced: undefined },
      { group: "x.io", plural: "clusters", namespaced: false },
    ];
    const usual = [
      { apiGroups: ["apps"], resources: ["deployments"], verbs: all },
      { apiGroups: [""], resources: ["configmaps", "secrets", "services"], verbs: all },
    ];
    const pods = { apiGroups: [""], resources: ["pods"], verbs: ["list"] };
    expect(memberRightsInNamespace(more)).toEqual([
      ...usual,
      { apiGroups: ["batch"], resources: ["jobs"], verbs: all },
      { apiGroups: ["x.io"], resources: ["unknowns"], verbs: all },
      pods,
    ]);
    expect(memberRightsInNamespace()).toEqual([...usual, pods]);
  });
});
