import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject, ObjectMeta, ResourceBinding } from "../../apis/index.ts";
import {
  CLUSTERRESOURCEBINDINGS,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  type Informer,
  RESOURCEBINDINGS,
} from "../../runtime/index.ts";
import { Bindings, ownerOfBinding } from "./bindings.ts";
import type { HubEvent } from "./events.ts";
import type { PlacedKind } from "./placedKinds.ts";
import { Statuses } from "./statuses.ts";

const API = "federation.paas.cmft.com/v1alpha1";
const status = (...unlistedClusters: string[]): FederatedStatus => ({ observedGeneration: 1, unlistedClusters });
const configMap = (uid = "u1", more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "shop", uid },
  ...more,
});
const binding = (uid = "u1", more: Partial<ResourceBinding> = {}, name = "configmap.a"): ResourceBinding => ({
  apiVersion: API,
  kind: "ResourceBinding",
  metadata: { name, namespace: "shop", uid: `of-${uid}` },
  spec: { resource: { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a", uid } },
  ...more,
});
const wide: ResourceBinding = {
  apiVersion: API,
  kind: "ClusterResourceBinding",
  metadata: { name: "namespace.n", uid: "of-n" },
  spec: { resource: { apiVersion: "v1", kind: "Namespace", name: "n", uid: "n" } },
};

/** Events by hand; objects as they were given. */
function source<T extends { metadata: ObjectMeta }>() {
  const handlers = new Set<(event: HubEvent<T>) => void>();
  const objects = new Map<string, T>();
  const observed: KubeObject[] = [];
  const keyOf = ({ metadata }: T): string =>
    metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const onEvent = (handler: (event: HubEvent<T>) => void) => {
    handlers.add(handler);
    return { [Symbol.dispose]: () => void handlers.delete(handler) };
  };
  const informer = {
    get: (key: string) => objects.get(key),
    keys: () => objects.keys(),
    list: () => [...objects.values()],
    observe: (object: KubeObject) => void observed.push(object),
    onEvent,
    follow: onEvent,
  };
  const emit = (type: HubEvent<T>["type"], object: T): void => {
    const key = keyOf(object);
    if (type === "Deleted") objects.delete(key);
    else objects.set(key, object);
    for (const handler of handlers) handler({ type, object, key } as HubEvent<T>);
  };
  return { informer: informer as unknown as Informer<T>, emit, observed, handlers };
}

function setUp() {
  const [namespaced, clusterScoped] = [source<ResourceBinding>(), source<ResourceBinding>()];
  const asked: unknown[] = [];
  const bindings = new Bindings((type) => {
    asked.push(type);
    return (type === RESOURCEBINDINGS ? namespaced : clusterScoped).informer;
  });
  const [applications, configMaps] = [source<KubeObject>(), source<KubeObject>()];
  const kinds = [
    { type: CONFIGMAPS, informer: configMaps.informer, propagated: true },
    { type: DEMOAPPLICATIONS, informer: applications.informer, propagated: false },
  ] as unknown as PlacedKind[];
  const objects = source<KubeObject>();
  const statuses = new Statuses({
    bindings,
    kinds,
    kindOf: ({ kind }) => kinds.find(({ type }) => type.kind === kind),
    onObject: objects.informer.onEvent.bind(objects.informer),
    objectEvents: objects.informer,
  });
  return { bindings, asked, namespaced, clusterScoped, applications, configMaps, objects, statuses };
}

describe("a binding", () => {
  test("is one of a namespace, or of the hub, and is found by its object and in no other life of it", () => {
    const { bindings, asked, namespaced, clusterScoped } = setUp();
    expect(asked).toEqual([RESOURCEBINDINGS, CLUSTERRESOURCEBINDINGS]);
    namespaced.emit("Added", binding());
    clusterScoped.emit("Added", wide);
    expect(bindings.of(configMap())).toEqual(binding());
    expect(bindings.of(configMap("u2"))).toBeUndefined();
    expect(bindings.named({ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a" })).toEqual(binding());
    expect(bindings.named({ apiVersion: "v1", kind: "Namespace", name: "n" })).toEqual(wide);
    expect(bindings.named({ apiVersion: "v1", kind: "ConfigMap", name: "a" })).toBeUndefined();
    expect([...bindings.list()]).toEqual([binding(), wide]);
  });

  test("that was written is known where it belongs", () => {
    const { bindings, namespaced, clusterScoped } = setUp();
    bindings.observe({ ...binding() });
    bindings.observe({ ...wide });
    expect([namespaced.observed, clusterScoped.observed]).toEqual([[binding()], [wide]]);
  });

  test("tells changes under the key of its object, and none where its name is not that of the object", () => {
    const { bindings, namespaced, clusterScoped } = setUp();
    const keys: string[] = [];
    const subscription = bindings.events.follow(({ key }) => void keys.push(key));
    namespaced.emit("Added", binding());
    namespaced.emit("Added", binding("u1", {}, "other"));
    clusterScoped.emit("Updated", wide);
    expect(keys).toEqual(["/ConfigMap/shop/a", "/Namespace//n"]);
    subscription[Symbol.dispose]();
    namespaced.emit("Updated", binding());
    clusterScoped.emit("Updated", wide);
    expect(keys).toHaveLength(2);
  });

  test("is about nothing in another namespace than its object's", () => {
    expect(ownerOfBinding(binding())).toBe("/ConfigMap/shop/a");
    const { metadata } = binding();
    expect(ownerOfBinding(binding("u1", { metadata: { ...metadata, namespace: "bank" } }))).toBeUndefined();
  });
});

describe("what was said of a propagated object", () => {
  test("is what its binding says, and what it said last when it is gone", () => {
    const { statuses, namespaced, bindings } = setUp();
    const said = () => statuses.of(configMap("u1", { status: { phase: "Other" } }));
    expect(said()).toBeUndefined();
    namespaced.emit("Added", binding("u1", { status: status("east") }));
    expect(said()).toEqual(status("east"));
    namespaced.emit("Deleted", binding("u1", { status: status("east") }));
    expect(said()).toEqual(status("east"));
    expect([...statuses.recordOf(configMap()).names]).toEqual(["east"]);
    expect(statuses.of(configMap("u2"))).toBeUndefined();
    namespaced.emit("Added", binding("u1"));
    expect(said()).toBeUndefined();
    namespaced.emit("Deleted", binding("u1"));
    expect(said()).toBeUndefined();
    expect(bindings.statusOf(configMap())).toBeUndefined();
  });

  test("is forgotten where the binding was to go, once", () => {
    const { statuses, namespaced, bindings } = setUp();
    const one = binding("u1", { status: status("east") });
    namespaced.emit("Added", one);
    bindings.release(one);
    namespaced.emit("Deleted", one);
    expect(statuses.of(configMap())).toBeUndefined();
    namespaced.emit("Added", one);
    namespaced.emit("Deleted", one);
    expect(statuses.of(configMap())).toEqual(status("east"));
  });

  test("is forgotten with the object, and not with a change of it", () => {
    const { statuses, namespaced, objects } = setUp();
    namespaced.emit("Added", binding("u1", { status: status("east") }));
    namespaced.emit("Deleted", binding("u1", { status: status("east") }));
    objects.emit("Updated", configMap());
    expect(statuses.of(configMap())).toEqual(status("east"));
    objects.emit("Deleted", configMap());
    expect(statuses.of(configMap())).toBeUndefined();
  });
});

describe("what was said of an object that is rendered", () => {
  const application = (name: string, said?: object): KubeObject => ({
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name, namespace: "shop", uid: name },
    ...(said === undefined ? {} : { status: said }),
  });

  test("is its own status, as is that of an object whose kind nobody knows", () => {
    const { statuses } = setUp();
    const object = application("x", status("east"));
    expect(statuses.of(object)).toEqual(status("east"));
    expect([...statuses.recordOf(object).names]).toEqual(["east"]);
    const unknown = { ...object, kind: "Unknown" };
    expect(statuses.of(unknown)).toEqual(status("east"));
    expect([...statuses.recordOf(unknown).names]).toEqual(["east"]);
    expect(statuses.of(object, { propagated: true })).toBeUndefined();
    expect([...statuses.recordOf(object, { propagated: true }).names]).toEqual([]);
  });

  test("tells which objects are on a cluster, beside those that bindings name", () => {
    const { statuses, applications, configMaps, namespaced, clusterScoped } = setUp();
    const replicas = { desired: 1, updated: 1, ready: 1, available: 1 };
    const listed = (name: string, more: object) => ({ clusters: [{ name, state: "Available", replicas, ...more }] });
    applications.emit("Added", application("seen", listed("east", { observedHash: "h" })));
    applications.emit("Added", application("unseen", listed("east", {})));
    applications.emit("Added", application("elsewhere", listed("west", { observedHash: "h" })));
    applications.emit("Added", application("unlisted", status("west", "east")));
    applications.emit("Added", application("new"));
    configMaps.emit("Added", configMap("u1", { status: status("east") }));
    expect([...statuses.reportedOn("east")]).toEqual([
      "paas.cmft.com/DemoApplication/shop/seen",
      "paas.cmft.com/DemoApplication/shop/unlisted",
    ]);
    namespaced.emit("Added", binding("u1", { status: status("east") }));
    namespaced.emit("Added", binding("u1", { status: status("east") }, "other"));
    clusterScoped.emit("Added", { ...wide, status: status("north") });
    expect([...statuses.reportedOn("east")].slice(2)).toEqual(["/ConfigMap/shop/a"]);
    expect([...statuses.reportedOn("north")]).toEqual(["/Namespace//n"]);
  });

  test("changes with the object, and that of a propagated one with its binding", () => {
    const { statuses, objects, namespaced } = setUp();
    const keys: string[] = [];
    const subscription = statuses.events.follow(({ key }) => void keys.push(key));
    objects.emit("Updated", application("x"));
    objects.emit("Updated", configMap());
    objects.emit("Updated", { ...configMap(), kind: "Unknown" });
    namespaced.emit("Added", binding());
    const all = ["shop/x", "shop/a", "/ConfigMap/shop/a"];
    expect(keys).toEqual(all);
    subscription[Symbol.dispose]();
    objects.emit("Updated", application("x"));
    namespaced.emit("Updated", binding());
    expect(keys).toEqual(all);
  });
});
