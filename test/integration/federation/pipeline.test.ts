import { describe, expect, test } from "vitest";
import { FIELD_MANAGER } from "../../../src/apis/index.ts";
import {
  ApiError,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  PLACEMENTS,
  SECRETS,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { deployment, secret } from "./objects.ts";

describe("from hub to members and back", () => {
  test("an application runs on every chosen cluster, and its status says so, in three hub writes", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    for (const { server, writes } of federation.members.values()) {
      expect(server.get(DEPLOYMENTS, "default", "shop")["spec"]).toMatchObject({ replicas: 2 });
      expect(server.has(SERVICES, "default", "shop")).toBe(true);
      expect(writes.toSorted()).toEqual(["apply deployments", "apply services"]);
    }
    expect(federation.status("shop")).toMatchObject({ replicas: { desired: 4, ready: 4 }, availableClusters: "2/2" });
    expect(federation.hubWrites.filter((write) => write.endsWith(" demoapplications")).length).toBeLessThanOrEqual(3);
  });

  test("a policy whose numbers change while its status is written is written again two seconds later, not at once", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.pass(5_000);
    const [client] = federation.hubClients;
    const gate = client?.gate;
    if (client === undefined || gate === undefined) throw new Error("the manager has no connection to the hub");
    let count = 0;
    client.gate = async (call) => {
      await gate(call);
      if (call.verb !== "applyStatus" || call.type !== PLACEMENTS || call.phase !== "before") return;
      await federation.apply(DEMOAPPLICATIONS, demoApplication(`more-${count++}`));
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    await federation.apply(DEMOAPPLICATIONS, demoApplication("other"));
    await federation.pass(20_000);
    expect(count).toBeGreaterThan(3);
    expect(count).toBeLessThanOrEqual(11);
  });

  test("a restart of an in-sync hub writes nothing", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await federation.pass(5_000);
    await federation.stopManager();
    const hub = federation.hubWrites.length;
    const member = federation.member("shanghai").writes.length;
    await federation.startManager();
    await federation.pass(20_000);
    expect(federation.hubWrites.slice(hub)).toEqual([]);
    expect(federation.member("shanghai").writes.slice(member)).toEqual([]);
  });

  test("a status never speaks of a generation that has not been planned", async () => {
    await using federation = await TestFederation.running("shanghai");
    // The plan waits for a ConfigMap that cannot be read yet; meanwhile the cluster has news.
    federation.refuse = (verb, type) =>
      verb === "watch" && type === CONFIGMAPS ? new ApiError(500, "InternalError", "not now") : undefined;
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80).envFromConfigMap("settings"));
    await federation.member("shanghai").losePod("shop");
    await federation.until(() => federation.status("shop")?.replicas?.ready === 1);
    expect(federation.status("shop")?.observedGeneration).toBe(1);
    expect(federation.app("shop")?.metadata.generation).toBe(2);
  });

  test("a status that could not be written is written later", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.refuse = (verb) => (verb === "applyStatus" ? new ApiError(500, "InternalError", "not now") : undefined);
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.pass(10_000);
    expect(federation.status("shop")).toBeUndefined();
    federation.refuse = () => undefined;
    await federation.untilAvailable("shop");
  });
});

describe("conflicts", () => {
  test("a foreign object is refused, and taken over as soon as the Placement says Adopt", async () => {
    await using federation = await TestFederation.start("shanghai");
    const { server } = federation.member("shanghai");
    const foreign = await server.create(DEPLOYMENTS, deployment("shop", 7));
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "AlreadyExists");
    await federation.pass(30_000);
    const { spec, metadata } = server.get(DEPLOYMENTS, "default", "shop");
    expect(spec).toEqual(foreign["spec"]);
    expect(metadata.managedFields?.map(({ manager }) => manager)).not.toContain(FIELD_MANAGER);
    await federation.apply(PLACEMENTS, placement("all").conflictResolution("Adopt"));
    // Not at the end of some backoff.
    await federation.until(
      () => (server.get(DEPLOYMENTS, "default", "shop")["spec"] as { replicas: number }).replicas === 1,
      300,
    );
    await federation.untilAvailable("shop");
  });

  test("what a member refused is tried again at once when the object on the member has gone", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    member.refuse = (verb, type) =>
      verb === "apply" && type === DEPLOYMENTS
        ? new ApiError(422, "Invalid", "spec.selector: field is immutable")
        : undefined;
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(3).port(80));
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "ImmutableField");
    await federation.pass(20_000);
    member.refuse = () => undefined;
    await member.server.delete(DEPLOYMENTS, "default", "shop");
    await federation.until(() => member.server.has(DEPLOYMENTS, "default", "shop"), 300);
  });
});

describe("dependencies", () => {
  test("a Secret that two applications read travels once, stays while one of them does, and goes with the last", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.hub.create(SECRETS, secret("database", { password: "czNjcjN0" }));
    await federation.apply(PLACEMENTS, placement("all"));
    for (const name of ["shop", "stock"])
      await federation.apply(DEMOAPPLICATIONS, demoApplication(name).envFromSecret("database"));
    await federation.untilAvailable("shop");
    await federation.untilAvailable("stock");
    const { server } = federation.member("shanghai");
    expect(server.get(SECRETS, "default", "database")["data"]).toEqual({ password: "czNjcjN0" });
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    await federation.pass(2_000);
    expect(server.has(SECRETS, "default", "database")).toBe(true);
    await federation.untilAvailable("stock");
    await federation.delete(DEMOAPPLICATIONS, "stock");
    await federation.until(() => federation.app("stock") === undefined);
    expect(server.has(SECRETS, "default", "database")).toBe(false);
  });

  test("a change of it rolls the pods; when it is gone from the hub, members keep what they have", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.hub.create(SECRETS, secret("database", { password: "b25l" }));
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromSecret("database"));
    await federation.untilAvailable("shop");
    const { server } = federation.member("shanghai");
    const template = () =>
      JSON.stringify((server.get(DEPLOYMENTS, "default", "shop")["spec"] as { template: object }).template);
    const before = template();
    await federation.hub.merge(SECRETS, "default", "database", { data: { password: "dHdv" } });
    await federation.until(() => template() !== before);
    expect(server.get(SECRETS, "default", "database")["data"]).toEqual({ password: "dHdv" });
    await federation.hub.delete(SECRETS, "default", "database");
    await federation.pass(5_000);
    expect(server.has(SECRETS, "default", "database")).toBe(true);
  });
});
