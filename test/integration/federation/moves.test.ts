import { expect, test } from "vitest";
import { DEPLOYMENTS, MEMBERCLUSTERS, PLACEMENTS, SERVICES } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** An application that runs in Shanghai only, and a second member, on its way to which something is wrong. */
async function inShanghai(): Promise<TestFederation> {
  const federation = await TestFederation.placed(
    placement("where").onClusters("shanghai"),
    demoApplication("shop").replica(2).port(80),
    "shanghai",
    "singapore",
  );
  return federation;
}

const isOn = (federation: TestFederation, member: string) =>
  [DEPLOYMENTS, SERVICES].map((type) => federation.member(member).server.has(type, "default", "shop"));
const waits = (federation: TestFederation) => {
  const { state, reason } = federation.entry("shop", "shanghai") ?? {};
  return `${state} ${reason}`;
};

test("a move to a cluster that is away waits for the cluster, also through a restart of the manager", async () => {
  await using federation = await inShanghai();
  const singapore = federation.member("singapore");
  singapore.cutOff("silent");
  await federation.apply(PLACEMENTS, placement("where").onClusters("singapore"));
  await federation.until(() => waits(federation) === "Removing AwaitingReplacement");
  await federation.pass(60_000);
  expect(isOn(federation, "shanghai")).toEqual([true, true]);
  await federation.restart();
  await federation.pass(60_000);
  expect(isOn(federation, "shanghai")).toEqual([true, true]);
  expect(waits(federation)).toBe("Removing AwaitingReplacement");

  singapore.comeBack();
  await federation.until(() => isOn(federation, "shanghai").every((there) => !there));
  expect(isOn(federation, "singapore")).toEqual([true, true]);
  await federation.untilAvailable("shop");
  await federation.until(() => federation.entry("shop", "shanghai") === undefined, 2_000);
  expect(federation.status("shop")?.clusters?.map(({ name }) => name)).toEqual(["singapore"]);
});

test("what waits for a replacement is kept when there is nowhere to go any more", async () => {
  await using federation = await inShanghai();
  federation.member("singapore").cutOff("silent");
  await federation.apply(PLACEMENTS, placement("where").onClusters("singapore"));
  await federation.until(() => waits(federation) === "Removing AwaitingReplacement");
  await federation.delete(MEMBERCLUSTERS, "singapore", undefined);
  await federation.until(() => federation.condition("shop", "Scheduled") === "False NoClusterFits");
  await federation.pass(60_000);
  expect(isOn(federation, "shanghai")).toEqual([true, true]);
  expect(waits(federation)).toBe("Held NoClusterFits");
});
