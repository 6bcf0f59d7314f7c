import { describe, expect, test, vi } from "vitest";
import {
  bundleObject,
  clusterObject,
  clusterOverrideObject,
  clusterPlacementObject,
  overrideObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../../apis/index.ts";
import {
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  OVERRIDEPOLICIES,
  PLACEMENTS,
} from "../../runtime/index.ts";
import { application, setUpHub } from "../testing/fakeHub.ts";

const configMap = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
});
const selectsConfigMap = (name: string) =>
  clusterPlacementObject({ resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name }] });

/** A hub with an application in each of two namespaces, and two ConfigMaps, one of which a policy selects. */
async function filled() {
  const made = setUpHub();
  const { hub, server, start, settle } = made;
  hub.serve(CONFIGMAPS);
  server.create(DEMOAPPLICATIONS, application("a", "shop"));
  server.create(DEMOAPPLICATIONS, application("b", "bank"));
  for (const name of ["chosen", "other"]) server.create(CONFIGMAPS, configMap(name));
  server.create(CLUSTERPLACEMENTS, selectsConfigMap("chosen"));
  await start();
  await settle(10_000);
  return made;
}

describe("the objects of the hub", () => {
  test("are those of every kind that is placed; planned are those that a policy selects or that are rendered", async () => {
    const { cache } = await filled();
    const chosen = "/ConfigMap/shop/chosen";
    const other = "/ConfigMap/shop/other";
    const a = "paas.cmft.com/DemoApplication/shop/a";
    const b = "paas.cmft.com/DemoApplication/bank/b";
    expect(Array.from(cache.objects(), ({ metadata }) => metadata.name).toSorted()).toEqual([
      "a",
      "b",
      "chosen",
      "other",
    ]);
    expect([...cache.owners()].toSorted()).toEqual([chosen, b, a]);
    expect([...cache.ownersIn("shop")].toSorted()).toEqual([chosen, other, a]);
    expect([...cache.ownersIn("nowhere")]).toEqual([]);
    expect(Array.from(cache.objectsIn("shop"), ({ metadata }) => metadata.name).toSorted()).toEqual([
      "a",
      "chosen",
      "other",
    ]);
    expect([...cache.ownersOf(CONFIGMAPS)].toSorted()).toEqual([chosen, other]);
    expect([...cache.ownersOf(DEMOAPPLICATIONS)].toSorted()).toEqual([b, a]);
    expect([...cache.ownersOf({ group: "apps", kind: "Deployment" })]).toEqual([]);
  });

  test("have a kind, whatever version of it is named", async () => {
    const { cache } = await filled();
    expect(cache.kindOf({ apiVersion: "v1", kind: "ConfigMap" })).toMatchObject({ type: CONFIGMAPS, propagated: true });
    const application_ = cache.kindOf({ apiVersion: "paas.cmft.com/v9", kind: "DemoApplication" });
    expect(application_).toMatchObject({ type: DEMOAPPLICATIONS, propagated: false });
    expect(cache.kindOf({ apiVersion: "apps/v1", kind: "Deployment" })).toBeUndefined();
    expect(cache.kinds.map(({ type }) => type.kind).toSorted()).toEqual([
      "ConfigMap",
      "DemoApplication",
      "ManifestBundle",
    ]);
  });
});

describe("the kinds that may be on a cluster, by the record of bundles and applications", () => {
  const bundle = (name: string, status: object): KubeObject => {
    const made = bundleObject({ manifests: [] });
    return { ...made, metadata: { ...made.metadata, name }, status };
  };

  test("are those of every object that is recorded there", async () => {
    const { server, cache, start } = setUpHub();
    const status = (cluster: string, ...kinds: string[]) => ({ unlistedClusters: [cluster], kinds });
    server.create(MANIFESTBUNDLES, bundle("a", status("east", "ConfigMap", "Deployment.apps")));
    server.create(MANIFESTBUNDLES, bundle("b", status("west", "Job.batch")));
    server.create(MANIFESTBUNDLES, bundle("c", { unlistedClusters: ["east"] }));
    server.create(DEMOAPPLICATIONS, application("d", "default", { status: status("east", "Widget.example.com") }));
    await start();
    expect([...cache.recordedKindsOn("east")]).toEqual([
      { group: "example.com", kind: "Widget" },
      { group: "", kind: "ConfigMap" },
      { group: "apps", kind: "Deployment" },
    ]);
    expect([...cache.recordedKindsOn("west")]).toEqual([{ group: "batch", kind: "Job" }]);
    expect([...cache.recordedKindsOn("north")]).toEqual([]);
  });
});

describe("policies of all four kinds", () => {
  const all = [
    { type: PLACEMENTS, object: placementObject({}), key: "Placement/default/subject" },
    { type: CLUSTERPLACEMENTS, object: clusterPlacementObject({}), key: "ClusterPlacement//subject" },
    { type: OVERRIDEPOLICIES, object: overrideObject({}), key: "OverridePolicy/default/subject" },
    { type: CLUSTEROVERRIDEPOLICIES, object: clusterOverrideObject({}), key: "ClusterOverridePolicy//subject" },
  ];

  test.each(all)("$key is found, told, and part of what plans are made of", async ({ type, object, key }) => {
    const { server, cache, start, settle } = setUpHub();
    await start();
    const heard: string[] = [];
    const subscription = cache.onPolicy((event) => void heard.push(`${event.type} ${event.key}`));
    const { revision } = cache;
    const [placements, overrides] = [cache.allPlacements(), cache.allOverrides()];
    server.create(type, object);
    await settle();
    expect(heard).toEqual([`Added ${key}`]);
    expect(cache.revision).toBe(revision + 1);
    expect(cache.policy(key)?.policy.kind).toBe(object.kind);
    const isOverride = key.includes("Override");
    expect([cache.allPlacements() === placements, cache.allOverrides() === overrides]).toEqual([
      isOverride,
      !isOverride,
    ]);
    subscription[Symbol.dispose]();
    server.delete(type, object.metadata.namespace, object.metadata.name);
    await settle();
    expect(heard).toHaveLength(1);
    expect([cache.policy(key), cache.revision]).toEqual([undefined, revision + 2]);
    expect([...cache.allPlacements(), ...cache.allOverrides()]).toEqual([]);
  });
});

describe("a kind that is selected later", () => {
  test("makes the cache unsynced until its objects are known, which is told once", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    hub.serve(CONFIGMAPS);
    let syncs = 0;
    cache.syncs.subscribe(() => void (syncs += 1));
    await start();
    expect([cache.synced, syncs]).toEqual([true, 1]);
    const opened = Promise.withResolvers<void>();
    const { gate } = hub;
    hub.gate = async (call) => {
      if (call.type?.plural === "configmaps") await opened.promise;
      await gate(call);
    };
    server.create(CLUSTERPLACEMENTS, selectsConfigMap("a"));
    await settle(2_000);
    expect([cache.synced, syncs]).toEqual([false, 1]);
    opened.resolve();
    await settle(2_000);
    expect([cache.synced, syncs]).toEqual([true, 2]);
  });

  test("is selected by a placement, and neither by an override nor by a placement that goes", async () => {
    const { server, cache, catalog, start, settle } = setUpHub();
    await start();
    const select = vi.spyOn(catalog, "select");
    server.create(OVERRIDEPOLICIES, overrideObject({}));
    await settle();
    expect(select).not.toHaveBeenCalled();
    server.create(CLUSTERPLACEMENTS, selectsConfigMap("a"));
    await settle();
    expect(select.mock.calls).toEqual([[[{ apiVersion: "v1", kind: "ConfigMap", name: "a" }]]]);
    server.delete(CLUSTERPLACEMENTS, undefined, "subject");
    await settle();
    expect(select).toHaveBeenCalledTimes(1);
    expect(cache.allPlacements()).toEqual([]);
  });
});

test("namespaces are known by their labels and annotations alone", async () => {
  const { server, cache, start } = setUpHub();
  const metadata = { name: "shop", labels: { team: "a" }, annotations: { note: "x" }, finalizers: ["kubernetes"] };
  const made = server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata, spec: {} });
  await start();
  const { uid } = made.metadata;
  expect(cache.namespaces.get("shop")).toEqual({
    metadata: { name: "shop", uid, labels: { team: "a" }, annotations: { note: "x" } },
  });
});

test("clusters are told as they come and go, and a snapshot of them is by name", async () => {
  const { server, cache, start, settle } = setUpHub();
  await start();
  const heard: string[] = [];
  const subscription = cache.onCluster(({ type, key }) => void heard.push(`${type} ${key}`));
  for (const name of ["b", "c", "a"]) server.create(MEMBERCLUSTERS, clusterObject({}, name));
  await settle();
  expect(heard).toEqual(["Added b", "Added c", "Added a"]);
  expect(cache.clusterSnapshots().map(({ name }) => name)).toEqual(["a", "b", "c"]);
  server.delete(MEMBERCLUSTERS, undefined, "b");
  await settle();
  expect(cache.clusterSnapshots().map(({ name }) => name)).toEqual(["a", "c"]);
  subscription[Symbol.dispose]();
  server.delete(MEMBERCLUSTERS, undefined, "a");
  await settle();
  expect(heard).toEqual(["Added b", "Added c", "Added a", "Deleted b"]);
});

test("the deletion of an object is seen by its kind once, before anybody else hears of it", async () => {
  const { server, cache, start, settle } = setUpHub();
  server.create(DEMOAPPLICATIONS, application("a"));
  await start();
  const order: string[] = [];
  vi.spyOn(cache.kindDeletions, "saw").mockImplementation(({ kind }) => void order.push(kind));
  cache.onObject(({ type }) => void order.push(type));
  server.merge(DEMOAPPLICATIONS, "default", "a", { metadata: { labels: { a: "b" } } });
  await settle();
  server.merge(DEMOAPPLICATIONS, "default", "a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await settle();
  server.delete(DEMOAPPLICATIONS, "default", "a");
  await settle();
  expect(order).toEqual(["Added", "Updated", "DemoApplication", "Updated", "Deleted"]);
});
