import { describe, expect, test } from "vitest";
import {
  ALLOW_DELETION_ANNOTATION,
  FIRST_RECORD_ANNOTATION,
  type KubeObject,
  OBJECT_FINALIZER,
  type ResourceBinding,
} from "../../../src/apis/index.ts";
import {
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CONFIGMAPS,
  CRDS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  RESOURCEBINDINGS,
} from "../../../src/runtime/index.ts";
import { clusterPlacement, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap, deployment, MYSQL, MYSQL_KIND, MYSQLCLUSTERS } from "./objects.ts";
import type { TestCluster } from "./testCluster.ts";

const selectsSettings = placement("settings").selects({ apiVersion: "v1", kind: "ConfigMap", name: "settings" });
const selectsClusters = placement("mysql").selects(MYSQL);
const myDb = (spec: object = { replicas: 2 }): KubeObject => ({
  ...MYSQL,
  metadata: { name: "my-db", namespace: "default" },
  spec,
});

/** With the ConfigMap `settings`, which a policy sends to all of the members. */
async function running(...names: string[]): Promise<TestFederation> {
  const federation = await TestFederation.start(...names);
  await federation.apply(PLACEMENTS, selectsSettings);
  await federation.apply(CONFIGMAPS, configMap("settings", { color: "blue" }));
  await untilApplied(federation);
  await federation.pass(5_000);
  return federation;
}

const binding = (federation: TestFederation, name = "configmap.settings"): ResourceBinding | undefined =>
  federation.binding(name);

function condition(federation: TestFederation, type: string, name?: string): string | undefined {
  const found = binding(federation, name)?.status?.conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
}

const entryOf = (federation: TestFederation, cluster: string, name?: string) =>
  binding(federation, name)?.status?.clusters?.find((one) => one.name === cluster);

async function untilApplied(federation: TestFederation, name?: string): Promise<void> {
  await federation.until(() => condition(federation, "Applied", name)?.startsWith("True") === true);
}

const copyOn = (federation: TestFederation, cluster: string): KubeObject | undefined =>
  federation.member(cluster).server.find(CONFIGMAPS, "default", "settings");
const settingsOn = (federation: TestFederation): KubeObject | undefined =>
  federation.hub.find(CONFIGMAPS, "default", "settings");

/** What was written on the hub meanwhile about anything but policies and members. */
async function writesDuring(federation: TestFederation, work: () => Promise<unknown>): Promise<string[]> {
  const before = federation.hubWrites.length;
  await work();
  return federation.hubWrites
    .slice(before)
    .filter((call) => !/placements|policies|memberclusters/.test(call))
    .toSorted();
}

async function installed(cluster: TestCluster): Promise<void> {
  if (cluster.has(CRDS, undefined, MYSQL_KIND.metadata.name)) await cluster.empty(MYSQLCLUSTERS);
  else await cluster.install(MYSQL_KIND);
}

describe("a ConfigMap that a policy selects", () => {
  test("goes to its clusters by three writes on the hub, and its binding says where it is", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(PLACEMENTS, selectsSettings);
    await federation.pass(5_000);
    const writes = await writesDuring(federation, async () => {
      await federation.apply(CONFIGMAPS, configMap("settings", { color: "blue" }));
      await untilApplied(federation);
      await federation.pass(5_000);
    });
    expect(writes).toEqual(["apply resourcebindings", "applyStatus resourcebindings", "patch configmaps"]);
    for (const cluster of ["shanghai", "singapore"])
      expect(copyOn(federation, cluster)).toMatchObject({ data: { color: "blue" } });
    const { uid = "", finalizers } = settingsOn(federation)?.metadata ?? { name: "" };
    expect(finalizers).toEqual([OBJECT_FINALIZER]);
    const bound = binding(federation);
    const resource = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "settings", uid };
    expect(bound?.spec).toEqual({ resource });
    expect(bound?.metadata.ownerReferences).toEqual([{ apiVersion: "v1", kind: "ConfigMap", name: "settings", uid }]);
    expect(bound?.status).toMatchObject({
      placement: { kind: "Placement", namespace: "default", name: "settings" },
      availableClusters: "2/2",
      clusters: [
        { name: "shanghai", state: "Available" },
        { name: "singapore", state: "Available" },
      ],
    });
    expect(JSON.stringify(bound)).not.toContain("blue");
    expect(federation.hub.find(PLACEMENTS, "default", "settings")?.["status"]).toMatchObject({ matchedObjects: 1 });
  });

  test("that goes nowhere gets a binding which says why, and no finalizer; with its policy the binding goes", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, selectsSettings.onClusters("nowhere"));
    await federation.apply(CONFIGMAPS, configMap("settings", { color: "blue" }));
    await federation.until(() => condition(federation, "Scheduled") === "False NoClusterFits");
    await federation.pass(10_000);
    expect(settingsOn(federation)?.metadata.finalizers).toBeUndefined();
    await federation.delete(PLACEMENTS, "settings");
    await federation.until(() => binding(federation) === undefined);
    const writes = await writesDuring(federation, () => federation.pass(10_000));
    expect(writes).toEqual([]);
    expect(settingsOn(federation)?.metadata.annotations ?? {}).toEqual({});
  });
});

describe("the end of a propagated object", () => {
  test("waits for a cluster that is away, and the binding with it, whatever restarts", async () => {
    await using federation = await running("shanghai", "singapore");
    federation.member("shanghai").cutOff();
    await federation.delete(CONFIGMAPS, "settings");
    await federation.until(() => copyOn(federation, "singapore") === undefined);
    await federation.stopManager();
    await federation.delete(PLACEMENTS, "settings");
    await federation.startManager();
    await federation.pass(20_000);
    expect(settingsOn(federation)?.metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    expect(entryOf(federation, "shanghai")).toMatchObject({ state: "Unknown", reason: "ClusterUnreachable" });
    federation.member("shanghai").comeBack();
    await federation.until(() => settingsOn(federation) === undefined && binding(federation) === undefined);
    expect(copyOn(federation, "shanghai")).toBeUndefined();
  });

  test("is none where its policy goes: the copies stay, until their cluster leaves", async () => {
    await using federation = await running("shanghai");
    await federation.delete(PLACEMENTS, "settings");
    await federation.until(() => condition(federation, "Scheduled") === "False NoPlacement");
    await federation.pass(5_000);
    expect(copyOn(federation, "shanghai")).toBeDefined();
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.until(() => settingsOn(federation)?.metadata.finalizers === undefined);
    await federation.until(() => binding(federation) === undefined);
    expect(settingsOn(federation)?.metadata.annotations ?? {}).not.toHaveProperty([FIRST_RECORD_ANNOTATION]);
    expect(copyOn(federation, "shanghai")).toMatchObject({ data: { color: "blue" } });
    const writes = await writesDuring(federation, () => federation.pass(10_000));
    expect(writes).toEqual([]);
  });
});

describe("a binding that somebody removes", () => {
  test("is made again with what it said, and nothing happens on the members", async () => {
    await using federation = await running("shanghai", "singapore");
    const before = binding(federation);
    const written = federation.member("shanghai").writes.length;
    await federation.hub.delete(RESOURCEBINDINGS, "default", "configmap.settings");
    const isAnother = (): boolean => {
      const uid = binding(federation)?.metadata.uid;
      return uid !== undefined && uid !== before?.metadata.uid && binding(federation)?.status !== undefined;
    };
    await federation.until(isAnother);
    await federation.pass(5_000);
    expect(binding(federation)?.status).toEqual(before?.status);
    expect(federation.member("shanghai").writes).toHaveLength(written);
  });

  test("by force while no manager runs is made again from what is there", async () => {
    await using federation = await running("shanghai", "singapore");
    await federation.stopManager();
    const written = federation.member("shanghai").writes.length;
    await federation.hub.merge(RESOURCEBINDINGS, "default", "configmap.settings", { metadata: { finalizers: null } });
    await federation.hub.delete(RESOURCEBINDINGS, "default", "configmap.settings");
    expect(binding(federation)).toBeUndefined();
    await federation.startManager();
    await untilApplied(federation);
    await federation.pass(5_000);
    expect(binding(federation)?.status?.availableClusters).toBe("2/2");
    expect(federation.member("shanghai").writes).toHaveLength(written);
  });

  test("goes too when its object is gone without a word to the manager", async () => {
    await using federation = await running("shanghai");
    await federation.stopManager();
    await federation.hub.merge(CONFIGMAPS, "default", "settings", { metadata: { finalizers: null } });
    await federation.delete(CONFIGMAPS, "settings");
    await federation.startManager();
    await federation.until(() => binding(federation) === undefined && copyOn(federation, "shanghai") === undefined);
  });
});

describe("an object of a kind that has a status of its own", () => {
  const NAME = "mysqlcluster.mysql.presslabs.org.my-db";

  async function placed(): Promise<TestFederation> {
    const federation = await TestFederation.prepare("shanghai");
    await installed(federation.hub);
    await installed(federation.member("shanghai").server);
    await federation.startManager();
    await federation.apply(PLACEMENTS, selectsClusters);
    await federation.apply(MYSQLCLUSTERS, myDb());
    await untilApplied(federation, NAME);
    return federation;
  }

  test("stays on its clusters when its CRD is deleted, until somebody agrees", async () => {
    await using federation = await placed();
    const { server } = federation.member("shanghai");
    await federation.hub.delete(CRDS, undefined, MYSQL_KIND.metadata.name);
    await federation.until(() => entryOf(federation, "shanghai", NAME)?.reason === "KindBeingDeleted");
    expect(server.has(MYSQLCLUSTERS, "default", "my-db")).toBe(true);
    const annotations = { [ALLOW_DELETION_ANNOTATION]: "true" };
    await federation.hub.merge(CRDS, undefined, MYSQL_KIND.metadata.name, { metadata: { annotations } });
    await federation.until(() => !federation.hub.has(CRDS, undefined, MYSQL_KIND.metadata.name));
    expect(server.has(MYSQLCLUSTERS, "default", "my-db")).toBe(false);
    await federation.until(() => binding(federation, NAME) === undefined);
  });

  test("goes before its CRD does, where both are placed, and neither goes unless somebody agrees", async () => {
    await using federation = await TestFederation.prepare("shanghai");
    await installed(federation.hub);
    await federation.startManager();
    const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    const policy = clusterPlacement("mysql-crd").selects({ ...crd, name: MYSQL_KIND.metadata.name });
    await federation.apply(CLUSTERPLACEMENTS, policy);
    await federation.apply(PLACEMENTS, selectsClusters);
    await federation.apply(MYSQLCLUSTERS, myDb());
    await untilApplied(federation, NAME);
    const { server } = federation.member("shanghai");
    const bound = (): ResourceBinding | undefined =>
      federation.hub.find(
        CLUSTERRESOURCEBINDINGS,
        undefined,
        "customresourcedefinition.apiextensions.k8s.io.mysqlclusters.mysql.presslabs.org",
      ) as ResourceBinding | undefined;
    const [onHub] = federation.hub.list(CRDS).filter(({ metadata }) => metadata.name === MYSQL_KIND.metadata.name);
    expect(bound()?.spec.resource).toEqual({
      ...crd,
      name: MYSQL_KIND.metadata.name,
      uid: onHub?.metadata.uid,
    });

    await federation.hub.delete(CRDS, undefined, MYSQL_KIND.metadata.name);
    await federation.until(() => bound()?.status?.clusters?.[0]?.reason === "KindBeingDeleted");
    await federation.pass(10_000);
    expect(server.has(MYSQLCLUSTERS, "default", "my-db")).toBe(true);
    expect(server.has(CRDS, undefined, MYSQL_KIND.metadata.name)).toBe(true);
    const annotations = { [ALLOW_DELETION_ANNOTATION]: "true" };
    await federation.hub.merge(CRDS, undefined, MYSQL_KIND.metadata.name, { metadata: { annotations } });
    await federation.until(() => !federation.hub.has(CRDS, undefined, MYSQL_KIND.metadata.name));
    expect(server.has(CRDS, undefined, MYSQL_KIND.metadata.name)).toBe(false);
    await federation.until(() => bound() === undefined && binding(federation, NAME) === undefined);
    const deleted = federation.member("shanghai").writes.filter((call) => call.startsWith("delete"));
    expect(deleted).toEqual(["delete mysqlclusters", "delete customresourcedefinitions"]);
  });
});

test("the first change of a native kind is one change, though its generation counts our own write", async () => {
  await using federation = await TestFederation.start("shanghai");
  await federation.apply(DEPLOYMENTS, deployment("web", 1));
  await federation.apply(PLACEMENTS, placement("web").selects({ apiVersion: "apps/v1", kind: "Deployment" }));
  const lines = () =>
    federation.log
      .map((line) => JSON.parse(line) as Record<string, string>)
      .filter(({ object }) => object === "apps/Deployment/default/web");
  await federation.until(() => lines().some(({ msg }) => msg === "status written: Available"));
  expect(lines().filter(({ msg }) => msg?.startsWith("changed:"))).toHaveLength(1);
  expect(new Set(lines().map((line) => line["change_trace_id"] ?? line["trace_id"])).size).toBe(1);
  expect(federation.hub.get(DEPLOYMENTS, "default", "web").metadata.generation).toBeGreaterThan(1);
});
