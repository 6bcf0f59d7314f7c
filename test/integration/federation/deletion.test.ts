import { describe, expect, test } from "vitest";
import { MANAGED_BY_LABEL, type MemberCluster, OBJECT_FINALIZER } from "../../../src/apis/index.ts";
import {
  ApiError,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { BACKUP_KIND, BACKUPS, configMap } from "./objects.ts";

async function removesEmptyNamespaces(federation: TestFederation): Promise<void> {
  await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { emptyNamespaces: "Remove" } });
}

describe("deletion", () => {
  test("leaves nothing but the namespace that Meridian made for it", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.namespace("team");
    await federation.apply(PLACEMENTS, placement("all").namespace("team"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("team").port(80));
    const { server } = federation.member("shanghai");
    await federation.until(() => server.has(SERVICES, "team", "shop") && server.has(DEPLOYMENTS, "team", "shop"));
    expect(server.get(NAMESPACES, undefined, "team").metadata.labels).toHaveProperty([MANAGED_BY_LABEL]);
    await federation.delete(DEMOAPPLICATIONS, "shop", "team");
    await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "team", "shop"));
    expect(server.has(DEPLOYMENTS, "team", "shop") || server.has(SERVICES, "team", "shop")).toBe(false);
    await federation.pass(600_000);
    expect(server.has(NAMESPACES, undefined, "team")).toBe(true);
    // From now on the member's people want it tidy.
    await removesEmptyNamespaces(federation);
    await federation.until(() => !server.has(NAMESPACES, undefined, "team"), 60_000);
    expect(server.has(NAMESPACES, undefined, "default")).toBe(true);
  });

  test("keeps a namespace of ours while something foreign is inside, also of a kind that was installed since", async () => {
    await using federation = await TestFederation.start("shanghai");
    await removesEmptyNamespaces(federation);
    await federation.namespace("team");
    await federation.apply(PLACEMENTS, placement("all").namespace("team"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("team"));
    const { server } = federation.member("shanghai");
    await federation.namespace("brief");
    await federation.apply(PLACEMENTS, placement("all").namespace("brief"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").namespace("brief"));
    await federation.until(() => server.has(DEPLOYMENTS, "team", "shop") && server.has(DEPLOYMENTS, "brief", "shop"));
    await federation.delete(DEMOAPPLICATIONS, "shop", "brief");
    await federation.until(() => !server.has(NAMESPACES, undefined, "brief"), 60_000);
    // The kinds are known by now, since that namespace was inspected.
    await server.install(BACKUP_KIND);
    await server.create(BACKUPS, {
      apiVersion: "backups.test/v1",
      kind: "Backup",
      metadata: { name: "nightly", namespace: "team" },
    });
    await federation.delete(DEMOAPPLICATIONS, "shop", "team");
    await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "team", "shop"));
    await federation.pass(60_000);
    expect(server.has(NAMESPACES, undefined, "team")).toBe(true);
    await server.delete(BACKUPS, "team", "nightly");
    await federation.until(() => !server.has(NAMESPACES, undefined, "team"), 120_000);
  });

  test("with Orphan leaves everything running, as anybody's", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    await federation.untilAvailable("shop");
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    const { metadata } = federation.member("shanghai").server.get(DEPLOYMENTS, "default", "shop");
    expect(metadata.labels ?? {}).not.toHaveProperty([MANAGED_BY_LABEL]);
    // That is the Deployment controller's.
    expect(Object.keys(metadata.annotations ?? {})).toEqual(["deployment.kubernetes.io/revision"]);
  });

  test("keeps to Orphan though its Placement goes at the same time and the member is away", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    const member = federation.member("shanghai");
    member.cutOff();
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Unknown");
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.delete(PLACEMENTS, "all");
    await federation.pass(5_000);
    member.comeBack();
    await federation.until(() => federation.app("shop") === undefined);
    expect(member.server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });

  test("keeps to Orphan though its Placement went and the manager was started anew since", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    await federation.delete(PLACEMENTS, "all");
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Held");
    await federation.stopManager();
    await federation.startManager();
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    expect(federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });

  test("keeps to Orphan when somebody takes the finalizer off", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all").deletionPolicy("Orphan"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    const member = federation.member("shanghai");
    member.cutOff();
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.pass(10_000);
    await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", { metadata: { finalizers: [] } });
    await federation.pass(5_000);
    expect(federation.app("shop")).toBeUndefined();
    member.comeBack();
    await federation.until(
      () => member.server.get(DEPLOYMENTS, "default", "shop").metadata.labels?.[MANAGED_BY_LABEL] === undefined,
    );
  });

  test("waits for a member that was placed on, though no status had got to say so", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    federation.refuse = (verb, type) =>
      verb === "applyStatus" && type === DEMOAPPLICATIONS ? new ApiError(500, "InternalError", "not now") : undefined;
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    const member = federation.member("shanghai");
    await federation.until(() => member.server.has(DEPLOYMENTS, "default", "shop"));
    await federation.stopManager();
    member.cutOff();
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.startManager();
    await federation.pass(20_000);
    expect(federation.app("shop")?.metadata.finalizers).toEqual([OBJECT_FINALIZER]);
    member.comeBack();
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
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.until(() => client.calls.includes("apply deployments"));
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.pass(5_000);
    expect(federation.app("shop")).toBeDefined();
    arrives.resolve();
    await federation.until(() => federation.app("shop") === undefined);
    expect(member.server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
  });
});

describe("the deletion of what is suspended waits", () => {
  const saidOf = (federation: TestFederation): string | undefined =>
    federation.status("shop")?.conditions?.find(({ type }) => type === "Ready")?.message;

  test.each([
    {
      name: "until suspend goes",
      act: (federation: TestFederation) => federation.apply(PLACEMENTS, placement("all").suspend(false)),
    },
    { name: "until the policy is deleted", act: (federation: TestFederation) => federation.delete(PLACEMENTS, "all") },
  ])("$name, and says so", async ({ act }) => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(CONFIGMAPS, configMap("settings", { a: "1" }));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromConfigMap("settings"));
    await federation.untilAvailable("shop");
    await federation.apply(PLACEMENTS, placement("all").suspend());
    await federation.until(() => federation.condition("shop", "Scheduled") === "True Suspended");
    await federation.delete(DEMOAPPLICATIONS, "shop");
    const why = "suspended by Placement all; goes on without suspend";
    await federation.until(() => saidOf(federation)?.endsWith(why) === true);
    expect(federation.entry("shop", "shanghai")).toMatchObject({ state: "Held", reason: "Suspended", message: why });
    await federation.pass(60_000);
    const { server } = federation.member("shanghai");
    expect(server.has(DEPLOYMENTS, "default", "shop") && server.has(CONFIGMAPS, "default", "settings")).toBe(true);
    const warned = federation.events.filter(({ ["reason"]: reason }) => reason === "DeletionWaits");
    expect(warned.map(({ ["note"]: note }) => note)).toEqual([expect.stringContaining(why)]);
    await act(federation);
    await federation.until(() => federation.app("shop") === undefined);
    expect(server.has(DEPLOYMENTS, "default", "shop") || server.has(CONFIGMAPS, "default", "settings")).toBe(false);
  });

  test("and so does the draining of its cluster, which says what for; a cluster that keeps what it has lets go", async () => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.untilAvailable("shop");
    await federation.apply(PLACEMENTS, placement("all").suspend());
    await federation.until(() => federation.condition("shop", "Scheduled") === "True Suspended");
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Held");
    for (const [name, deletionPolicy] of [
      ["shanghai", "Drain"],
      ["singapore", "Orphan"],
    ] as const) {
      await federation.hub.merge(MEMBERCLUSTERS, undefined, name, { spec: { deletionPolicy } });
      await federation.delete(MEMBERCLUSTERS, name);
    }
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, "singapore"));
    const removed = (): string | undefined =>
      (federation.hub.get(MEMBERCLUSTERS, undefined, "shanghai") as unknown as MemberCluster).status?.conditions?.find(
        ({ type }) => type === "Removed",
      )?.message;
    await federation.until(() => removed()?.includes("suspended by Placement all") === true, 60_000);
    await federation.delete(PLACEMENTS, "all");
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, "shanghai"), 60_000);
    expect(federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
    expect(federation.member("singapore").server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });
});

describe("what runs is not taken away by accident", () => {
  test.each([
    {
      name: "suspended",
      act: (federation: TestFederation) => federation.apply(PLACEMENTS, placement("all").suspend()),
    },
    { name: "left without a policy", act: (federation: TestFederation) => federation.delete(PLACEMENTS, "all") },
  ])("an application that is $name before its status was written stays as it is", async ({ act }) => {
    await using federation = await TestFederation.start("shanghai");
    federation.refuse = (verb, type) =>
      verb === "applyStatus" && type === DEMOAPPLICATIONS ? new ApiError(500, "InternalError", "not now") : undefined;
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    const { server } = federation.member("shanghai");
    await federation.until(() => server.has(DEPLOYMENTS, "default", "shop"));
    await act(federation);
    await federation.pass(5_000);
    federation.refuse = () => undefined;
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Held");
    expect(server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });
});

test("a ConfigMap that is gone from the hub stays as long as one of those who share it is left", async () => {
  await using federation = await TestFederation.start("shanghai");
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(CONFIGMAPS, configMap("settings", { a: "1" }));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromConfigMap("settings"));
  await federation.untilAvailable("shop");
  await federation.apply(DEMOAPPLICATIONS, demoApplication("cart").envFromConfigMap("settings"));
  await federation.untilAvailable("cart");
  const { server } = federation.member("shanghai");
  const { uid } = server.get(CONFIGMAPS, "default", "settings").metadata;

  await federation.delete(CONFIGMAPS, "settings");
  await federation.until(() => federation.entry("cart", "shanghai")?.reason === "DependencyMissing");
  await federation.delete(DEMOAPPLICATIONS, "shop");
  await federation.until(() => federation.app("shop") === undefined);
  await federation.pass(5_000);
  expect(server.get(CONFIGMAPS, "default", "settings").metadata.uid).toBe(uid);

  await federation.stopManager();
  await federation.startManager();
  await federation.pass(40_000);
  expect(server.get(CONFIGMAPS, "default", "settings").metadata.uid).toBe(uid);
  await federation.delete(DEMOAPPLICATIONS, "cart");
  await federation.until(() => !server.has(CONFIGMAPS, "default", "settings"));
});

describe("clusters that leave", () => {
  test("with Drain, what runs there is removed first; with Orphan it is left untouched", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { deletionPolicy: "Drain" } });
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "singapore");
    await federation.until(() => federation.hub.list(MEMBERCLUSTERS).length === 0);
    expect(federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
    expect(federation.member("singapore").server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
    await federation.pass(5_000);
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
  });

  test("a drain waits for a member that is away", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { deletionPolicy: "Drain" } });
    member.cutOff();
    await federation.pass(10_000);
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.pass(10_000);
    expect(federation.hub.has(MEMBERCLUSTERS, undefined, "shanghai")).toBe(true);
    member.comeBack();
    await federation.until(() => !federation.hub.has(MEMBERCLUSTERS, undefined, "shanghai"));
    expect(member.server.has(DEPLOYMENTS, "default", "shop")).toBe(false);
  });

  test("a member that was deleted and joined again at once runs everything", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    // Seen as one step: the finalizer was taken off by hand.
    await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { metadata: { finalizers: [] } });
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "shanghai");
    await federation.join("shanghai");
    await federation.pass(10_000);
    await member.server.delete(SERVICES, "default", "shop");
    await federation.until(() => member.server.has(SERVICES, "default", "shop"));
    await federation.untilAvailable("shop");
  });
});
