import { describe, expect, test, vi } from "vitest";
import { type FederatedStatus, type KubeObject, type Placement, policyKey, refKey, refOf } from "../../apis/index.ts";
import {
  clusterObject,
  clusterPlacementObject,
  overrideObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import {
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  from,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
} from "../../runtime/index.ts";
import { changedFacts, changedSpec } from "./events.ts";
import { StatusStore } from "../statusStore.ts";
import { application, SELECTS_APPLICATIONS, setUpHub } from "../testing/fakeHub.ts";

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
    server.create(MEMBERCLUSTERS, clusterObject({}, "east"));
    expect(cache.synced).toBe(false);
    const synced = cache.waitForSync(new AbortController().signal);
    await expect(cache.waitForSync(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    await start();
    await synced;
    expect(cache.synced).toBe(true);
    const [object] = [...cache.objects()];
    expect(object?.metadata.managedFields).toBeUndefined();
    expect(object?.metadata.annotations).toEqual({ note: "x" });
    expect(cache.clusters.get("east")?.kind).toBe("MemberCluster");
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

  test("finds a policy by its key", async () => {
    const { server, cache, start } = setUpHub();
    server.create(CLUSTERPLACEMENTS, clusterPlacementObject({}));
    await start();
    const found = cache.policy("ClusterPlacement//subject");
    expect(found?.informer).toBe(cache.placements[1]);
    expect(found && policyKey(found.policy)).toBe("ClusterPlacement//subject");
    expect(cache.policy("Placement/default/subject")).toBeUndefined();
    expect(cache.policy("constructor//subject")).toBeUndefined();
  });

  test("holds deletions while too much has vanished at once, and says when that begins and ends", async () => {
    const { server, cache, reasons, start, settle } = setUpHub();
    for (let n = 0; n < 12; n += 1) server.create(DEMOAPPLICATIONS, application(`a${n}`));
    await start();
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

describe("the objects that a policy selects", () => {
  const select = (resourceSelectors: object[], namespaced = false): Placement =>
    (namespaced
      ? placementObject({ resourceSelectors })
      : clusterPlacementObject({ resourceSelectors })) as unknown as Placement;

  test.each<{ name: string; policy: Placement; old?: Placement; want: string[]; compared: number }>([
    {
      name: "a namespaced policy: only of its own namespace",
      policy: select([SELECTS_APPLICATIONS], true),
      want: ["default/a", "default/b"],
      compared: 2,
    },
    {
      name: "by name, in the namespace of the policy",
      policy: select([{ ...SELECTS_APPLICATIONS, name: "a" }], true),
      want: ["default/a"],
      compared: 1,
    },
    {
      name: "by name and namespace",
      policy: select([{ ...SELECTS_APPLICATIONS, name: "a", namespace: "other" }]),
      want: ["other/a"],
      compared: 1,
    },
    {
      name: "by name in every namespace",
      policy: select([{ ...SELECTS_APPLICATIONS, name: "a" }]),
      want: ["default/a", "other/a"],
      compared: 503,
    },
    {
      name: "by label in one namespace",
      policy: select([
        { ...SELECTS_APPLICATIONS, namespace: "default", labelSelector: { matchLabels: { tier: "web" } } },
      ]),
      want: ["default/b"],
      compared: 2,
    },
    {
      name: "in another version of the same group",
      policy: select([{ apiVersion: "paas.cmft.com/v1beta1", kind: "DemoApplication", name: "a", namespace: "other" }]),
      want: ["other/a"],
      compared: 1,
    },
    {
      name: "what it selected before as well",
      policy: select([{ ...SELECTS_APPLICATIONS, name: "a" }], true),
      old: select([{ ...SELECTS_APPLICATIONS, name: "b" }], true),
      want: ["default/a", "default/b"],
      compared: 2,
    },
    {
      name: "no kind that is not placed",
      policy: select([{ apiVersion: "apps/v1", kind: "Deployment" }]),
      want: [],
      compared: 0,
    },
  ])("$name", async ({ policy, old, want, compared }) => {
    const { server, cache, start } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    server.create(DEMOAPPLICATIONS, application("b", "default", { metadata: { name: "b", labels: { tier: "web" } } }));
    server.create(DEMOAPPLICATIONS, application("a", "other"));
    for (let n = 0; n < 500; n += 1) server.create(DEMOAPPLICATIONS, application(`c${n}`, "crowd"));
    await start();
    const [kind] = cache.kinds;
    if (kind === undefined) throw new Error("nothing is placed");
    const get = vi.spyOn(kind.informer, "get");
    const event = { object: policy, ...(old === undefined ? {} : { old }) };
    const keys = [...cache.selectedBy(event)].filter((key) => key !== undefined).toSorted();
    expect(keys).toEqual(want.map((key) => `paas.cmft.com/DemoApplication/${key}`));
    expect(get).toHaveBeenCalledTimes(compared);
  });
});

describe("a status", () => {
  const OWNER = "paas.cmft.com/DemoApplication/default/a";
  const status = { observedGeneration: 1 } as FederatedStatus;

  async function setUp() {
    const made = setUpHub();
    made.server.create(DEMOAPPLICATIONS, application("a"));
    await made.start();
    const store = new StatusStore({ hub: made.cache, client: made.hub });
    const found = made.cache.object(OWNER);
    if (found === undefined) throw new Error("the object is not known");
    return { ...made, store, found };
  }
  const { signal } = new AbortController();

  test("is written by one server-side apply of it alone, and read from the cache at once", async () => {
    const { hub, store, found } = await setUp();
    const apply = vi.spyOn(hub, "applyStatus");
    expect(store.read(OWNER)).toBeUndefined();
    await store.write(found, status, signal);
    expect(store.read(OWNER)).toEqual(status);
    const body = {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { namespace: "default", name: "a" },
    };
    expect(apply.mock.calls).toEqual([
      [found.kind.type, { ...body, status }, { force: true, fieldManager: "meridian", signal }],
    ]);
  });

  test("written to an object that began to be deleted meanwhile leaves that news to the watch", async () => {
    const { hub, server, cache, store, found, settle } = await setUp();
    hub.gate = ({ verb, phase }) => {
      if (verb !== "applyStatus" || phase !== "before") return;
      server.merge(DEMOAPPLICATIONS, "default", "a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    };
    await store.write(found, status, signal);
    expect(cache.object(OWNER)?.object.metadata.deletionTimestamp).toBeUndefined();
    await settle();
    const deleted = cache.object(OWNER);
    expect(deleted?.object.metadata.deletionTimestamp).toBeDefined();
    if (deleted === undefined) throw new Error("the object is not known");
    await store.write(deleted, { observedGeneration: 2 } as FederatedStatus, signal);
    expect(store.read(OWNER)).toEqual({ observedGeneration: 2 });
  });
});
