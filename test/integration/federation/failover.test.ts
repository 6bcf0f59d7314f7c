import { expect, test } from "vitest";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const RULES = { gracePeriod: "60s", returnAfter: "5m" };

/** An application on one of three members, the first by name. */
async function onOneOfThree(): Promise<TestFederation> {
  const federation = await TestFederation.placed(
    placement("where").clusterCount(1).failover(RULES),
    demoApplication("shop").replica(2),
    "frankfurt",
    "shanghai",
    "singapore",
  );
  expect(where(federation)).toEqual(["frankfurt"]);
  return federation;
}

const NAMES = ["frankfurt", "shanghai", "singapore"];
const where = (federation: TestFederation) =>
  NAMES.filter((name) => federation.member(name).server.has(DEPLOYMENTS, "default", "shop"));
const failingOver = (federation: TestFederation) =>
  federation.status("shop")?.conditions?.find(({ type }) => type === "FailingOver");

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
  await federation.restart();
  await federation.pass(20_000);
  expect(departed()).toBe(1);
  await federation.until(() => departed() === 2, 40_000);
  await federation.pass(40_000);
  expect(departed()).toBe(2);
  await federation.until(() => departed() === 4, 150_000);
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
