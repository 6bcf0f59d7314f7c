import { expect, test } from "vitest";
import type { RolloutStatus } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, OVERRIDEPOLICIES, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, overridePolicy, placement } from "../../builders/index.ts";
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
  await federation.apply(OVERRIDEPOLICIES, images("mirror.test"));
  let most = 0;
  await federation.until(() => {
    const now = states(federation);
    most = Math.max(most, now.filter((state) => UNDER_WAY.has(state)).length);
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
    expect(rollout(federation, waiting)?.message).toBe(
      "waits for its turn: one object of the policy at once (maxObjects)",
    );
  };
  await federation.pass(120_000);
  stopped();
  await federation.stopManager();
  await federation.startManager();
  await federation.pass(120_000);
  stopped();

  for (const name of MEMBERS) federation.member(name).server.faults.set({ podsStuck: undefined });
  await federation.apply(OVERRIDEPOLICIES, images("mirror.test"));
  await federation.until(() => states(federation).every((state) => state === "Succeeded"));
  expect(new Set(registries(federation))).toEqual(new Set(["mirror.test mirror.test"]));
});

test("an object that is itself at fault stands in nobody's way", async () => {
  await using federation = await started();
  await federation.apply(DEMOAPPLICATIONS, shop("cart", "registry.test/does-not-exist:2"));
  await federation.until(() => rollout(federation, "cart")?.state === "RolledBack", 120_000);
  await federation.apply(DEMOAPPLICATIONS, shop("mail", "registry.test/mail:2"));
  await federation.until(() => rollout(federation, "mail")?.revision === 2 && states(federation)[1] === "Succeeded");
});

test("an object that waits and is deleted, or is placed by a policy without a bound, waits no more", async () => {
  await using federation = await started();
  for (const name of MEMBERS) federation.member(name).stickPods();
  await federation.apply(OVERRIDEPOLICIES, images("mirror.test"));
  await federation.until(() => states(federation).filter((state) => state === "Planned").length === 3);
  const [deleted = "", ...others] = SHOPS.filter((name) => rollout(federation, name)?.state === "Planned");
  await federation.delete(DEMOAPPLICATIONS, deleted);
  await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "default", deleted));
  for (const name of MEMBERS) federation.member(name).server.faults.set({ podsStuck: undefined });
  await federation.hub.merge(PLACEMENTS, "default", "all", { spec: { rollout: { maxObjects: null } } });
  await federation.until(() => others.every((name) => rollout(federation, name)?.state === "Succeeded"));
});
