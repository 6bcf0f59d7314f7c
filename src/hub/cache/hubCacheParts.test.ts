import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { widget } from "../../../test/builders/index.ts";
import { bundleObject, clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../../apis/index.ts";
import { CLUSTERPLACEMENTS, CONFIGMAPS, DEMOAPPLICATIONS, MANIFESTBUNDLES, NAMESPACES } from "../../runtime/index.ts";
import { HubCache } from "./hubCache.ts";
import { StatusStore } from "../statusStore.ts";
import { application, setUpHub } from "../testing/fakeHub.ts";

const configMap: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "platform" },
};

describe("a cache of the hub", () => {
  test("has a catalog of its own where nobody gives it one", () => {
    const { shared, catalog } = setUpHub();
    const cache = new HubCache(shared);
    expect(cache.catalog).not.toBe(catalog);
    expect(cache.kinds.map(({ type }) => type.kind)).toEqual(["DemoApplication", "ManifestBundle"]);
    expect(setUpHub().cache.catalog.hubKinds()).toHaveLength(2);
  });

  test.each<[readonly string[] | undefined, boolean]>([
    [["platform"], true],
    [["other"], false],
    [undefined, false],
  ])("knows the namespaces that are the hub's own: %j", (protectedNamespaces, want) => {
    const { cache } = setUpHub(protectedNamespaces === undefined ? {} : { protectedNamespaces });
    expect("hubsOwn" in cache.planned.settingOf(configMap)).toBe(want);
  });

  test("lets go of what it reads of CRDs when it ends", async () => {
    const { cache } = setUpHub();
    const end = new AbortController();
    const disposed = vi.spyOn(cache.kindDeletions, Symbol.dispose);
    const running = cache.run(end.signal);
    end.abort(new Error("over"));
    await running;
    expect(disposed).toHaveBeenCalledTimes(1);
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

  test("does not ask a propagated object which kinds it becomes", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    hub.serve(CONFIGMAPS);
    const resourceSelectors = [{ apiVersion: "v1", kind: "ConfigMap" }];
    server.create(CLUSTERPLACEMENTS, clusterPlacementObject({ resourceSelectors }));
    server.create(CONFIGMAPS, configMap);
    await start();
    await settle(10_000);
    const found = cache.object("/ConfigMap/platform/a");
    if (found === undefined) throw new Error("the ConfigMap is not known");
    const status = { observedGeneration: 1, unlistedClusters: ["east"], kinds: ["Job.batch"] };
    await new StatusStore({ hub: cache, client: hub }).write(found, status, new AbortController().signal);
    expect([...cache.reportedOn("east")]).toEqual(["/ConfigMap/platform/a"]);
    expect([...cache.recordedKindsOn("east")]).toEqual([]);
  });
});

describe("what vanishes at once", () => {
  test("is counted by the metrics while it is held", async () => {
    const { server, metrics, start, settle } = setUpHub();
    for (let n = 0; n < 12; n += 1) server.create(DEMOAPPLICATIONS, application(`a${n}`));
    await start();
    const told = vi.spyOn(metrics, "setDeletionsHeld");
    server.dropWatches();
    for (let n = 0; n < 12; n += 1) server.delete(DEMOAPPLICATIONS, "default", `a${n}`);
    server.compact();
    await settle(60_000);
    expect(told.mock.calls).toEqual([
      ["hub", true],
      ["hub", false],
    ]);
  });

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

  test("may be what the list did not show: that is told with the kind", async () => {
    const { cache, lines, start } = setUpHub();
    await start();
    const [kind] = cache.kinds;
    if (kind === undefined) throw new Error("nothing is placed");
    vi.spyOn(kind.informer, "agreesWithServer").mockResolvedValueOnce(false);
    const ref = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "a" };
    await cache.relistIfBehind(ref, new AbortController().signal);
    expect(lines).toMatchObject([
      {
        level: "warn",
        resource: "demoapplications",
        msg: "the hub has objects that its list did not show; nothing of theirs is deleted, and they are listed anew",
      },
    ]);
  });
});
