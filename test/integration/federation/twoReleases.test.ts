import { describe, expect, test } from "vitest";
import {
  CLUSTER_FINALIZER,
  CONTROLLER_CLASS_LABEL,
  type KubeObject,
  OBJECT_FINALIZER,
  OWNER_ANNOTATION,
} from "../../../src/apis/index.ts";
import {
  ApiError,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  type ResourceType,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { type Member, TestFederation } from "./harness.ts";
import { configMap } from "./objects.ts";

const V2 = `${OBJECT_FINALIZER}.v2`;

async function name(
  federation: TestFederation,
  type: ResourceType,
  object: string,
  named: string | null,
): Promise<void> {
  const namespace = type.namespaced ? "default" : undefined;
  await federation.hub.merge(type, namespace, object, { metadata: { labels: { [CONTROLLER_CLASS_LABEL]: named } } });
}

const finalizersOf = (federation: TestFederation, app: string): string[] =>
  federation.app(app)?.metadata.finalizers ?? [];
const handover = (federation: TestFederation, app: string): string | undefined =>
  federation.condition(app, "HandedOver");
/** Without that of the API server itself. */
const ours = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.filter(({ metadata }) => metadata.name !== "kubernetes");
const lives = ({ server }: Member): (string | undefined)[] =>
  [DEPLOYMENTS, SERVICES].flatMap((type) =>
    ours(server.list(type)).map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`),
  );

describe("an object that passes from one release to another", () => {
  test("goes back while the one before has not even let go of it", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    await federation.startManager("v2");
    await federation.pass(3_000);
    const before = lives(member);
    const [first] = federation.hubClients;
    const gate = first?.gate;
    if (first === undefined || gate === undefined) throw new Error("no manager");
    first.gate = (call) => {
      if (call.verb === "patch" && call.type === DEMOAPPLICATIONS) throw new ApiError(500, "InternalError", "not now");
      return gate(call);
    };
    await name(federation, DEMOAPPLICATIONS, "shop", "v2");
    await federation.until(() => finalizersOf(federation, "shop").join() === `${V2},${OBJECT_FINALIZER}`);
    await federation.pass(5_000);
    await name(federation, DEMOAPPLICATIONS, "shop", null);
    await federation.pass(5_000);
    expect(federation.status("shop")?.controllerClass).toBe("v2");
    first.gate = gate;
    await federation.until(() => finalizersOf(federation, "shop").join() === OBJECT_FINALIZER, 120_000);
    await federation.pass(5_000);
    expect(lives(member)).toEqual(before);
  });

  test("stays with the first one while nobody serves the class, and says what it waits for", async () => {
    await using federation = await TestFederation.running("shanghai");
    await name(federation, DEMOAPPLICATIONS, "shop", "v3");
    await federation.until(() => handover(federation, "shop") === "False WaitingForManager");
    await federation.apply(
      DEMOAPPLICATIONS,
      demoApplication("shop").replica(5).port(80).label(CONTROLLER_CLASS_LABEL, "v3"),
    );
    await federation.untilAvailable("shop");
    expect(federation.entry("shop", "shanghai")?.replicas.ready).toBe(5);
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    expect(lives(federation.member("shanghai"))).toEqual([]);
  });

  test("is healed, changed and deleted by the new one, though the old one is there", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.startManager("v2");
    await name(federation, DEMOAPPLICATIONS, "shop", "v2");
    await federation.until(() => finalizersOf(federation, "shop").join() === V2);
    const { server, clients } = federation.member("shanghai");
    await server.merge(DEPLOYMENTS, "default", "shop", { spec: { replicas: 7 } });
    const replicas = () => (server.get(DEPLOYMENTS, "default", "shop")["spec"] as { replicas?: number }).replicas;
    await federation.until(() => replicas() === 2);
    const [first, second] = clients;
    const ofFirst = first?.writes.length;
    expect(second?.writes).toEqual(["apply deployments"]);
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    expect(server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
    expect(first?.writes.length).toBe(ofFirst);
  });

  test("waits for what the new one does not see yet", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    const singapore = federation.member("singapore");
    singapore.refuse = (verb, type) =>
      type === DEPLOYMENTS && verb === "watch" ? new Promise<undefined>(() => undefined) : undefined;
    await federation.startManager("v2");
    await name(federation, DEMOAPPLICATIONS, "shop", "v2");
    await federation.pass(5_000);
    expect(finalizersOf(federation, "shop")).toEqual([OBJECT_FINALIZER]);
    expect(federation.events.map(({ reason }) => reason)).toContain("HandoverWaits");
    expect(handover(federation, "shop")).toBe("False WaitingForManager");
  });

  test("is adopted by the new one when the old release is gone, with nothing left of it", async () => {
    await using federation = await TestFederation.running("shanghai");
    const before = lives(federation.member("shanghai"));
    await federation.stopManager();
    await federation.startManager("v2", "default");
    await name(federation, DEMOAPPLICATIONS, "shop", "v2");
    await federation.until(() => finalizersOf(federation, "shop").join() === V2);
    await federation.until(() => federation.status("shop")?.controllerClass === "v2");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("unnamed"));
    await federation.untilAvailable("unnamed");
    await federation.pass(3_000);
    expect(lives(federation.member("shanghai"))).toEqual(expect.arrayContaining(before));
  });
});

describe("two releases at work", () => {
  test("never take the other's objects, nor what is in no hub object's name yet, for leftovers", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.startManager("v2");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("young").label(CONTROLLER_CLASS_LABEL, "v2"));
    await federation.untilAvailable("young");
    const before = lives(federation.member("shanghai"));
    await federation.restart();
    await federation.pass(60_000);
    expect(lives(federation.member("shanghai"))).toEqual(before);
  });

  test("share a ConfigMap without writing it in turns, and it outlives the first of the two that need it", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(CONFIGMAPS, configMap("settings", { a: "1" }));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromConfigMap("settings"));
    await federation.untilAvailable("shop");
    await federation.startManager("v2");
    const young = demoApplication("young").envFromConfigMap("settings").label(CONTROLLER_CLASS_LABEL, "v2");
    await federation.apply(DEMOAPPLICATIONS, young);
    await federation.untilAvailable("young");
    const { server } = federation.member("shanghai");
    const shared = () => server.get(CONFIGMAPS, "default", "settings");
    const { uid, resourceVersion } = shared().metadata;
    await federation.pass(20_000);
    expect(shared().metadata.resourceVersion).toBe(resourceVersion);

    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    await federation.pass(5_000);
    expect(shared().metadata.uid).toBe(uid);
    expect(shared().metadata.annotations?.[OWNER_ANNOTATION]).toContain('"name":"young"');
    await federation.delete(DEMOAPPLICATIONS, "young");
    await federation.until(() => federation.app("young") === undefined);
    expect(server.has(CONFIGMAPS, "default", "settings")).toBe(false);
  });

  test("report a cluster one at a time, and pass it on", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.startManager("v2");
    await federation.pass(3_000);
    const statuses = () =>
      federation.hubClients.map(({ writes }) => writes.filter((one) => one === "applyStatus memberclusters").length);
    expect(statuses()[1]).toBe(0);
    await name(federation, MEMBERCLUSTERS, "shanghai", "v2");
    const cluster = () => federation.hub.get(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.until(() => cluster().metadata.finalizers?.join() === `${CLUSTER_FINALIZER}.v2`);
    await federation.pass(2_000);
    const [ofFirst] = statuses();
    await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", {
      metadata: { annotations: { a: "b" } },
      spec: { taints: [] },
    });
    await federation.until(() => {
      const { observedGeneration } = cluster()["status"] as { observedGeneration?: number };
      return observedGeneration === cluster().metadata.generation;
    });
    expect(statuses()[0]).toBe(ofFirst);
    expect(federation.condition("shop", "Available")).toBe("True AllClustersAvailable");
  });

  test("drain a member together: its own manager waits for the other's objects", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await federation.startManager("v2");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("young").label(CONTROLLER_CLASS_LABEL, "v2"));
    await federation.untilAvailable("young");
    await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { deletionPolicy: "Drain" } });
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, "shanghai"));
    expect(lives(federation.member("shanghai"))).toEqual([]);
    expect(federation.member("singapore").server.list(DEPLOYMENTS)).toHaveLength(2);
  });
});
