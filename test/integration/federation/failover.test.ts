import { expect, test } from "vitest";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const RULES = { gracePeriod: "60s", returnAfter: "5m" };

/** An application on one of three members, the first by name. */
async function onOneOfThree(): Promise<TestFederation> {
  const federation = await TestFederation.start("frankfurt", "shanghai", "singapore");
  await federation.apply(PLACEMENTS, placement("where").clusterCount(1).failover(RULES));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2));
  await federation.untilAvailable("shop");
  expect(where(federation)).toEqual(["frankfurt"]);
  return federation;
}

const NAMES = ["frankfurt", "shanghai", "singapore"];
const where = (federation: TestFederation) =>
  NAMES.filter((name) => federation.member(name).server.has(DEPLOYMENTS, "default", "shop"));
const failingOver = (federation: TestFederation) =>
  federation.status("shop")?.conditions?.find(({ type }) => type === "FailingOver");
/** What the present manager has counted. */
async function failovers({ metrics }: TestFederation): Promise<Record<string, number>> {
  const counted = await metrics.registry.getSingleMetric("federation_failovers_total")?.get();
  return Object.fromEntries((counted?.values ?? []).map(({ labels, value }) => [labels["reason"], value]));
}

test("an object leaves a lost cluster after the grace period, says each step with its clock, and returns", async () => {
  await using federation = await onOneOfThree();
  const frankfurt = federation.member("frankfurt");
  frankfurt.cutOff();
  await federation.until(() => failingOver(federation)?.reason === "ClusterLost", 60_000);
  expect(failingOver(federation)?.message).toMatch(/^frankfurt lost since \S+Z; the object leaves it at \S+Z$/);
  expect(where(federation)).toEqual(["frankfurt"]);

  await federation.until(() => where(federation).includes("shanghai"), 70_000);
  await federation.until(() => failingOver(federation)?.reason === "FailedOver");
  expect(federation.status("shop")?.departures).toMatchObject([{ cluster: "frankfurt", reason: "ClusterLost" }]);
  expect(await failovers(federation)).toEqual({ ClusterLost: 1, ObjectUnhealthy: 0, Returned: 0 });

  // A new manager goes on where the one before was.
  await federation.stopManager();
  await federation.startManager();
  await federation.pass(30_000);
  expect(where(federation)).toEqual(["frankfurt", "shanghai"]);

  frankfurt.comeBack();
  await federation.until(() => failingOver(federation)?.reason === "AwaitingReturn", 120_000);
  await federation.until(() => !where(federation).includes("frankfurt"));
  await federation.until(() => failingOver(federation)?.reason === "Settled", 400_000);
  expect(federation.status("shop")?.departures ?? []).toEqual([]);
});

test("with maxEvictionsPerMinute objects leave a lost cluster one after the other, say when their turn is, and a new manager goes on at that pace", async () => {
  await using federation = await TestFederation.start(...NAMES);
  const names = ["one", "two", "three", "four"];
  await federation.apply(
    PLACEMENTS,
    placement("where")
      .clusterCount(1)
      .failover({ ...RULES, maxEvictionsPerMinute: 1 }),
  );
  for (const name of names) await federation.apply(DEMOAPPLICATIONS, demoApplication(name).replica(1));
  for (const name of names) await federation.untilAvailable(name);
  const frankfurt = federation.member("frankfurt");
  frankfurt.cutOff();
  const departed = () => names.filter((name) => (federation.status(name)?.departures?.length ?? 0) > 0).length;
  await federation.until(() => departed() === 1, 200_000);
  await federation.pass(20_000);
  expect(departed()).toBe(1);
  const said = names.flatMap(
    (name) => federation.status(name)?.conditions?.find(({ type }) => type === "FailingOver")?.message ?? [],
  );
  expect(said.filter((message) => /the object leaves it at \S+Z, others before it$/.test(message))).toHaveLength(3);
  await federation.stopManager();
  await federation.startManager();
  await federation.pass(20_000);
  expect(departed()).toBe(1);
  await federation.until(() => departed() === 2, 40_000);
  await federation.pass(40_000);
  expect(departed()).toBe(2);
  await federation.until(() => departed() === 4, 150_000);
});

test("nothing moves while more than a third of the clusters are lost at once", async () => {
  await using federation = await onOneOfThree();
  for (const name of ["frankfurt", "singapore"]) federation.member(name).cutOff();
  await federation.until(() => failingOver(federation)?.reason === "FailoverHeld", 120_000);
  await federation.pass(300_000);
  expect(where(federation)).toEqual(["frankfurt"]);
});

test("nothing moves at once when the hub gets its clusters back one after the other", async () => {
  await using federation = await onOneOfThree();
  for (const name of ["frankfurt", "singapore"]) federation.member(name).cutOff();
  await federation.until(() => failingOver(federation)?.reason === "FailoverHeld", 120_000);
  await federation.pass(300_000);
  federation.member("singapore").comeBack();
  await federation.until(() => failingOver(federation)?.reason === "ClusterLost", 120_000);
  await federation.pass(30_000);
  expect(where(federation)).toEqual(["frankfurt"]);
  federation.member("frankfurt").comeBack();
  await federation.until(() => failingOver(federation)?.reason === "Settled", 120_000);
  expect(where(federation)).toEqual(["frankfurt"]);
});

test("a new manager moves nothing from a cluster that came back while there was none", async () => {
  await using federation = await onOneOfThree();
  const frankfurt = federation.member("frankfurt");
  frankfurt.cutOff();
  await federation.until(() => failingOver(federation)?.reason === "ClusterLost", 120_000);
  await federation.stopManager();
  await federation.pass(600_000);
  frankfurt.comeBack();
  await federation.startManager();
  await federation.until(() => failingOver(federation)?.reason === "Settled", 120_000);
  expect(where(federation)).toEqual(["frankfurt"]);
  expect(federation.status("shop")?.departures ?? []).toEqual([]);
  expect(federation.events.map(({ reason }) => reason)).not.toContain("FailedOver");
});

test("a new manager moves what a lost cluster had when the clock ran down while there was none", async () => {
  await using federation = await onOneOfThree();
  federation.member("frankfurt").cutOff();
  await federation.until(() => failingOver(federation)?.reason === "ClusterLost", 120_000);
  await federation.stopManager();
  await federation.pass(600_000);
  await federation.startManager();
  await federation.until(() => where(federation).includes("shanghai"), 60_000);
});

test("an object that every cluster runs leaves none: there is nothing to gain", async () => {
  await using federation = await TestFederation.start(...NAMES);
  await federation.apply(PLACEMENTS, placement("where").failover(RULES));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(1));
  await federation.untilAvailable("shop");
  const frankfurt = federation.member("frankfurt");
  frankfurt.cutOff();
  await federation.until(() => failingOver(federation)?.reason === "NowhereToGo", 120_000);
  frankfurt.comeBack();
  await federation.until(() => failingOver(federation)?.reason === "Settled", 120_000);
  expect(where(federation)).toEqual(NAMES);
});

test("an unhealthy object moves from a cluster that answers, and the old copy goes when the new one is there", async () => {
  await using federation = await TestFederation.start(...NAMES);
  await federation.apply(
    PLACEMENTS,
    placement("where")
      .clusterCount(1)
      .failover({ ...RULES, unhealthyAfter: "2m" }),
  );
  // Nothing happens any more that would give a reason to plan again.
  await federation.pass(30_000);
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2));
  federation.member("frankfurt").stickPods();
  await federation.until(() => failingOver(federation)?.reason === "ObjectUnhealthy", 60_000);
  await federation.until(() => where(federation).join() === "shanghai", 180_000);
  expect(federation.status("shop")?.departures).toMatchObject([{ cluster: "frankfurt", reason: "ObjectUnhealthy" }]);
});

test("an object that is broken wherever it goes moves once, says so, and goes on when it is mended", async () => {
  await using federation = await TestFederation.start(...NAMES);
  const policy = placement("where").clusterCount(1);
  await federation.apply(PLACEMENTS, policy.failover({ ...RULES, unhealthyAfter: "1m", returnAfter: "1m" }));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2));
  for (const name of NAMES) federation.member(name).stickPods();
  await federation.until(() => failingOver(federation)?.reason === "UnhealthyEverywhere", 300_000);
  const stays = where(federation);
  await federation.pass(600_000);
  expect(where(federation)).toEqual(stays);
  expect(federation.status("shop")?.departures).toMatchObject([{ cluster: "frankfurt", reason: "ObjectUnhealthy" }]);
  for (const name of NAMES) federation.member(name).server.faults.set({ podsStuck: undefined });
  await federation.until(() => failingOver(federation)?.reason === "Settled", 400_000);
});
