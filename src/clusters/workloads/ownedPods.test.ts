import { describe, expect, test } from "vitest";
import type { KubeObject, OwnerReference } from "../../apis/index.ts";
import { DEPLOYMENTS, Discovery, PODS, type ResourceType } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { type OwnedPods, type PodOwner, readOwnedPods } from "./ownedPods.ts";

const REPLICASETS: ResourceType = {
  ...{ group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets", namespaced: true },
};
const DATABASES: ResourceType = {
  ...{ group: "db.example.com", version: "v1", kind: "Database", plural: "databases", namespaced: true },
};
const TYPES = [DEPLOYMENTS, REPLICASETS, DATABASES, PODS];

const by = (kind: string, name: string, uid: string, apiVersion = "apps/v1"): OwnerReference[] => [
  { apiVersion, kind, name, uid, controller: true },
];

function object(type: ResourceType, name: string, owners: OwnerReference[] = [], spec: object = {}): KubeObject {
  const { group, version, kind } = type;
  return {
    ...{ apiVersion: group === "" ? version : `${group}/${version}`, kind, spec },
    metadata: { name, namespace: "shop", uid: `${kind}-${name}`, labels: { app: "web" }, ownerReferences: owners },
  };
}

/** The Deployment `web` with its pod, and others that look like it. */
async function read(objects: readonly [ResourceType, KubeObject][], owners: readonly PodOwner[]) {
  const client = new FakeClient();
  const selector = { selector: { matchLabels: { app: "web" } } };
  const present: [ResourceType, KubeObject][] = [
    [DEPLOYMENTS, object(DEPLOYMENTS, "web", [], selector)],
    [REPLICASETS, object(REPLICASETS, "web-1", by("Deployment", "web", "Deployment-web"))],
    [PODS, object(PODS, "web-1-a", by("ReplicaSet", "web-1", "ReplicaSet-web-1"))],
    ...objects,
  ];
  for (const [type, one] of present) client.server.create(type, one);
  const discovery = new Discovery(client, new FakeClock());
  discovery.resolve = async ({ kind }) => {
    const type = TYPES.find((one) => one.kind === kind);
    if (type === undefined) throw new Error(`no kind ${kind}`);
    return type;
  };
  const found: OwnedPods = await readOwnedPods({ client, discovery }, owners, new AbortController().signal);
  return { names: found.pods.map(({ metadata }) => metadata.name), ...found, calls: client.calls };
}

const ref = (kind: string, name: string, apiVersion = "apps/v1") => ({ apiVersion, kind, namespace: "shop", name });
const web: PodOwner = { ref: ref("Deployment", "web"), uid: "Deployment-web" };

describe("pods of a placed object", () => {
  test("are those whose controllers lead to it", async () => {
    const { names, uids, isWhole } = await read([], [web]);
    expect([names, isWhole]).toEqual([["web-1-a"], true]);
    expect([...uids].toSorted()).toEqual(["Deployment-web", "Pod-web-1-a", "ReplicaSet-web-1"]);
  });

  test.each<{ what: string; others: [ResourceType, KubeObject][] }>([
    { what: "without a controller", others: [[PODS, object(PODS, "stranger")]] },
    {
      what: "of another workload with the same labels",
      others: [
        [REPLICASETS, object(REPLICASETS, "other-1", by("Deployment", "other", "Deployment-other"))],
        [PODS, object(PODS, "stranger", by("ReplicaSet", "other-1", "ReplicaSet-other-1"))],
      ],
    },
    {
      what: "that names a controller of another UID",
      others: [[PODS, object(PODS, "stranger", by("ReplicaSet", "web-1", "forged"))]],
    },
    {
      what: "that names the workload as an owner who is not its controller",
      others: [
        [
          PODS,
          object(PODS, "stranger", [
            { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "Deployment-web", controller: false },
          ]),
        ],
      ],
    },
  ])("are not a pod $what", async ({ others }) => {
    expect((await read(others, [web])).names).toEqual(["web-1-a"]);
  });

  test("are none if the workload was replaced by another one of the same name", async () => {
    expect((await read([], [{ ...web, uid: "an-older-one" }])).names).toEqual([]);
  });

  test("of a kind of an operator are found by the chain alone", async () => {
    const database = ref("Database", "main", "db.example.com/v1");
    const { names } = await read(
      [
        [DATABASES, object(DATABASES, "main")],
        [PODS, object(PODS, "main-0", by("Database", "main", "Database-main", "db.example.com/v1"))],
      ],
      [{ ref: database, uid: "Database-main" }],
    );
    expect(names).toEqual(["main-0"]);
  });

  test.each(["Service", "ConfigMap", "Secret"])("are not looked for beside a %s", async (kind) => {
    const { names, calls } = await read([], [{ ref: ref(kind, "web", "v1"), uid: `${kind}-web` }]);
    expect([names, calls]).toEqual([[], []]);
  });

  test("of an object that is a pod are the pod itself, with its UID", async () => {
    const pod = { ref: ref("Pod", "alone", "v1"), uid: "Pod-alone" };
    expect((await read([[PODS, object(PODS, "alone")]], [pod])).names).toEqual(["alone"]);
    expect((await read([[PODS, object(PODS, "alone")]], [{ ...pod, uid: "another" }])).names).toEqual([]);
  });
});
