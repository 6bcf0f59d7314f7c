import { describe, expect, test } from "vitest";
import {
  ApiError,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  PLACEMENTS,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

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
