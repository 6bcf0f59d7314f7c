import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ObjectRef,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  refKey,
  refOf,
} from "../../src/apis/index.ts";
import { Fleet } from "../../src/clusters/fleet.ts";
import { deleteRow, OWNER, releaseRow, row } from "../../src/clusters/testing/builders.ts";
import { FakeHubSide } from "../../src/clusters/testing/fakePorts.ts";
import { createLogger, createMetrics, createTracing } from "../../src/observability/index.ts";
import {
  type Client,
  clusterConfigFromKubeconfig,
  CONFIGMAPS,
  createClient,
  DEPLOYMENTS,
  Discovery,
  isNotFound,
  NAMESPACES,
  type ResourceType,
  SECRETS,
  SERVICES,
  systemClock,
} from "../../src/runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../src/sandbox/index.ts";

/** A worker on a cluster of the sandbox, whose API server merges lists by their keys, with nothing but the two ports on the hub's side. */

const HUB = "hub-uid";
const CLUSTER = "shanghai-1";
const WITHIN = { timeout: 20_000, interval: 20 };
const TEAM: ObjectRef = { apiVersion: "v1", kind: "Namespace", name: "team" };

let sandbox: SandboxCluster;
let client: Client;
/** Somebody else, with kubectl. */
let other: Client;
let hub: FakeHubSide;
let fleet: Fleet;
let session: AbortController;

beforeAll(async () => {
  sandbox = await startSandboxCluster({ name: CLUSTER, controllers: { readinessDelayMs: 0 } });
  const config = clusterConfigFromKubeconfig(sandbox.kubeconfig(), { cluster: CLUSTER });
  client = createClient(config, { clock: systemClock, cluster: CLUSTER });
  other = createClient(config, { clock: systemClock, cluster: CLUSTER });
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await sandbox.stop();
});

beforeEach(async () => {
  const { tracer } = await createTracing({ serviceVersion: "test", identity: "test", env: {} });
  hub = new FakeHubSide();
  fleet = new Fleet({
    identity: "this worker",
    liveness: undefined,
    source: hub,
    sink: hub,
    hubId: HUB,
    systemNamespace: "meridian-system",
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ level: "silent" }),
    metrics: createMetrics({ processMetrics: false }),
    tracer,
  });
  session = new AbortController();
  fleet.sessionStarted({
    cluster: CLUSTER,
    client,
    discovery: new Discovery(client, systemClock),
    clusterUid: "member-uid",
    local: false,
    signal: session.signal,
    suspect: () => undefined,
  });
  fleet.contactChanged(CLUSTER, { ok: true });
  await expect.poll(() => hub.subscriptions, WITHIN).toBe(1);
  const kinds = [DEPLOYMENTS, SERVICES, CONFIGMAPS, SECRETS, NAMESPACES];
  hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds }, { kind: "Rows", rows: [] });
  await expect.poll(() => hub.lastContact(CLUSTER)?.synced, WITHIN).toBe(true);
});

afterEach(async () => {
  session.abort(new Error("the test is over"));
  await fleet[Symbol.asyncDispose]();
});

function marked(object: KubeObject, hash = "h1"): KubeObject {
  const annotations = {
    [OWNER_ANNOTATION]: JSON.stringify(OWNER),
    [OBJECT_ANNOTATION]: refKey(refOf(object)),
    [HASH_ANNOTATION]: hash,
  };
  return { ...object, metadata: { ...object.metadata, labels: { [MANAGED_BY_LABEL]: HUB }, annotations } };
}

function ask(object: KubeObject, hash = "h1"): ObjectRef {
  const ref = refOf(object);
  hub.ask(row({ ref, object: marked(object, hash), hash }));
  return ref;
}

const service = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { selector: { app: name }, ports: [{ name: "web", port: 80, targetPort: 8080 }] },
});

const configMap = (name: string, namespace = "default"): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data: { key: "value" },
});

const seen = (ref: ObjectRef) => hub.observation(CLUSTER, ref);
const exists = async (type: ResourceType, namespace: string | undefined, name: string): Promise<boolean> => {
  try {
    await other.get(type, namespace, name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
};

test("a Deployment is applied, and its health followed until it is available", async () => {
  const ref = ask({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop", namespace: "default" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "shop" } },
      template: {
        metadata: { labels: { app: "shop" } },
        spec: { containers: [{ name: "shop", image: "nginx:latest", resources: { limits: { cpu: 0.5 } } }] },
      },
    },
  });
  await expect
    .poll(() => seen(ref), WITHIN)
    .toMatchObject({ inSyncWith: "h1", writing: false, present: { owner: OWNER, health: { state: "Available" } } });
});

test("an entry of a keyed list that somebody changed is put back, another one is left alone", async () => {
  const ref = ask(service("shop"));
  await expect.poll(() => seen(ref)?.inSyncWith, WITHIN).toBe("h1");
  const ports = [
    { name: "web", port: 80, targetPort: 9090 },
    { name: "debug", port: 81, targetPort: 81 },
  ];
  await other.patch(SERVICES, "default", "shop", "application/strategic-merge-patch+json", { spec: { ports } });
  await expect.poll(() => seen(ref), WITHIN).toMatchObject({ inSyncWith: "h1", healed: { lost: [{}] } });
  const { spec } = await other.get(SERVICES, "default", "shop");
  const healed = (spec as { ports: { name: string; targetPort: number }[] }).ports;
  expect(Object.fromEntries(healed.map(({ name, targetPort }) => [name, targetPort]))).toEqual({
    web: 8080,
    debug: 81,
  });
});

test("a port that got another number, so that two have one name, is put back with the whole list", async () => {
  const ref = ask(service("renumbered"));
  await expect.poll(() => seen(ref)?.inSyncWith, WITHIN).toBe("h1");
  const patch = [{ op: "replace", path: "/spec/ports/0/port", value: 8000 }];
  await other.patch(SERVICES, "default", "renumbered", "application/json-patch+json", patch);
  await expect.poll(() => seen(ref)?.healed, WITHIN).toBeDefined();
  await expect.poll(() => seen(ref), WITHIN).toMatchObject({ inSyncWith: "h1", writing: false });
  const { spec, metadata } = await other.get(SERVICES, "default", "renumbered");
  expect((spec as { ports: { port: number }[] }).ports.map(({ port }) => port)).toEqual([80]);
  const entries = (metadata.managedFields ?? []).filter(({ manager }) => manager === "meridian");
  expect(entries.map(({ operation }) => operation)).toEqual(["Apply"]);
});

test("somebody else's object is refused, left as it is, and taken over with leave", async () => {
  await other.create(CONFIGMAPS, { ...configMap("theirs"), data: { key: "theirs" } });
  const object = configMap("theirs");
  const ref = ask(object);
  await expect.poll(() => seen(ref)?.failure?.reason, WITHIN).toBe("AlreadyExists");
  expect((await other.get(CONFIGMAPS, "default", "theirs"))["data"]).toEqual({ key: "theirs" });
  hub.ask(row({ ref, object: marked(object), conflictResolution: "Adopt" }));
  await expect.poll(() => seen(ref), WITHIN).toMatchObject({ inSyncWith: "h1" });
  expect(seen(ref)?.failure).toBeUndefined();
});

test("what a row lets go of stays, and has no mark of ours", async () => {
  const ref = ask(configMap("let-go"));
  await expect.poll(() => seen(ref)?.inSyncWith, WITHIN).toBe("h1");
  hub.ask(releaseRow({ ref, uid: seen(ref)?.present?.uid ?? "" }));
  await expect.poll(() => seen(ref)?.present, WITHIN).toBeUndefined();
  const { metadata, data } = await other.get(CONFIGMAPS, "default", "let-go");
  expect([metadata.labels ?? {}, metadata.annotations ?? {}, data]).toEqual([{}, {}, { key: "value" }]);
});

test("a namespace is made for an object, and goes by its own row when both objects inside are gone", async () => {
  const ref = ask(configMap("shop", "team"));
  await expect.poll(() => seen(ref)?.inSyncWith, WITHIN).toBe("h1");
  await expect.poll(() => seen(TEAM)?.present?.health.state, WITHIN).toBe("Available");
  await other.create(CONFIGMAPS, configMap("foreign", "team"));
  hub.ask(deleteRow({ ref, uid: seen(ref)?.present?.uid ?? "" }));
  await expect.poll(() => seen(ref)?.present, WITHIN).toBeUndefined();
  hub.withdraw(CLUSTER, ref);
  hub.ask(deleteRow({ ref: TEAM, uid: seen(TEAM)?.present?.uid ?? "" }));
  await expect
    .poll(() => seen(TEAM)?.failure, WITHIN)
    .toEqual({ reason: "NamespaceOccupied", message: "ConfigMap foreign is in it", final: false });
  await other.delete(CONFIGMAPS, "team", "foreign");
  // Not before it was seen empty for a while.
  await expect.poll(() => exists(NAMESPACES, undefined, "team"), { ...WITHIN, timeout: 50_000 }).toBe(false);
  await expect.poll(() => seen(TEAM)?.present, WITHIN).toBeUndefined();
});

test("a life that came later is not deleted for the one before", async () => {
  const ref = ask(configMap("again"));
  await expect.poll(() => seen(ref)?.inSyncWith, WITHIN).toBe("h1");
  const before = seen(ref)?.present?.uid ?? "";
  await other.delete(CONFIGMAPS, "default", "again");
  await expect.poll(() => seen(ref)?.present?.uid, WITHIN).not.toBe(before);
  await expect.poll(() => seen(ref)?.inSyncWith, WITHIN).toBe("h1");
  const revision = hub.ask(deleteRow({ ref, uid: before }));
  await expect.poll(() => seen(ref)?.revision, WITHIN).toBe(revision);
  expect(await exists(CONFIGMAPS, "default", "again")).toBe(true);
});
