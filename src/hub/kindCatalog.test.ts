import { describe, expect, test } from "vitest";
import { clusterPlacementObject } from "../../test/builders/policyObjects.ts";
import {
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  type ResourceType,
  TransportError,
} from "../runtime/index.ts";
import { rightsOn } from "./rights.ts";
import { application, setUpHub } from "./testing/fakeHub.ts";

const WIDGETS: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
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

  test("is let go of when its CRD is deleted with its objects, and nothing counts as known any more", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, application("a"));
    await start();
    server.delete(DEMOAPPLICATIONS, "default", "a");
    await settle();
    hub.withdraw(DEMOAPPLICATIONS);
    await settle(2_000);
    expect([cache.synced, cache.kinds.map(({ type }) => type.kind)]).toEqual([false, ["ManifestBundle"]]);
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

  test("stays as it is while discovery cannot be read", async () => {
    const { hub, cache, start, settle } = setUpHub();
    await start();
    hub.discoveryFailure = new TransportError("ConnectionReset", "connection reset");
    hub.withdraw(DEMOAPPLICATIONS);
    await settle(MINUTE_MS);
    expect(cache.kinds.map(({ type }) => type.kind)).toEqual(["DemoApplication", "ManifestBundle"]);
    hub.discoveryFailure = undefined;
    await settle(MINUTE_MS);
    expect(cache.kinds.map(({ type }) => type.kind)).toEqual(["ManifestBundle"]);
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
    const { hub, server, cache, catalog, start, settle } = setUpHub({ propagated: ["Widget"] });
    let changes = 0;
    using _subscription = catalog.onChange(() => (changes += 1));
    await start();
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
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

  test("is not watched when the interpreter says that it is not propagated", async () => {
    const { hub, server, cache, start, settle } = setUpHub();
    hub.serve(WIDGETS);
    await start();
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    await settle(MINUTE_MS);
    expect(cache.kinds.map(({ type }) => type.kind)).toEqual(["DemoApplication", "ManifestBundle"]);
    expect(hub.calls.filter((call) => call.startsWith("raw"))).toEqual([]);
  });

  test("keeps being watched when the policy is gone: what it placed is still to be taken back", async () => {
    const { hub, server, cache, start, settle } = setUpHub({ propagated: ["Widget"] });
    hub.serve(WIDGETS);
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    await start();
    await settle(2_000);
    server.delete(CLUSTERPLACEMENTS, undefined, selectingWidgets.metadata.name);
    await settle(MINUTE_MS);
    expect(cache.kinds.map(({ type }) => type.kind)).toEqual(["DemoApplication", "ManifestBundle", "Widget"]);
  });

  test("is read in another version when the one before is served no longer, and its objects are the same", async () => {
    const { hub, server, cache, start, settle } = setUpHub({ propagated: ["Widget"] });
    hub.serve(WIDGETS);
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    server.create(WIDGETS, widget("a"));
    await start();
    await settle(2_000);
    const events: string[] = [];
    using _subscription = cache.onObject(({ type, key, initial }) => void events.push(`${type} ${key} ${initial}`));
    hub.withdraw(WIDGETS);
    hub.serve({ ...WIDGETS, version: "v2" });
    await settle(MINUTE_MS);
    expect(cache.kindOf({ apiVersion: "example.com/v1", kind: "Widget" })?.type.version).toBe("v2");
    expect(cache.object("example.com/Widget/default/a")).toBeDefined();
    expect(events.filter((event) => event.startsWith("Deleted"))).toEqual([]);
  });
});

describe("rights", () => {
  test("are one rule for each API group", () => {
    const secrets = { group: "", plural: "secrets" };
    const rules = rightsOn([WIDGETS, secrets, { group: "", plural: "configmaps" }, secrets], ["get"]);
    expect(rules).toEqual([
      { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get"] },
      { apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["get"] },
    ]);
  });

  test("on members follow the kinds", async () => {
    const { hub, server, catalog, start, settle } = setUpHub({ propagated: ["Widget"] });
    const groups = (): string[] => catalog.rights().flatMap(({ apiGroups }) => apiGroups);
    expect(groups()).toEqual(["", "apps", "", ""]);
    hub.serve(WIDGETS);
    server.create(CLUSTERPLACEMENTS, selectingWidgets);
    await start();
    await settle(2_000);
    expect(groups()).toEqual(["", "apps", "", "example.com", ""]);
  });
});
