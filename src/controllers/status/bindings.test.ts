import { describe, expect, onTestFinished, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import {
  bindingName,
  type KubeObject,
  OBJECT_FINALIZER,
  refKey,
  refOf,
  type ResourceBinding,
} from "../../apis/index.ts";
import { setUpHub } from "../../hub/testing/fakeHub.ts";
import {
  ApiError,
  apiVersionOf,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CLUSTERROLES,
  CONFIGMAPS,
  type ListOptions,
  NAMESPACES,
  RESOURCEBINDINGS,
  type ResourceType,
  LEASES,
} from "../../runtime/index.ts";
import { BindingReconciler } from "./bindings.ts";

const DELETED = "2026-11-22T10:00:00Z";
const SETTINGS = "/ConfigMap/shop/settings";
const BINDING = "configmap.settings";
const WIDGETS = { ...CONFIGMAPS, group: "shop.example", kind: "Widget", plural: "widgets" };
const selects = (...kinds: readonly ResourceType[]): KubeObject =>
  clusterPlacementObject({
    resourceSelectors: kinds.map((type) => ({ apiVersion: apiVersionOf(type), kind: type.kind, name: "settings" })),
  });

function objectOf(type: ResourceType, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const namespace = type.namespaced ? { namespace: "shop" } : {};
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name: "settings", uid: "u1", ...namespace, managedFields: [{ manager: "kubectl" }], ...metadata },
  };
}

function bindingOf(object: KubeObject, metadata: object = {}, more: object = {}): KubeObject {
  const { namespace, name, uid } = object.metadata;
  const where = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: apiVersionOf(RESOURCEBINDINGS),
    kind: namespace === undefined ? "ClusterResourceBinding" : "ResourceBinding",
    metadata: { name: bindingName(refOf(object)), ...where, ...metadata },
    spec: { resource: { apiVersion: object.apiVersion, kind: object.kind, ...where, name, uid } },
    ...more,
  };
}

interface Given {
  objects?: readonly KubeObject[];
  binding?: KubeObject;
  policy?: KubeObject;
  /** Metadata of the namespace. */
  namespace?: object;
}

/** A synced hub that places ConfigMaps and ClusterRoles, but no Leases. */
async function keeping({ objects = [], binding, policy, namespace = {} }: Given) {
  const made = setUpHub();
  const { hub, server, cache, start, settle } = made;
  hub.serve(CONFIGMAPS, CLUSTERROLES, LEASES);
  server.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", ...namespace } });
  if (policy !== undefined) server.create(CLUSTERPLACEMENTS, policy);
  for (const one of objects) server.create(typeOf(one), one);
  if (binding !== undefined)
    server.create(binding.metadata.namespace === undefined ? CLUSTERRESOURCEBINDINGS : RESOURCEBINDINGS, binding);
  const said: string[] = [];
  const note =
    (what: string) =>
    async ({ metadata }: ResourceBinding): Promise<void> =>
      void said.push(`${what} ${metadata.name}`);
  const store = { discard: note("discard"), renew: note("renew") };
  const reconciler = new BindingReconciler({ hub: cache, client: hub, store });
  await start();
  await settle(10_000);
  const { signal } = new AbortController();
  /** The result of a reconcile, and its requests to the hub. */
  const reconcile = async (owner = SETTINGS) => {
    const before = hub.calls.length;
    const result = await reconciler.reconcile(owner, signal);
    return { result, said, asked: hub.calls.slice(before) };
  };
  const woken: { key: unknown; afterMs: number | undefined }[] = [];
  const subscriptions = new DisposableStack();
  onTestFinished(() => subscriptions.dispose());
  for (const source of reconciler.sources())
    subscriptions.use(source.subscribe((key, afterMs) => void woken.push({ key, afterMs })));
  return { ...made, reconcile, woken };
}

const typeOf = ({ kind }: KubeObject): ResourceType =>
  [CONFIGMAPS, CLUSTERROLES, LEASES].find((type) => type.kind === kind) ?? CONFIGMAPS;
const present = objectOf(CONFIGMAPS);
const held = objectOf(CONFIGMAPS, { finalizers: [OBJECT_FINALIZER] });
const STATUS = { status: { observedGeneration: 1, clusters: [], unlistedClusters: ["east"] } };

describe("a binding stays", () => {
  test.each<{ name: string } & Given>([
    { name: "while a policy selects its object", objects: [present], policy: selects(CONFIGMAPS) },
    { name: "while a manager holds its object", objects: [held] },
    {
      name: "while a manager of another class holds its object",
      objects: [objectOf(CONFIGMAPS, { finalizers: [`${OBJECT_FINALIZER}.canary`] })],
    },
    {
      name: "while its object may be on a cluster",
      objects: [present],
      binding: bindingOf(present, {}, STATUS),
    },
  ])("$name", async ({ name: _, ...given }) => {
    const { reconcile, woken } = await keeping({ binding: bindingOf(present), ...given });
    expect(await reconcile()).toEqual({ result: {}, said: [], asked: [] });
    expect(woken).toEqual([]);
  });

  test("and is looked at again, while the hub itself says that its object is held, which the cache lacks", async () => {
    const { hub, server, reconcile, settle } = await keeping({ objects: [present], binding: bindingOf(present) });
    const options: ListOptions[] = [];
    const { gate } = hub;
    hub.gate = (call) => {
      if (call.verb === "list" && call.phase === "before") {
        options.push(call.options);
        server.merge(CONFIGMAPS, "shop", "settings", { metadata: { finalizers: [OBJECT_FINALIZER] } });
      }
      return gate(call);
    };
    expect(await reconcile()).toEqual({ result: { requeueAfter: 30_000 }, said: [], asked: ["list configmaps"] });
    expect(options).toEqual([
      {
        namespace: "shop",
        fieldSelector: "metadata.name=settings",
        metadataOnly: true,
        signal: expect.any(AbortSignal) as AbortSignal,
      },
    ]);
    await settle();
  });

  test("and is looked at again, while the hub cannot say of its kind", async () => {
    const { hub, reconcile, settle } = await keeping({ binding: bindingOf(objectOf(WIDGETS)) });
    const raw = hub.raw.bind(hub);
    const ask = async (group: string) => {
      hub.raw = async (method, path) => {
        const all = (await raw(method, path)) as { items: object[] };
        const versions = [{ version: "v1", freshness: "Stale", resources: [] }];
        return path === "/api" ? all : { ...all, items: [...all.items, { metadata: { name: group }, versions }] };
      };
      await settle(60_000);
      return await reconcile(refKey(refOf(objectOf(WIDGETS))));
    };
    expect(await ask("shop.example")).toMatchObject({ result: { requeueAfter: 30_000 }, said: [] });
    expect(await ask("other.example")).toMatchObject({ result: {}, said: ["discard widget.shop.example.settings"] });
  });

  test("where the hub gives an error instead of an answer", async () => {
    const { hub, reconcile } = await keeping({ objects: [present], binding: bindingOf(present) });
    hub.gate = () => {
      throw new ApiError(500, "InternalError", "etcd is away");
    };
    await expect(reconcile()).rejects.toThrow("etcd is away");
  });
});

describe("a binding is removed", () => {
  test.each<{ name: string; asked?: readonly string[] } & Given>([
    { name: "when its object is gone" },
    {
      name: "when others hold its object",
      objects: [objectOf(CONFIGMAPS, { finalizers: ["kubernetes.io/hold"] })],
    },
    {
      name: "when it is of an earlier life of its object",
      objects: [objectOf(CONFIGMAPS, { uid: "u2", finalizers: [OBJECT_FINALIZER] })],
      policy: selects(CONFIGMAPS),
    },
  ])("$name", async ({ name: _, ...given }) => {
    const { reconcile } = await keeping({ binding: bindingOf(present), ...given });
    expect(await reconcile()).toEqual({ result: {}, said: [`discard ${BINDING}`], asked: ["list configmaps"] });
  });

  test("with its status, when the object itself is gone", async () => {
    const { reconcile } = await keeping({ binding: bindingOf(present, {}, STATUS) });
    expect((await reconcile()).said).toEqual([`discard ${BINDING}`]);
  });

  test("when the hub does not serve the kind, or not any more", async () => {
    const unknown = bindingOf(objectOf(WIDGETS));
    const first = await keeping({ binding: unknown });
    expect(await first.reconcile(refKey(refOf(objectOf(WIDGETS))))).toMatchObject({
      result: {},
      said: [`discard ${unknown.metadata.name}`],
    });
    const second = await keeping({ binding: bindingOf(present) });
    second.hub.withdraw(CONFIGMAPS);
    const { asked, ...rest } = await second.reconcile();
    expect(rest).toEqual({ result: {}, said: [`discard ${BINDING}`] });
    expect(asked[0]).toBe("list configmaps");
  });

  test("not while the hub has the object in another version than the one that it served before", async () => {
    const { hub, server, reconcile } = await keeping({ binding: bindingOf(present) });
    hub.withdraw(CONFIGMAPS);
    hub.serve({ ...CONFIGMAPS, version: "v2" });
    server.create(CONFIGMAPS, { ...present, metadata: { ...present.metadata, finalizers: [OBJECT_FINALIZER] } });
    expect(await reconcile()).toMatchObject({ result: { requeueAfter: 30_000 }, said: [] });
  });

  test("of a kind that is served and not placed: the hub is asked for the object", async () => {
    const lease = objectOf(LEASES, { finalizers: [OBJECT_FINALIZER] });
    const { reconcile, server } = await keeping({ objects: [lease], binding: bindingOf(lease) });
    const owner = refKey(refOf(lease));
    expect(await reconcile(owner)).toMatchObject({ result: { requeueAfter: 30_000 }, said: [] });
    server.merge(LEASES, "shop", "settings", { metadata: { finalizers: null } });
    expect(await reconcile(owner)).toMatchObject({ result: {}, said: ["discard lease.coordination.k8s.io.settings"] });
  });
});

describe("a binding that somebody deletes", () => {
  const deleted = bindingOf(present, { deletionTimestamp: DELETED });

  test("is made again", async () => {
    const { hub, reconcile } = await keeping({ objects: [held], binding: deleted });
    const options: object[] = [];
    hub.gate = (call) => void (call.phase === "before" && options.push(call.options));
    expect(await reconcile()).toEqual({ result: {}, said: [`renew ${BINDING}`], asked: ["get namespaces"] });
    expect(options).toEqual([{ metadataOnly: true, signal: expect.any(AbortSignal) as AbortSignal }]);
  });

  test("goes with its object", async () => {
    const object = { ...held, metadata: { ...held.metadata, deletionTimestamp: DELETED } };
    const { reconcile } = await keeping({ objects: [object], binding: deleted });
    expect(await reconcile()).toEqual({ result: {}, said: [], asked: [] });
  });

  test("goes with its namespace", async () => {
    const namespace = { deletionTimestamp: DELETED };
    const { reconcile } = await keeping({ objects: [held], binding: deleted, namespace });
    expect(await reconcile()).toEqual({ result: {}, said: [], asked: ["get namespaces"] });
  });
});

describe("bindings are looked at, once whoever lets go of an object has had time to remove them", () => {
  const now = [{ key: SETTINGS, afterMs: 2_000 }];

  test("when somebody deletes one", async () => {
    const { woken, server, settle } = await keeping({ objects: [held], binding: bindingOf(present) });
    server.merge(RESOURCEBINDINGS, "shop", BINDING, { metadata: { labels: { a: "b" } } });
    await settle();
    expect(woken).toEqual([]);
    server.merge(RESOURCEBINDINGS, "shop", BINDING, { metadata: { deletionTimestamp: DELETED } });
    await settle();
    expect(woken).toEqual(now);
  });

  test("when there is one that should not be", async () => {
    expect((await keeping({ objects: [present], binding: bindingOf(present) })).woken).toEqual(now);
  });

  test("when the object goes, and not when the binding does", async () => {
    const { woken, server, settle } = await keeping({ objects: [held], binding: bindingOf(present) });
    server.merge(CONFIGMAPS, "shop", "settings", { metadata: { labels: { a: "b" } } });
    await settle();
    expect(woken).toEqual([]);
    server.delete(CONFIGMAPS, "shop", "settings");
    await settle();
    expect(woken).toEqual(now);
    server.delete(RESOURCEBINDINGS, "shop", BINDING);
    await settle();
    expect(woken).toEqual(now);
  });
});
