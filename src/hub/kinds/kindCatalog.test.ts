import { describe, expect, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, CLUSTERPLACEMENTS, DEMOAPPLICATIONS, MANIFESTBUNDLES, TransportError } from "../../runtime/index.ts";
import type { FakeCluster } from "../../runtime/testing/fakeCluster.ts";
import { application, setUpHub } from "../testing/fakeHub.ts";
import { WIDGETS } from "../testing/placedByHand.ts";

const widget = (name: string) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "default", managedFields: [{ manager: "kubectl" }] },
});
const selectingWidgets = clusterPlacementObject({
  resourceSelectors: [{ apiVersion: "example.com/v1", kind: "Widget" }],
});
const MINUTE_MS = 60_000;

describe("a kind that Meridian cannot do without", () => {
  test("is watched at once, and discovery is not asked while all is well", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    await start();
    await settle(10 * MINUTE_MS);
    expect(cache.synced).toBe(true);
    expect(hub.calls.filter((call) => call.startsWith("raw"))).toEqual([]);
  });

  test("that is not served yet is not asked for again and again, keeps the hub unsynced, and is watched when its CRD is there", async () => {
    const { hub, server, cache, reasons, start, settle } = setUpHub();
    hub.withdraw(DEMOAPPLICATIONS);
    await start();
    await settle(2_000);
    const asked = hub.count("watch", DEMOAPPLICATIONS) + hub.count("list", DEMOAPPLICATIONS);
    await settle(10 * MINUTE_MS);
    expect(hub.count("watch", DEMOAPPLICATIONS) + hub.count("list", DEMOAPPLICATIONS)).toBe(asked);
    const names = (types: readonly { kind: string }[]) => types.map(({ kind }) => kind);
    expect([cache.synced, names(cache.kinds.map(({ type }) => type)), names(cache.catalog.hubKinds())]).toEqual([
      false,
      ["ManifestBundle"],
      ["ManifestBundle"],
    ]);

    const keys: string[] = [];
    using _subscription = cache.onObject(({ key }) => void keys.push(key));
    hub.serve(DEMOAPPLICATIONS);
    server.create(DEMOAPPLICATIONS, application("a"));
    await settle(7_000);
    expect(cache.synced).toBe(true);
    expect(keys).toEqual(["paas.cmft.com/DemoApplication/default/a"]);
    expect(reasons()).toEqual(["NotFound", "KindNotServed", "KindServed"]);
  });

  test("that goes away keeps the objects that were never seen deleted, until they are", async () => {
    const { hub, server, cache, lines, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    await start();
    const events: string[] = [];
    using _subscription = cache.onObject(({ type, key }) => void events.push(`${type} ${key}`));
    hub.withdraw(DEMOAPPLICATIONS);
    await settle(MINUTE_MS);
    const owner = "paas.cmft.com/DemoApplication/default/a";
    expect([cache.synced, cache.object(owner)?.object.metadata.name]).toEqual([false, "a"]);
    expect(lines).toContainEqual(expect.objectContaining({ resource: "demoapplications", objects: 1 }));

    hub.serve(DEMOAPPLICATIONS);
    server.delete(DEMOAPPLICATIONS, "default", "a");
    await settle(20_000);
    expect([cache.synced, cache.object(owner), events]).toEqual([
      true,
      undefined,
      [`Added ${owner}`, `Deleted ${owner}`],
    ]);
  });
});

describe("bundles", () => {
  test("that the hub does not serve, since its kinds are of an earlier release, keep it from nothing", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    hub.withdraw(MANIFESTBUNDLES);
    server.create(DEMOAPPLICATIONS, application("a"));
    await start();
    await settle(2_000);
    expect([cache.synced, cache.kinds.map(({ type }) => type.kind)]).toEqual([true, ["DemoApplication"]]);
    hub.serve(MANIFESTBUNDLES);
    await settle(7_000);
    expect([cache.synced, cache.kinds.map(({ type }) => type.kind)]).toEqual([
      true,
      ["DemoApplication", "ManifestBundle"],
    ]);
  });
});

describe("a kind that is propagated as it is", () => {
  test("is watched from when a policy selects it and the hub serves it, with the owners of its fields, until the hub does not", async () => {
    const { hub, server, cache, catalog, start, settle } = setUpHub();
    let changes = 0;
    using _subscription = catalog.onChange(() => (changes += 1));
    await start();
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    const groups = (): string[] => catalog.rights().flatMap(({ apiGroups }) => apiGroups);
    expect(groups()).toEqual(["", "apps", "", ""]);
    await settle(2_000);
    expect([catalog.hubKinds().length, cache.synced, changes]).toEqual([2, true, 0]);

    hub.serve(WIDGETS);
    server.create(WIDGETS, widget("a"));
    await settle(7_000);
    expect(catalog.hubKinds().map(({ kind }) => kind)).toEqual(["DemoApplication", "ManifestBundle", "Widget"]);
    expect(catalog.memberKinds().map(({ kind }) => kind)).toEqual([
      "Deployment",
      "Service",
      "ConfigMap",
      "Secret",
      "Namespace",
      "Widget",
    ]);
    expect(groups()).toEqual(["", "apps", "", "example.com", ""]);
    const found = cache.object("example.com/Widget/default/a");
    expect(found?.object.metadata.managedFields).toHaveLength(1);
    expect(found?.kind.interpreter.kind).toBe("Widget");
    expect([cache.synced, changes]).toEqual([true, 1]);

    server.delete(WIDGETS, "default", "a");
    await settle();
    hub.withdraw(WIDGETS);
    await settle(2_000);
    expect([cache.kindOf({ apiVersion: "example.com/v1", kind: "Widget" }), cache.synced, changes]).toEqual([
      undefined,
      true,
      2,
    ]);
  });

  test("keeps the cache from being synced until the hub has said whether it serves the kind, and its objects are known", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    await start();
    expect(cache.synced).toBe(true);
    let syncs = 0;
    using _subscription = cache.syncs.subscribe(() => (syncs += 1));
    hub.discoveryFailure = new TransportError("ConnectionReset", "connection reset");
    hub.serve(WIDGETS);
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    await settle(MINUTE_MS);
    expect([cache.synced, syncs]).toEqual([false, 0]);
    hub.discoveryFailure = undefined;
    await settle(MINUTE_MS);
    expect([cache.synced, syncs, cache.kinds.length]).toEqual([true, 1, 3]);
  });

  test("that the hub does not serve is known as such, which changes once", async () => {
    const { hub, server, catalog, start, settle } = setUpHub();
    const selector = { apiVersion: "example.com/v1", kind: "Widget" };
    const states = (): string[] =>
      [selector, { apiVersion: "v1", kind: "Event" }, { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }].map(
        (one) => catalog.servingState(one),
      );
    await start();
    expect(states()).toEqual(["Unknown", "NeverPlaced", "Namespaced"]);
    let settlements = 0;
    using _subscription = catalog.settlements.subscribe(() => (settlements += 1));
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    await settle(MINUTE_MS);
    expect([states()[0], settlements]).toEqual(["NotServed", 1]);
    expect(catalog.servedIn(selector)).toBeUndefined();
    hub.serve({ ...WIDGETS, group: "other.example" });
    await settle(7_000);
    expect([states()[0], settlements, catalog.servedIn(selector)]).toEqual(["NotServed", 2, "other.example/v1"]);
    hub.serve({ ...WIDGETS, namespaced: false });
    await settle(7_000);
    expect([states()[0], settlements]).toEqual(["ClusterScoped", 3]);
  });

  test("keeps being watched when the policy is gone: what it placed is still to be taken back", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    hub.serve(WIDGETS);
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    await start();
    await settle(2_000);
    server.delete(CLUSTERPLACEMENTS, undefined, selectingWidgets.metadata.name);
    await settle(MINUTE_MS);
    expect(cache.kinds.map(({ type }) => type.kind)).toEqual(["DemoApplication", "ManifestBundle", "Widget"]);
  });
});

describe("the version of a kind", () => {
  const placing = (name: string, ...versions: string[]): KubeObject => ({
    ...selectingWidgets,
    metadata: { name },
    spec: { resourceSelectors: versions.map((version) => ({ apiVersion: `example.com/${version}`, kind: "Widget" })) },
  });
  let generation = 1;
  const change = (server: FakeCluster, { metadata: { name }, spec }: KubeObject): unknown =>
    server.merge(CLUSTERPLACEMENTS, undefined, name, { metadata: { generation: (generation += 1) }, spec });
  const reading = async (...placements: KubeObject[]) => {
    const set = setUpHub();
    // The version that a server prefers comes first.
    set.hub.serve({ ...WIDGETS, version: "v2" });
    set.hub.serve(WIDGETS);
    set.server.create(WIDGETS, widget("a"));
    for (const placement of placements) set.server.create(CLUSTERPLACEMENTS, placement);
    await set.start();
    await set.settle(2_000);
    const version = () => set.cache.kindOf({ apiVersion: "example.com/v1", kind: "Widget" })?.type.version;
    return { ...set, version };
  };

  test("is the one that a policy names, follows the policy at once, and stays when the policy is gone", async () => {
    const { server, cache, settle, version } = await reading(placing("a", "v1"));
    expect(version()).toBe("v1");
    change(server, placing("a", "v2"));
    await settle(2_000);
    expect([version(), cache.catalog.readIn({ apiVersion: "example.com/v1", kind: "Widget" })]).toEqual([
      "v2",
      "example.com/v2",
    ]);
    expect(cache.object("example.com/Widget/default/a")).toBeDefined();
    change(server, placing("a", "v1"));
    await settle(2_000);
    expect(version()).toBe("v1");
    server.delete(CLUSTERPLACEMENTS, undefined, "a");
    await settle(2_000);
    expect(version()).toBe("v1");
  });

  test("is, of several that policies name, the one that the hub prefers, whichever came first", async () => {
    const { server, hub, settle, version } = await reading(placing("a", "v1"), placing("b", "v2", "v0"));
    expect(version()).toBe("v2");
    change(server, placing("b", "v1"));
    await settle(2_000);
    expect(version()).toBe("v1");
    const asked = hub.calls.filter((call) => call.startsWith("raw")).length;
    server.delete(CLUSTERPLACEMENTS, undefined, "b");
    await settle(MINUTE_MS);
    expect([version(), hub.calls.filter((call) => call.startsWith("raw")).length]).toEqual(["v1", asked]);
  });
});

describe("a kind of dependencies that few objects have", () => {
  const kinds = ({ catalog }: ReturnType<typeof setUpHub>["cache"]): string[] =>
    catalog.memberKinds().map(({ kind }) => kind);
  const needs = (kind: string) => [{ ref: { apiVersion: "v1", kind } }];

  test("is watched on members from the first one on, and discovery is not asked for it", async () => {
    const { hub, cache, start, settle } = setUpHub();
    await start();
    const before = kinds(cache);
    let changes = 0;
    using _subscription = cache.catalog.onChange(() => (changes += 1));
    cache.catalog.need(needs("Secret"));
    cache.catalog.need([]);
    expect([changes, kinds(cache)]).toEqual([0, before]);
    expect(before).not.toContain("ServiceAccount");
    cache.catalog.need(needs("ServiceAccount"));
    cache.catalog.need(needs("ServiceAccount"));
    expect(changes).toBe(1);
    expect(kinds(cache).toSorted()).toEqual([...before, "ServiceAccount"].toSorted());
    expect(cache.catalog.rights().flatMap(({ resources }) => resources)).toContain("serviceaccounts");
    cache.catalog.need(needs("PersistentVolumeClaim"));
    expect(kinds(cache)).toContain("PersistentVolumeClaim");
    await settle(MINUTE_MS);
    expect(hub.calls.filter((call) => call.startsWith("raw"))).toEqual([]);
  });
});

describe("a kind that the manager may not read on the hub", () => {
  async function denied() {
    const parts = setUpHub();
    const { hub, server, start, settle } = parts;
    const may = { read: false };
    hub.gate = ({ verb, type, phase }) => {
      if (phase === "before" && !may.read && ["list", "watch"].includes(verb) && type?.plural === "widgets")
        throw new ApiError(403, "Forbidden", "widgets is forbidden");
    };
    hub.serve(WIDGETS);
    server.create(WIDGETS, widget("a"));
    server.create(DEMOAPPLICATIONS, application("a"));
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    await start();
    await settle(2_000);
    return { ...parts, may };
  }

  test("is known as soon as it may be read", async () => {
    const { cache, may, settle } = await denied();
    const denials: number[] = [];
    cache.denials.subscribe(() => denials.push([...cache.deniedKinds()].length));
    const heard: string[] = [];
    cache.onObject(({ object, type: change }) => heard.push(`${change} ${object.kind}`));
    may.read = true;
    await settle(MINUTE_MS);
    expect(cache.synced).toBe(true);
    expect([...cache.deniedKinds()]).toEqual([]);
    expect(denials).toEqual([0]);
    expect(heard).toEqual(["Added DemoApplication", "Added Widget"]);
    expect(cache.object("example.com/Widget/default/a")?.object.metadata.name).toBe("a");
  });
});
