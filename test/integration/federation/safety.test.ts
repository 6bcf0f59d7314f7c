import { describe, expect, test } from "vitest";
import { ACCEPT_CLUSTER_UID_ANNOTATION, type KubeObject } from "../../../src/apis/index.ts";
import {
  ApiError,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  SECRETS,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { deployment, leftover, secret } from "./objects.ts";

const FORBIDDEN = new ApiError(403, "Forbidden", "forbidden");

describe("rule 1: nothing is deleted before everything that a delete rests on is known", () => {
  test.each([
    DEMOAPPLICATIONS,
    PLACEMENTS,
    CLUSTERPLACEMENTS,
    OVERRIDEPOLICIES,
    CLUSTEROVERRIDEPOLICIES,
    MEMBERCLUSTERS,
  ])("on the hub: $plural", async (type) => {
    await using federation = await TestFederation.prepare("shanghai");
    const member = federation.member("shanghai");
    await member.server.applyAsMeridian(DEPLOYMENTS, leftover(federation.hubId));
    federation.refuse = (verb, asked) =>
      asked === type && (verb === "watch" || verb === "list") ? FORBIDDEN : undefined;
    await federation.startManager();
    await federation.pass(20_000);
    expect(member.server.has(DEPLOYMENTS, "default", "old")).toBe(true);
    federation.refuse = () => undefined;
    await federation.until(() => !member.server.has(DEPLOYMENTS, "default", "old"));
  });

  test("on the member: what is of the same kind", async () => {
    await using federation = await TestFederation.prepare("shanghai");
    const member = federation.member("shanghai");
    await member.server.applyAsMeridian(DEPLOYMENTS, leftover(federation.hubId));
    member.refuse = (verb, asked) =>
      asked === DEPLOYMENTS && (verb === "watch" || verb === "list") ? FORBIDDEN : undefined;
    await federation.startManager();
    await federation.pass(20_000);
    expect(member.server.has(DEPLOYMENTS, "default", "old")).toBe(true);
    member.refuse = () => undefined;
    await federation.until(() => !member.server.has(DEPLOYMENTS, "default", "old"));
  });

  test("an object of the hub that has not been planned yet", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.stopManager();
    const { server } = federation.member("shanghai");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromConfigMap("settings"));
    // Without the ConfigMaps there is no plan; without a plan nothing asks for what runs.
    federation.refuse = (verb, type) =>
      type === CONFIGMAPS && (verb === "watch" || verb === "list")
        ? new ApiError(500, "InternalError", "not now")
        : undefined;
    await federation.startManager();
    await federation.pass(20_000);
    expect(server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
    expect(server.has(SERVICES, "default", "shop")).toBe(true);
    federation.refuse = () => undefined;
    await federation.until(() => !server.has(SERVICES, "default", "shop"));
    expect(server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });
});

describe("rule 2: a relist in which most objects vanish", () => {
  test("deletes nothing until a second read agrees, and then what had to wait goes on", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.hub.watchLists = false;
    await federation.apply(PLACEMENTS, placement("all"));
    const names = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
    for (const name of names) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
    for (const name of names) await federation.untilAvailable(name);
    const member = federation.member("shanghai");

    federation.hub.lieOnce(DEMOAPPLICATIONS);
    // A change elsewhere: what the manager has seen of applications is older than what is forgotten.
    await federation.namespace("elsewhere");
    federation.hub.faults.compact();
    federation.hub.breakConnections();
    await federation.until(() => federation.log.some((line) => line.includes("DeletionsHeld")));
    // Meanwhile somebody deletes the one that was shown.
    await federation.delete(DEMOAPPLICATIONS, "shop-0");
    await federation.pass(300);
    for (const name of names) expect(member.server.has(DEPLOYMENTS, "default", name)).toBe(true);
    await federation.until(() => federation.app("shop-0") === undefined);
    await federation.pass(10_000);
    expect(
      member.server
        .list(DEPLOYMENTS)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(names.slice(1).toSorted());
  });
});

describe("rule 3: deletion means one life, and is seen through", () => {
  test("an object that took the name meanwhile stays", async () => {
    await using federation = await TestFederation.running("shanghai");
    const { server, clients } = federation.member("shanghai");
    let foreign: KubeObject | undefined;
    for (const client of clients) {
      const before = client.gate;
      client.gate = async (call) => {
        if (call.verb === "delete" && call.type === DEPLOYMENTS && call.phase === "before") {
          await server.delete(DEPLOYMENTS, "default", "shop");
          foreign = await server.create(DEPLOYMENTS, deployment("shop", 7));
        }
        await before(call);
      };
    }
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.until(() => federation.app("shop") === undefined);
    await federation.pass(5_000);
    expect(server.get(DEPLOYMENTS, "default", "shop")["spec"]).toEqual(foreign?.["spec"]);
    expect(server.get(DEPLOYMENTS, "default", "shop").metadata.uid).toBe(foreign?.metadata.uid);
  });

  test("an object that took the name meanwhile is not written over", async () => {
    await using federation = await TestFederation.running("shanghai");
    const { server, clients } = federation.member("shanghai");
    let swapped = false;
    let foreign: KubeObject | undefined;
    for (const client of clients) {
      const before = client.gate;
      client.gate = async (call) => {
        if (call.verb === "apply" && call.type === DEPLOYMENTS && call.phase === "before" && !swapped) {
          swapped = true;
          await server.delete(DEPLOYMENTS, "default", "shop");
          foreign = await server.create(DEPLOYMENTS, deployment("shop", 7));
        }
        await before(call);
      };
    }
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(3).port(80));
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "AlreadyExists");
    expect(server.get(DEPLOYMENTS, "default", "shop")["spec"]).toEqual(foreign?.["spec"]);
    expect(server.get(DEPLOYMENTS, "default", "shop").metadata.uid).toBe(foreign?.metadata.uid);
  });

  test("the hub object stays while a member is away, and goes when it is back or unjoined", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    const shanghai = federation.member("shanghai");
    const singapore = federation.member("singapore");
    for (const member of [shanghai, singapore]) member.cutOff();
    await federation.until(() => federation.condition("shop", "Fresh")?.startsWith("False") === true);
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.pass(20_000);
    expect(federation.app("shop")).toBeDefined();
    shanghai.comeBack();
    await federation.until(() => !shanghai.server.has(DEPLOYMENTS, "default", "shop"));
    expect(federation.app("shop")).toBeDefined();
    await federation.hub.delete(MEMBERCLUSTERS, undefined, "singapore");
    await federation.until(() => federation.app("shop") === undefined);
    expect(singapore.server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });
});

describe("rule 5: another cluster under the same name", () => {
  test("gets nothing written until a person agrees", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    const writes = member.writes.length;
    const other = await member.becomeAnother();
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "ClusterIdentityChanged");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(3).port(80));
    const before = other.get(DEPLOYMENTS, "default", "shop")["spec"];
    await federation.pass(20_000);
    expect(other.get(DEPLOYMENTS, "default", "shop")["spec"]).toEqual(before);
    expect(other.has(SERVICES, "default", "shop")).toBe(false);
    expect(member.writes.slice(writes)).toEqual([]);
    await federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", {
      metadata: { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: other.uid } },
    });
    await federation.untilAvailable("shop");
    expect(member.server.has(SERVICES, "default", "shop")).toBe(true);
  });
});

describe("rule 6: a missing report is not a good one", () => {
  test.each([
    { name: "that is away", partition: "reset" as const },
    { name: "that answers nothing", partition: "silent" as const },
  ])("a member $name is Unknown, and its last numbers stay with their time", async ({ partition }) => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    federation.member("shanghai").cutOff(partition);
    const lostAt = federation.clock.now();
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Unknown");
    const entry = federation.entry("shop", "shanghai");
    expect(entry).toMatchObject({ reason: "ClusterUnreachable", replicas: { ready: 2 } });
    expect(Date.parse(entry?.observedAt ?? "")).toBeLessThanOrEqual(lostAt);
    expect(federation.condition("shop", "Available")).toMatch(/^False/);
    expect(federation.entry("shop", "singapore")?.state).toBe("Available");
    expect(federation.status("shop")?.replicas?.ready).toBe(4);
  });

  test("a member that answers but whose watches are broken is Unknown too", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    const brokenAt = federation.clock.now();
    member.refuse = (verb, type) =>
      type === DEPLOYMENTS && (verb === "watch" || verb === "list") ? FORBIDDEN : undefined;
    member.server.breakConnections();
    await federation.pass(5_000);
    expect(federation.entry("shop", "shanghai")?.state).toBe("Available");
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Unknown");
    const entry = federation.entry("shop", "shanghai");
    expect(entry).toMatchObject({ reason: "NotObserved", replicas: { ready: 2 } });
    expect(Math.abs(Date.parse(entry?.observedAt ?? "") - brokenAt)).toBeLessThan(2_000);
    member.refuse = () => undefined;
    await federation.untilAvailable("shop");
  });
});

describe("rule 7: without the Lease nothing is written", () => {
  test("and what had to wait goes on when it is renewed after all", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    await federation.pass(2_000);
    federation.isLeader = false;
    const before = { hub: federation.hub.version, member: member.server.version };
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(3).port(80));
    const afterChange = federation.hub.version;
    await federation.pass(5_000);
    expect({ hub: federation.hub.version, member: member.server.version }).toEqual({ ...before, hub: afterChange });
    federation.isLeader = true;
    await federation.untilAvailable("shop");
    expect(member.server.get(DEPLOYMENTS, "default", "shop")["spec"]).toMatchObject({ replicas: 3 });
  });

  test("and a status that had to wait is written then", async () => {
    await using federation = await TestFederation.running("shanghai");
    const member = federation.member("shanghai");
    await federation.pass(2_000);
    federation.isLeader = false;
    await member.losePod("shop");
    await federation.pass(2_000);
    expect(federation.status("shop")?.replicas?.ready).toBe(2);
    federation.isLeader = true;
    await federation.until(() => federation.status("shop")?.replicas?.ready === 1);
  });
});

describe("rule 8: what is in a Secret is nobody else's business", () => {
  test("a member that quotes it in a refusal does not bring it into a status, an Event, a log or a metric", async () => {
    await using federation = await TestFederation.start("shanghai");
    const member = federation.member("shanghai");
    const value = Buffer.from("s3cr3t-of-the-shop").toString("base64");
    member.refuse = (verb, type) =>
      verb === "apply" && type === SECRETS
        ? new ApiError(422, "Invalid", `Secret "database" is invalid: data[password]: Invalid value: "${value}"`, {
            details: { causes: [{ field: "data[password]", message: value }] },
          })
        : undefined;
    await federation.hub.create(SECRETS, secret("database", { password: value }));
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromSecret("database"));
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Failed");
    await federation.pass(60_000);
    expect(federation.entry("shop", "shanghai")?.message).toContain("data[password]");
    const reported = [
      JSON.stringify(federation.app("shop")),
      JSON.stringify(federation.events),
      ...federation.log,
      (await federation.metrics.scrape()).body,
    ].join("\n");
    expect(reported).not.toContain(value);
    expect(reported).not.toContain("s3cr3t-of-the-shop");
  });
});
