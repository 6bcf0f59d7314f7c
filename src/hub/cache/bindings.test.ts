import { describe, expect, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import { type KubeObject, OBJECT_FINALIZER } from "../../apis/index.ts";
import { CLUSTERPLACEMENTS, CONFIGMAPS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { StatusStore } from "../statusStore.ts";
import { setUpHub } from "../testing/fakeHub.ts";

const signal = new AbortController().signal;
const OWNER = "/ConfigMap/shop/settings";
const selectsConfigMaps = clusterPlacementObject({ resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }] });
const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop", managedFields: [{ manager: "kubectl" }] },
};
const status = { observedGeneration: 0, clusters: [], unlistedClusters: ["east"] };

/** A hub that serves ConfigMaps, one of which a policy selects. */
async function placed() {
  const made = setUpHub();
  const { hub, server, cache, start, settle } = made;
  hub.serve(CONFIGMAPS);
  server.create(CLUSTERPLACEMENTS, selectsConfigMaps);
  server.create(CONFIGMAPS, settings);
  await start();
  await settle(10_000);
  const store = new StatusStore({ hub: cache, client: hub });
  const found = () => {
    const object = cache.object(OWNER);
    if (object === undefined) throw new Error("the ConfigMap is not known");
    return object;
  };
  /** The fake knows no JSON patches: the finalizer goes by hand. */
  const unfinalized = async (): Promise<void> => {
    server.merge(RESOURCEBINDINGS, "shop", "configmap.settings", { metadata: { finalizers: null } });
    await settle();
  };
  const binding = (): KubeObject => server.get(RESOURCEBINDINGS, "shop", "configmap.settings");
  return { ...made, store, found, binding, unfinalized };
}

describe("the status of a propagated object", () => {
  test("stands in its binding, which is made for it and names this life of the object", async () => {
    const { store, found, binding, cache } = await placed();
    await store.write(found(), status, signal);
    const { uid } = found().object.metadata;
    expect(binding()["spec"]).toEqual({
      resource: { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "settings", uid },
    });
    expect(binding().metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    expect(store.read(OWNER)).toEqual(status);
    expect([...store.recorded(OWNER)]).toEqual(["east"]);
    expect([...cache.reportedOn("east")]).toEqual([OWNER]);
    expect(found().object["status"]).toBeUndefined();
  });

  test("is not what somebody else wrote into the object's own", async () => {
    const { server, store, settle } = await placed();
    server.merge(CONFIGMAPS, "shop", "settings", { status: { clusters: "three", observedGeneration: 9 } });
    await settle();
    expect(store.read(OWNER)).toBeUndefined();
    expect([...store.recorded(OWNER)]).toEqual([]);
  });

  test("is known for as long as the object is there, also when its binding was removed", async () => {
    const { server, store, found, settle } = await placed();
    await store.write(found(), status, signal);
    expect(store.isKept(OWNER)).toBe(true);
    server.delete(RESOURCEBINDINGS, "shop", "configmap.settings");
    await settle();
    expect([store.read(OWNER), store.isKept(OWNER)]).toEqual([status, false]);
    await store.write(found(), status, signal);
    expect(store.isKept(OWNER)).toBe(true);
  });

  test("is not that of an earlier life of the object, whose binding makes room", async () => {
    const { server, store, found, binding, settle, unfinalized } = await placed();
    await store.write(found(), status, signal);
    await unfinalized();
    const before = found().object.metadata.uid;
    server.delete(CONFIGMAPS, "shop", "settings");
    server.create(CONFIGMAPS, settings);
    await settle();
    expect(store.read(OWNER)).toBeUndefined();
    await store.bind(found(), signal);
    expect(binding()["spec"]).not.toMatchObject({ resource: { uid: before } });
    expect(binding()["status"]).toBeUndefined();
  });

  test("goes when Meridian lets go of the object", async () => {
    const { server, store, found, settle, unfinalized } = await placed();
    await store.write(found(), status, signal);
    await unfinalized();
    await store.unbind(found(), signal);
    await settle();
    expect(server.list(RESOURCEBINDINGS)).toEqual([]);
    expect(store.read(OWNER)).toBeUndefined();
  });
});

test("a kind that a binding names is watched, though no policy selects it any more", async () => {
  const made = setUpHub();
  made.hub.serve(CONFIGMAPS);
  const { metadata } = made.server.create(CONFIGMAPS, settings);
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
  expect(made.cache.object(OWNER)?.object.metadata.uid).toBe(metadata.uid);
});
