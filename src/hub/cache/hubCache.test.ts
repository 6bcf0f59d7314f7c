import { describe, expect, test, vi } from "vitest";
import { type KubeObject, type Placement, refKey, refOf } from "../../apis/index.ts";
import {
  bundleObject,
  clusterObject,
  clusterOverrideObject,
  clusterPlacementObject,
  overrideObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import {
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  from,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  RESOURCEBINDINGS,
} from "../../runtime/index.ts";
import { changedFacts, changedSpec } from "./events.ts";
import { application, SELECTS_APPLICATIONS, setUpHub } from "../testing/fakeHub.ts";
import { gzipSync } from "node:zlib";
import { widget } from "../../../test/builders/index.ts";

const named = (object: KubeObject, name: string, generation = 1): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, name, generation },
});

describe("the cache of the hub", () => {
  test("holds what the hub holds, without what nobody reads, and is synced when all of it is known", async () => {
    const { server, cache, start } = setUpHub();
    server.create(
      DEMOAPPLICATIONS,
      application("a", "default", {
        metadata: {
          name: "a",
          managedFields: [{ manager: "kubectl" }],
          annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", note: "x" },
        },
      } as Partial<KubeObject>),
    );
    const east = clusterObject({}, "east");
    server.create(MEMBERCLUSTERS, { ...east, metadata: { ...east.metadata, managedFields: [{ manager: "kubectl" }] } });
    expect(cache.synced).toBe(false);
    const synced = cache.waitForSync(new AbortController().signal);
    await expect(cache.waitForSync(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    await start();
    await synced;
    expect(cache.synced).toBe(true);
    const [object] = [...cache.objects()];
    expect(object?.metadata.managedFields).toBeUndefined();
    expect(object?.metadata.annotations).toEqual({ note: "x" });
    expect(cache.clusters.get("east")).toMatchObject({ kind: "MemberCluster", metadata: { name: "east" } });
    expect(cache.clusters.get("east")?.metadata.managedFields).toBeUndefined();
    expect([...cache.owners()]).toEqual([...cache.objects()].map((one) => refKey(refOf(one))));
  });

  test("finds objects by key, namespace, node port and the cluster that their status names", async () => {
    const { server, cache, start } = setUpHub();
    const status = { clusters: [{ name: "east", observedHash: "h" }, { name: "west" }] };
    server.create(DEMOAPPLICATIONS, application("a", "one", { status }));
    server.create(DEMOAPPLICATIONS, application("b", "two", { spec: { ports: [{ port: 80, nodePort: 30_002 }] } }));
    await start();
    const names = (objects: Iterable<KubeObject>): string[] => Array.from(objects, ({ metadata }) => metadata.name);
    expect(cache.object("paas.cmft.com/DemoApplication/one/a")?.kind.type).toBe(DEMOAPPLICATIONS);
    expect(cache.object("paas.cmft.com/DemoApplication/two/a")).toBeUndefined();
    expect(cache.object("apps/Deployment/one/a")).toBeUndefined();
    expect(names(cache.objectsIn("two"))).toEqual(["b"]);
    expect(names(cache.objectsWithNodePort(30_002))).toEqual(["b"]);
    expect([...cache.reportedOn("east")]).toEqual(["paas.cmft.com/DemoApplication/one/a"]);
    expect([...cache.reportedOn("west")]).toEqual([]);
  });

  test("gives every subscriber what is there first and then each change, under the keys of workqueues", async () => {
    const { server, cache, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    server.create(PLACEMENTS, placementObject({}));
    await start();
    const keys: string[] = [];
    const enqueue = (key: unknown): void => void keys.push(key as string);
    using _objects = from(cache.objectEvents).when(changedSpec).subscribe(enqueue);
    const policies = from(cache.policyEvents).when(changedSpec).subscribe(enqueue);
    using _clusters = from(cache.clusters).when(changedFacts).subscribe(enqueue);
    expect(keys).toEqual(["paas.cmft.com/DemoApplication/default/a", "Placement/default/subject"]);
    server.create(MEMBERCLUSTERS, clusterObject({}, "east"));
    server.create(OVERRIDEPOLICIES, overrideObject({}));
    await settle();
    policies[Symbol.dispose]();
    server.merge(PLACEMENTS, "default", "subject", { metadata: { generation: 2 } });
    server.merge(DEMOAPPLICATIONS, "default", "a", { status: { observedGeneration: 1 } });
    await settle();
    expect(keys.slice(2).toSorted()).toEqual(["OverridePolicy/default/subject", "east"]);
  });

  test("holds deletions while too much has vanished at once, and says when that begins and ends", async () => {
    const { server, cache, metrics, reasons, start, settle } = setUpHub();
    for (let n = 0; n < 12; n += 1) server.create(DEMOAPPLICATIONS, application(`a${n}`));
    await start();
    const counted = vi.spyOn(metrics, "setDeletionsHeld");
    const held: boolean[] = [];
    using _subscription = cache.holds.subscribe((now) => held.push(now));
    server.dropWatches();
    for (let n = 0; n < 12; n += 1) server.delete(DEMOAPPLICATIONS, "default", `a${n}`);
    server.compact();
    await settle(400);
    expect([cache.deletionsHeld, held, [...cache.objects()].length]).toEqual([true, [true], 12]);
    expect(reasons()).toContain("DeletionsHeld");
    await settle(60_000);
    expect([cache.deletionsHeld, held, [...cache.objects()].length]).toEqual([false, [true, false], 0]);
    expect(counted.mock.calls).toEqual([
      ["hub", true],
      ["hub", false],
    ]);
  });
});

describe("what plans are made of", () => {
  test("is the same until something changes that a plan turns on", async () => {
    const { server, cache, start, settle } = setUpHub();
    server.create(PLACEMENTS, named(placementObject({}), "p"));
    server.create(OVERRIDEPOLICIES, named(overrideObject({}), "o"));
    for (const name of ["west", "east"]) server.create(MEMBERCLUSTERS, clusterObject({}, name));
    await start();
    const inputs = () => [cache.allPlacements(), cache.allOverrides(), cache.clusterSnapshots()] as const;
    const [placements, overrides, snapshots] = inputs();
    expect(snapshots.map(({ name }) => name)).toEqual(["east", "west"]);
    expect([placements.length, overrides.length]).toEqual([1, 1]);
    const { revision } = cache;

    server.merge(PLACEMENTS, "default", "p", { status: { matched: 1 } });
    const ready = { type: "Ready", status: "Unknown", reason: "a", message: "", lastTransitionTime: "" };
    server.merge(MEMBERCLUSTERS, undefined, "east", { status: { kubernetesVersion: "v1.35.0" } });
    server.merge(DEMOAPPLICATIONS, "default", server.create(DEMOAPPLICATIONS, application("a")).metadata.name, {
      spec: { image: "other" },
    });
    await settle();
    for (const [at, input] of inputs().entries()) expect(input).toBe([placements, overrides, snapshots][at]);
    expect(cache.revision).toBe(revision);

    server.merge(MEMBERCLUSTERS, undefined, "east", { status: { conditions: [ready] } });
    await settle();
    expect(cache.clusterSnapshots()).not.toBe(snapshots);
    expect(cache.allPlacements()).toBe(placements);
    expect(cache.revision).toBe(revision + 1);

    server.merge(PLACEMENTS, "default", "p", { metadata: { generation: 2 }, spec: { priority: 5 } });
    await settle();
    expect(cache.allPlacements()[0]?.spec.priority).toBe(5);
    expect(cache.allOverrides()).toBe(overrides);
    server.delete(OVERRIDEPOLICIES, "default", "o");
    await settle();
    expect(cache.allOverrides()).toEqual([]);
    expect(cache.revision).toBe(revision + 3);
  });

  test("is up to date in every handler", async () => {
    const { server, cache, start, settle } = setUpHub();
    const seen: string[] = [];
    using _subscription = cache.onPolicy(() => void seen.push(String(cache.allPlacements().length)));
    await start();
    server.create(PLACEMENTS, placementObject({}));
    await settle();
    expect(seen).toEqual(["1"]);
  });
});

test("the objects that a policy selects are found among those of its kind, namespace and name alone", async () => {
  const { server, cache, start } = setUpHub();
  server.create(DEMOAPPLICATIONS, application("a"));
  server.create(DEMOAPPLICATIONS, application("b", "default", { metadata: { name: "b", labels: { tier: "web" } } }));
  for (let n = 0; n < 500; n += 1) server.create(DEMOAPPLICATIONS, application(`c${n}`, "crowd"));
  await start();
  const [kind] = cache.kinds;
  if (kind === undefined) throw new Error("nothing is placed");
  const get = vi.spyOn(kind.informer, "get");
  const selector = { ...SELECTS_APPLICATIONS, namespace: "default", labelSelector: { matchLabels: { tier: "web" } } };
  const object = clusterPlacementObject({ resourceSelectors: [selector] }) as unknown as Placement;
  expect([...cache.selectedBy({ object })]).toEqual(["paas.cmft.com/DemoApplication/default/b"]);
  expect(get).toHaveBeenCalledTimes(2);
});

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
    for (const other of [`${object.kind}/other/subject`, object.kind, "", "constructor//subject"])
      expect(cache.policy(other)).toBeUndefined();
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

const platformMap: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "platform" },
};

describe("a cache of the hub", () => {
  test.each<[readonly string[] | undefined, boolean]>([
    [["platform"], true],
    [["other"], false],
    [undefined, false],
  ])("knows the namespaces that are the hub's own: %j", (protectedNamespaces, want) => {
    const { cache } = setUpHub(protectedNamespaces === undefined ? {} : { protectedNamespaces });
    expect("hubsOwn" in cache.planned.settingOf(platformMap)).toBe(want);
  });

  test("keeps what a bundle was unpacked to for as long as the bundle lives", async () => {
    const { server, cache, start, settle } = setUpHub();
    const compressed = gzipSync(JSON.stringify([widget("w")])).toString("base64");
    const made = bundleObject({ compressed });
    const bundle = { ...made, metadata: { ...made.metadata, uid: "one" } };
    const { namespace, name } = bundle.metadata;
    const spec = () => cache.object(`federation.paas.cmft.com/ManifestBundle/${namespace}/${name}`)?.object["spec"];
    server.create(MANIFESTBUNDLES, bundle);
    await start();
    const first = spec();
    expect(first).toMatchObject({ manifests: [{ kind: "Widget" }], listed: 0 });
    server.merge(MANIFESTBUNDLES, namespace, name, { status: { observedGeneration: 1 } });
    await settle();
    expect(spec()).toBe(first);
    server.delete(MANIFESTBUNDLES, namespace, name);
    await settle();
    server.create(MANIFESTBUNDLES, bundle);
    await settle();
    expect(spec()).toEqual(first);
    expect(spec()).not.toBe(first);
  });
});

describe("what vanishes at once", () => {
  test("holds nothing where it is namespaces", async () => {
    const { server, cache, start, settle } = setUpHub();
    const names = Array.from({ length: 12 }, (_, n) => `n${n}`);
    for (const name of names) server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await start();
    const held: boolean[] = [];
    cache.holds.subscribe((now) => void held.push(now));
    server.dropWatches();
    for (const name of names) server.delete(NAMESPACES, undefined, name);
    server.compact();
    await settle(60_000);
    expect([cache.deletionsHeld, held, cache.namespaces.size]).toEqual([false, [], 0]);
  });
});

const { signal } = new AbortController();
const A = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "a" };

describe("whoever waits until the hub is known", () => {
  test("waits for every kind that is read, and then no more", async () => {
    const { hub, cache, start, settle } = setUpHub();
    const opened = Promise.withResolvers<void>();
    const { gate } = hub;
    hub.gate = async (call) => {
      if (call.type === NAMESPACES) await opened.promise;
      await gate(call);
    };
    let known = 0;
    for (let one = 0; one < 2; one += 1) void cache.waitForSync(signal).then(() => (known += 1));
    await start();
    expect([cache.synced, known]).toEqual([false, 0]);
    opened.resolve();
    await settle();
    expect([cache.synced, known]).toEqual([true, 2]);
    await cache.waitForSync(signal);
  });
});

describe("a cache that may be behind the hub", () => {
  test("is compared with the hub, and listed anew when it was behind, which is told", async () => {
    const { server, cache, reasons, start } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    await start();
    const [kind] = cache.kinds;
    if (kind === undefined) throw new Error("nothing is placed");
    const agrees = vi.spyOn(kind.informer, "agreesWithServer");
    agrees.mockResolvedValueOnce(true);
    await cache.relistIfBehind(A, signal);
    expect(reasons()).toEqual([]);
    agrees.mockResolvedValueOnce(false);
    await cache.relistIfBehind(A, signal);
    expect(reasons()).toEqual(["DeletionsHeld"]);
    await cache.relistIfBehind({ ...A, kind: "Unknown" }, signal);
    expect(agrees.mock.calls).toEqual([[signal], [signal]]);
  });

  test("says when the hub went back in time", async () => {
    const { server, cache, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    const restore = server.backup();
    await start();
    const kinds: string[] = [];
    cache.wentBack.subscribe(({ kind }) => void kinds.push(kind));
    for (let n = 0; n < 5; n += 1) server.create(DEMOAPPLICATIONS, application(`b${n}`));
    await settle();
    restore();
    await settle(60_000);
    expect(kinds).toContain("DemoApplication");
  });
});

test("the deletion of a MemberCluster is one of its kind", async () => {
  const { server, cache, start, settle } = setUpHub();
  server.create(MEMBERCLUSTERS, clusterObject({}, "east"));
  await start();
  const saw = vi.spyOn(cache.kindDeletions, "saw");
  server.merge(MEMBERCLUSTERS, undefined, "east", { spec: { provider: "x" } });
  await settle();
  expect(saw).not.toHaveBeenCalled();
  server.merge(MEMBERCLUSTERS, undefined, "east", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await settle();
  expect(saw.mock.calls).toEqual([[MEMBERCLUSTERS]]);
});

test("a kind that a binding names is watched, though no policy selects it any more", async () => {
  const made = setUpHub();
  made.hub.serve(CONFIGMAPS);
  const { metadata } = made.server.create(CONFIGMAPS, configMap("settings"));
  made.server.create(RESOURCEBINDINGS, {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "ResourceBinding",
    metadata: { name: "configmap.settings", namespace: "shop" },
    spec: {
      resource: { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "settings", uid: metadata.uid },
    },
  });
  await made.start();
  await made.settle(10_000);
  expect(made.cache.object("/ConfigMap/shop/settings")?.object.metadata.uid).toBe(metadata.uid);
});
