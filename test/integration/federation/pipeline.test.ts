import { describe, expect, test } from "vitest";
import { MANAGED_BY_LABEL, OBJECT_FINALIZER } from "../../../src/apis/index.ts";
import {
  ApiError,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  SECRETS,
  SERVICES,
  TransportError,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const GONE = new TransportError("ConnectionReset", "connection reset");

const secret = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
  data: { password: value },
});

async function running(...names: string[]): Promise<TestFederation> {
  const federation = await TestFederation.start(...names);
  federation.apply(PLACEMENTS, placement("all"));
  federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80));
  await federation.untilAvailable("shop");
  return federation;
}

describe("from hub to members and back", () => {
  test("an application runs on every chosen cluster, and its status says so, in three hub writes", async () => {
    await using federation = await running("shanghai", "singapore");
    for (const { server, writes } of federation.members.values()) {
      expect(server.get(DEPLOYMENTS, "default", "shop")["spec"]).toMatchObject({ replicas: 2 });
      expect(server.has(SERVICES, "default", "shop")).toBe(true);
      expect(writes.toSorted()).toEqual(["apply deployments", "apply services"]);
    }
    expect(federation.status("shop")).toMatchObject({ replicas: { desired: 4, ready: 4 }, availableClusters: "2/2" });
    expect(federation.hubWrites.filter((write) => write.endsWith(" demoapplications")).length).toBeLessThanOrEqual(3);
  });

  test("a policy whose numbers change while its status is written is written again two seconds later, not at once", async () => {
    await using federation = await running("shanghai");
    await federation.pass(5_000);
    const [client] = federation.hubClients;
    const gate = client?.gate;
    if (client === undefined || gate === undefined) throw new Error("the manager has no connection to the hub");
    let count = 0;
    client.gate = async (call) => {
      await gate(call);
      if (call.verb !== "applyStatus" || call.type !== PLACEMENTS || call.phase !== "before") return;
      federation.apply(DEMOAPPLICATIONS, demoApplication(`more-${count++}`));
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    federation.apply(DEMOAPPLICATIONS, demoApplication("other"));
    await federation.pass(20_000);
    expect(count).toBeGreaterThan(3);
    expect(count).toBeLessThanOrEqual(11);
  });

  test("a restart of an in-sync hub writes nothing", async () => {
    await using federation = await running("shanghai", "singapore");
    await federation.pass(5_000);
    await federation.stopManager();
    const hub = federation.hubWrites.length;
    const member = federation.member("shanghai").writes.length;
    await federation.startManager();
    await federation.pass(20_000);
    expect(federation.hubWrites.slice(hub)).toEqual([]);
    expect(federation.member("shanghai").writes.slice(member)).toEqual([]);
  });

  test("drift in a Deployment and a Service is put back, and told", async () => {
    await using federation = await running("shanghai");
    const { server } = federation.member("shanghai");
    server.merge(DEPLOYMENTS, "default", "shop", { spec: { replicas: 9 } });
    server.merge(SERVICES, "default", "shop", { spec: { selector: { app: "other" } } });
    await federation.until(
      () => (server.get(DEPLOYMENTS, "default", "shop")["spec"] as { replicas: number }).replicas === 2,
    );
    await federation.until(
      () => (server.get(SERVICES, "default", "shop")["spec"] as { selector: { app: string } }).selector.app === "shop",
    );
    await federation.pass(1_000);
    expect(federation.events.map((event) => event["reason"])).toContain("DriftHealed");
  });

  test("whoever takes a field again and again does not set the pace", async () => {
    await using federation = await running("shanghai");
    const member = federation.member("shanghai");
    const before = member.writes.length;
    for (let step = 0; step < 100; step++) {
      member.server.merge(DEPLOYMENTS, "default", "shop", { spec: { replicas: 9 } });
      await federation.pass(100);
    }
    // Ten seconds: a heal each time would be a hundred.
    expect(member.writes.length - before).toBeLessThan(12);
    await federation.until(
      () => (member.server.get(DEPLOYMENTS, "default", "shop")["spec"] as { replicas: number }).replicas === 2,
    );
  });

  test("a status never speaks of a generation that has not been planned", async () => {
    await using federation = await running("shanghai");
    const { server } = federation.member("shanghai");
    // The plan waits for a ConfigMap that cannot be read yet; meanwhile the cluster has news.
    federation.refuse = (verb, type) =>
      verb === "watch" && type === CONFIGMAPS ? new ApiError(500, "InternalError", "not now") : undefined;
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80).envFromConfigMap("settings"));
    federation.member("shanghai").pods = "stuck";
    server.merge(DEPLOYMENTS, "default", "shop", { status: { readyReplicas: 1, availableReplicas: 1 } });
    await federation.until(() => federation.status("shop")?.replicas?.ready === 1);
    expect(federation.status("shop")?.observedGeneration).toBe(1);
    expect(federation.app("shop")?.metadata.generation).toBe(2);
  });

  test("a status that could not be written is written later", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.refuse = (verb) => (verb === "applyStatus" ? new ApiError(500, "InternalError", "not now") : undefined);
    federation.apply(PLACEMENTS, placement("all"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.pass(10_000);
    expect(federation.status("shop")).toBeUndefined();
    federation.refuse = () => undefined;
    await federation.untilAvailable("shop");
  });
});

describe("deletion", () => {
  test("leaves nothing, and what Meridian made for it goes too", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.hub.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    federation.apply(PLACEMENTS, placement("all").namespace("team"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("team").port(80));
    const { server } = federation.member("shanghai");
    await federation.until(() => server.has(SERVICES, "team", "shop") && server.has(DEPLOYMENTS, "team", "shop"));
    expect(server.get(NAMESPACES, undefined, "team").metadata.labels).toHaveProperty([MANAGED_BY_LABEL]);
    federation.delete(DEMOAPPLICATIONS, "shop", "team");
    await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "team", "shop"));
    expect(server.has(DEPLOYMENTS, "team", "shop") || server.has(SERVICES, "team", "shop")).toBe(false);
    await federation.until(() => !server.has(NAMESPACES, undefined, "team"));
    expect(server.has(NAMESPACES, undefined, "default")).toBe(true);
  });

  test("keeps a namespace of ours while something foreign is inside, also of a kind that was installed since", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.hub.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    federation.apply(PLACEMENTS, placement("all").namespace("team"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("team"));
    const { server } = federation.member("shanghai");
    federation.hub.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief" } });
    federation.apply(PLACEMENTS, placement("all").namespace("brief"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("brief"));
    await federation.until(() => server.has(DEPLOYMENTS, "team", "shop") && server.has(DEPLOYMENTS, "brief", "shop"));
    federation.delete(DEMOAPPLICATIONS, "shop", "brief");
    await federation.until(() => !server.has(NAMESPACES, undefined, "brief"));
    // The kinds are known by now, since that namespace was looked through.
    const backups = { group: "backups.test", version: "v1", kind: "Backup", plural: "backups", namespaced: true };
    server.served = [...server.served, backups];
    server.create(backups, {
      apiVersion: "backups.test/v1",
      kind: "Backup",
      metadata: { name: "nightly", namespace: "team" },
    });
    federation.delete(DEMOAPPLICATIONS, "shop", "team");
    await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "team", "shop"));
    await federation.pass(60_000);
    expect(server.has(NAMESPACES, undefined, "team")).toBe(true);
    server.delete(backups, "team", "nightly");
    await federation.until(() => !server.has(NAMESPACES, undefined, "team"));
  });

  test("with Orphan leaves everything running, as anybody's", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    await federation.untilAvailable("shop");
    federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    const { metadata } = federation.member("shanghai").server.get(DEPLOYMENTS, "default", "shop");
    expect(metadata.labels ?? {}).not.toHaveProperty([MANAGED_BY_LABEL]);
    expect(Object.keys(metadata.annotations ?? {})).toEqual([]);
  });

  test("keeps to Orphan though its Placement goes at the same time and the member is away", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    const member = federation.member("shanghai");
    member.cutOff(GONE);
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Unknown");
    federation.delete(DEMOAPPLICATIONS, "shop");
    federation.delete(PLACEMENTS, "all");
    await federation.pass(5_000);
    member.failure = undefined;
    await federation.until(() => federation.app("shop") === undefined);
    expect(member.server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });

  test("keeps to Orphan though its Placement went and the manager was started anew since", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    federation.delete(PLACEMENTS, "all");
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Held");
    await federation.stopManager();
    await federation.startManager();
    federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    expect(federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });

  test("keeps to Orphan when somebody takes the finalizer off", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    const member = federation.member("shanghai");
    member.cutOff(GONE);
    federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.pass(10_000);
    federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", { metadata: { finalizers: [] } });
    await federation.pass(5_000);
    expect(federation.app("shop")).toBeUndefined();
    member.failure = undefined;
    await federation.until(
      () => member.server.get(DEPLOYMENTS, "default", "shop").metadata.labels?.[MANAGED_BY_LABEL] === undefined,
    );
  });

  test("waits for a member that was placed on, though no status had got to say so", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    federation.refuse = (verb, type) =>
      verb === "applyStatus" && type === DEMOAPPLICATIONS ? new ApiError(500, "InternalError", "not now") : undefined;
    federation.apply(PLACEMENTS, placement("all"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    const member = federation.member("shanghai");
    await federation.until(() => member.server.has(DEPLOYMENTS, "default", "shop"));
    await federation.stopManager();
    member.failure = GONE;
    federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.startManager();
    await federation.pass(20_000);
    expect(federation.app("shop")?.metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    member.failure = undefined;
    await federation.until(() => federation.app("shop") === undefined);
    expect(member.server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
  });

  test("waits for a write that is under way", async () => {
    await using federation = await TestFederation.start("shanghai");
    const member = federation.member("shanghai");
    await federation.until(() => member.clients.length > 0);
    const [client] = member.clients;
    const arrives = Promise.withResolvers<void>();
    const before = client?.gate;
    if (client === undefined || before === undefined) throw new Error("no client");
    client.gate = async (call) => {
      if (call.verb === "apply" && call.phase === "before") await arrives.promise;
      await before(call);
    };
    federation.apply(PLACEMENTS, placement("all"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.until(() => client.calls.includes("apply deployments"));
    federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.pass(5_000);
    expect(federation.app("shop")).toBeDefined();
    arrives.resolve();
    await federation.until(() => federation.app("shop") === undefined);
    expect(member.server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
  });
});

describe("what runs is not taken away by accident", () => {
  test.each([
    {
      name: "suspended",
      act: (federation: TestFederation) => void federation.apply(PLACEMENTS, placement("all").suspend()),
    },
    { name: "left without a policy", act: (federation: TestFederation) => federation.delete(PLACEMENTS, "all") },
  ])("an application that is $name before its status was written stays as it is", async ({ act }) => {
    await using federation = await TestFederation.start("shanghai");
    federation.refuse = (verb, type) =>
      verb === "applyStatus" && type === DEMOAPPLICATIONS ? new ApiError(500, "InternalError", "not now") : undefined;
    federation.apply(PLACEMENTS, placement("all"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    const { server } = federation.member("shanghai");
    await federation.until(() => server.has(DEPLOYMENTS, "default", "shop"));
    act(federation);
    await federation.pass(5_000);
    federation.refuse = () => undefined;
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Held");
    expect(server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });
});

describe("conflicts", () => {
  test("a foreign object is refused, and taken over as soon as the Placement says Adopt", async () => {
    await using federation = await TestFederation.start("shanghai");
    const { server } = federation.member("shanghai");
    server.create(DEPLOYMENTS, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop", namespace: "default" },
      spec: { replicas: 7, paused: true },
    });
    federation.apply(PLACEMENTS, placement("all"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "AlreadyExists");
    await federation.pass(30_000);
    expect(server.get(DEPLOYMENTS, "default", "shop")["spec"]).toEqual({ replicas: 7, paused: true });
    federation.apply(PLACEMENTS, placement("all").conflictResolution("Adopt"));
    // Not at the end of some backoff.
    await federation.until(
      () => (server.get(DEPLOYMENTS, "default", "shop")["spec"] as { replicas: number }).replicas === 1,
      300,
    );
    await federation.untilAvailable("shop");
  });

  test("what a member refused is tried again at once when the object on the member has gone", async () => {
    await using federation = await running("shanghai");
    const member = federation.member("shanghai");
    member.refuse = (verb, type) =>
      verb === "apply" && type === DEPLOYMENTS
        ? new ApiError(422, "Invalid", "spec.selector: field is immutable")
        : undefined;
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(3).port(80));
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "ImmutableField");
    await federation.pass(20_000);
    member.refuse = () => undefined;
    member.server.delete(DEPLOYMENTS, "default", "shop");
    await federation.until(() => member.server.has(DEPLOYMENTS, "default", "shop"), 300);
  });
});

describe("dependencies", () => {
  test("a Secret that two applications read travels once, stays while one of them does, and goes with the last", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.hub.create(SECRETS, secret("database", "czNjcjN0"));
    federation.apply(PLACEMENTS, placement("all"));
    for (const name of ["shop", "stock"])
      federation.apply(DEMOAPPLICATIONS, demoApplication(name).envFromSecret("database"));
    await federation.untilAvailable("shop");
    await federation.untilAvailable("stock");
    const { server } = federation.member("shanghai");
    expect(server.get(SECRETS, "default", "database")["data"]).toEqual({ password: "czNjcjN0" });
    federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    await federation.pass(2_000);
    expect(server.has(SECRETS, "default", "database")).toBe(true);
    await federation.untilAvailable("stock");
    federation.delete(DEMOAPPLICATIONS, "stock");
    await federation.until(() => federation.app("stock") === undefined);
    expect(server.has(SECRETS, "default", "database")).toBe(false);
  });

  test("a change of it rolls the pods; when it is gone from the hub, members keep what they have", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.hub.create(SECRETS, secret("database", "b25l"));
    federation.apply(PLACEMENTS, placement("all"));
    federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromSecret("database"));
    await federation.untilAvailable("shop");
    const { server } = federation.member("shanghai");
    const template = () =>
      JSON.stringify((server.get(DEPLOYMENTS, "default", "shop")["spec"] as { template: object }).template);
    const before = template();
    federation.hub.merge(SECRETS, "default", "database", { data: { password: "dHdv" } });
    await federation.until(() => template() !== before);
    expect(server.get(SECRETS, "default", "database")["data"]).toEqual({ password: "dHdv" });
    federation.hub.delete(SECRETS, "default", "database");
    await federation.pass(5_000);
    expect(server.has(SECRETS, "default", "database")).toBe(true);
  });
});

describe("clusters that leave", () => {
  test("with Drain, what runs there is removed first; with Orphan it is left untouched", async () => {
    await using federation = await running("shanghai", "singapore");
    federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { deletionPolicy: "Drain" } });
    federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    federation.hub.delete(MEMBERCLUSTERS, undefined, "singapore");
    await federation.until(() => federation.hub.list(MEMBERCLUSTERS).length === 0);
    expect(federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
    expect(federation.member("singapore").server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
    await federation.pass(5_000);
    federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
  });

  test("a drain waits for a member that is away", async () => {
    await using federation = await running("shanghai");
    const member = federation.member("shanghai");
    federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { deletionPolicy: "Drain" } });
    member.cutOff(GONE);
    await federation.pass(10_000);
    federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.pass(10_000);
    expect(federation.hub.has(MEMBERCLUSTERS, undefined, "shanghai")).toBe(true);
    member.failure = undefined;
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, "shanghai"));
    expect(member.server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
  });

  test("a member that was deleted and joined again at once runs everything", async () => {
    await using federation = await running("shanghai");
    const member = federation.member("shanghai");
    // Seen as one step: the finalizer was taken off by hand.
    federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { metadata: { finalizers: [] } });
    federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    federation.join("shanghai");
    await federation.pass(10_000);
    member.server.delete(SERVICES, "default", "shop");
    await federation.until(() => member.server.has(SERVICES, "default", "shop"));
    await federation.untilAvailable("shop");
  });
});
