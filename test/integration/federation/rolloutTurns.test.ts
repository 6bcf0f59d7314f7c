import { describe, expect, test } from "vitest";
import {
  type FederatedStatus,
  type Placement,
  ROLLOUT_COMMAND_ANNOTATION,
  type RolloutStatus,
} from "../../../src/apis/index.ts";
import {
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
} from "../../../src/runtime/index.ts";
import { clusterPlacement, demoApplication, overridePolicy, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const MEMBERS = ["a", "b"];
const SHOPS = ["cart", "mail", "shop", "stock"];
const UNDER_WAY: ReadonlySet<RolloutStatus["state"] | undefined> = new Set(["Progressing", "Paused", "RollingBack"]);

const bounded = placement("all").rollsOut(
  { maxObjects: "25%", gate: { timeout: "20s" }, onFailure: "Rollback" },
  ...MEMBERS,
);
const shop = (name: string, image = `registry.test/${name}:1`) => demoApplication(name).replica(1).image(image);
const images = (registry: string) => overridePolicy("images").rule({ image: { registry } });

async function started(): Promise<TestFederation> {
  const federation = await TestFederation.start(...MEMBERS);
  await federation.apply(PLACEMENTS, bounded);
  for (const name of SHOPS) await federation.apply(DEMOAPPLICATIONS, shop(name));
  await federation.until(() => states(federation).every((state) => state === "Succeeded"));
  return federation;
}

const rollout = (federation: TestFederation, name: string) => federation.status(name)?.rollout;
const states = (federation: TestFederation) => SHOPS.map((name) => rollout(federation, name)?.state);

/** Of every shop, on every member. */
function registries(federation: TestFederation): string[] {
  return SHOPS.map((name) =>
    MEMBERS.map((member) => {
      const { server } = federation.member(member);
      return /"image":"([^/]+)/.exec(JSON.stringify(server.get(DEPLOYMENTS, "default", name)["spec"]))?.[1];
    }).join(" "),
  );
}

test("a policy that changes every object comes to one after the other", async () => {
  await using federation = await started();
  let most = 0;
  // Each request to the hub is a moment to look: a whole rollout may pass between two steps of the clock.
  federation.refuse = () => {
    most = Math.max(most, states(federation).filter((state) => UNDER_WAY.has(state)).length);
    return undefined;
  };
  await federation.apply(OVERRIDEPOLICIES, images("mirror.test"));
  await federation.until(() => {
    const now = states(federation);
    // Who waits keeps what it had, on every member.
    const begun = registries(federation).filter((one) => one.includes("mirror.test"));
    expect(begun.length).toBeLessThanOrEqual(
      SHOPS.filter((name) => rollout(federation, name)?.state !== "Planned").length,
    );
    return begun.length === SHOPS.length && now.every((state) => state === "Succeeded");
  });
  expect(most).toBe(1);
  expect(new Set(registries(federation))).toEqual(new Set(["mirror.test mirror.test"]));
});

test("a policy that breaks the first object comes to no other one, through a restart, until it is mended", async () => {
  await using federation = await started();
  for (const name of MEMBERS) federation.member(name).stickPods();
  await federation.apply(OVERRIDEPOLICIES, images("broken.test"));
  await federation.until(() => states(federation).includes("RolledBack"), 120_000);
  const stopped = (): void => {
    const now = states(federation);
    expect(now.filter((state) => state === "Planned")).toHaveLength(3);
    expect(now).toContain("RolledBack");
    expect(new Set(registries(federation))).toEqual(new Set(["registry.test registry.test"]));
    const waiting = SHOPS.find((name) => rollout(federation, name)?.state === "Planned") ?? "";
    // Whom it waits for is named: it is of the same namespace.
    const stopped = SHOPS.find((name) => rollout(federation, name)?.state === "RolledBack") ?? "";
    expect(rollout(federation, waiting)?.message).toContain(`DemoApplication ${stopped} `);
  };
  await federation.pass(120_000);
  stopped();
  await federation.restart();
  await federation.pass(120_000);
  stopped();

  for (const name of MEMBERS) federation.member(name).server.faults.set({ podsStuck: undefined });
  await federation.apply(OVERRIDEPOLICIES, images("mirror.test"));
  await federation.until(() => states(federation).every((state) => state === "Succeeded"));
  expect(new Set(registries(federation))).toEqual(new Set(["mirror.test mirror.test"]));
});

describe("a policy of all tenants that lets one object at once", () => {
  const MINUTE = 60_000;
  const [A, B] = ["team-a", "team-b"];
  const command = (said: object) => ({
    metadata: { annotations: { [ROLLOUT_COMMAND_ANNOTATION]: JSON.stringify(said) } },
  });
  const statusOf = (federation: TestFederation, namespace: string, name = "shop"): FederatedStatus | undefined =>
    federation.hub.find(DEMOAPPLICATIONS, namespace, name)?.["status"] as FederatedStatus | undefined;
  const runOf = (federation: TestFederation, namespace: string, name = "shop") =>
    statusOf(federation, namespace, name)?.rollout;
  const change = (federation: TestFederation, namespace: string, image: string, more: object = {}, name = "shop") =>
    federation.hub.merge(DEMOAPPLICATIONS, namespace, name, { spec: { image }, ...more });
  const say = (federation: TestFederation, namespace: string, said: object, name = "shop") =>
    federation.hub.merge(DEMOAPPLICATIONS, namespace, name, command(said));
  const policyOf = (federation: TestFederation) =>
    (federation.hub.get(CLUSTERPLACEMENTS, undefined, "all") as unknown as Placement).status;
  const done =
    (federation: TestFederation, namespace: string, revision: number, name = "shop") =>
    () =>
      runOf(federation, namespace, name)?.revision === revision &&
      runOf(federation, namespace, name)?.state === "Succeeded";

  async function tenants(rules: object = {}, ...names: string[]): Promise<TestFederation> {
    const federation = await TestFederation.start(...MEMBERS);
    for (const namespace of [A, B]) await federation.namespace(namespace);
    const policy = { maxObjects: 1, gate: { timeout: "20s" }, ...rules };
    await federation.apply(CLUSTERPLACEMENTS, clusterPlacement("all").rollsOut(policy, ...MEMBERS));
    const shops = [[A, "shop"], [B, "shop"], ...names.map((name) => [A, name])];
    for (const [namespace = "", name = ""] of shops) {
      await federation.apply(DEMOAPPLICATIONS, demoApplication(name).namespace(namespace).replica(1));
      await federation.until(done(federation, namespace, 1, name));
    }
    return federation;
  }

  /** The first tenant's run has begun, and he has paused it. */
  async function paused(federation: TestFederation): Promise<void> {
    for (const name of MEMBERS) federation.member(name).stickPods();
    await change(federation, A, "registry.test/shop:2");
    await federation.until(() => runOf(federation, A)?.state === "Progressing" && runOf(federation, A)?.revision === 2);
    await say(federation, A, { revision: 2, paused: true });
    for (const name of MEMBERS) federation.member(name).server.faults.set({ podsStuck: undefined });
    await federation.until(() => runOf(federation, A)?.state === "Paused");
  }

  test("is held up by a paused run no longer than it says, which waits again before it goes on, through a restart", async () => {
    await using federation = await tenants({ yieldAfter: "10m" }, "cart");
    await paused(federation);
    await change(federation, B, "registry.test/shop:2");
    await change(federation, A, "registry.test/cart:2", {}, "cart");
    await federation.until(() => runOf(federation, B)?.message?.includes("stopped") === true);
    // Whose it is, the other tenant does not learn; the same tenant, and who may read the policy, does.
    expect(runOf(federation, B)?.message).toContain("an object of another namespace");
    expect(JSON.stringify(statusOf(federation, B))).not.toContain(A);
    expect(runOf(federation, A, "cart")?.message).toContain("DemoApplication shop");
    await federation.until(() => policyOf(federation)?.stoppedRollouts !== undefined);
    expect(policyOf(federation)?.stoppedRollouts).toMatchObject([
      { kind: "DemoApplication", namespace: A, name: "shop" },
    ]);
    await federation.pass(5 * MINUTE);
    expect(runOf(federation, B)?.state).toBe("Planned");
    await federation.restart();
    await federation.pass(4 * MINUTE);
    expect(runOf(federation, B)?.state).toBe("Planned");
    await federation.until(done(federation, B, 2), 2 * MINUTE);
    expect(runOf(federation, A)).toMatchObject({ state: "Paused", reason: "User" });
    // An object of its own namespace waits for it.
    expect(runOf(federation, A, "cart")?.state).toBe("Planned");

    // It resumes while another one is under way.
    for (const name of MEMBERS) federation.member(name).stickPods();
    await change(federation, B, "registry.test/shop:3");
    await federation.until(() => runOf(federation, B)?.revision === 3 && runOf(federation, B)?.state === "Progressing");
    await say(federation, A, { revision: 2, resumedAt: "2026-01-01T12:00:00Z" });
    await federation.until(() => runOf(federation, A)?.state === "Planned");
    expect(runOf(federation, A)?.stages?.[0]?.state).not.toBe("Waiting");
    for (const name of MEMBERS) federation.member(name).server.faults.set({ podsStuck: undefined });
    await federation.until(done(federation, B, 3));
    await federation.until(done(federation, A, 2));
    await federation.until(done(federation, A, 2, "cart"));
    await federation.until(() => policyOf(federation)?.stoppedRollouts === undefined);
  });
});
