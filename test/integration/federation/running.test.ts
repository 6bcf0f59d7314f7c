import { expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { runningText } from "../../../src/status/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** What the clusters run, beside what the hub wants. */

const MEMBERS = ["a", "b", "c"];
const GOOD = "registry.test/shop:1";
const BETTER = "registry.test/shop:2";
const BROKEN = "registry.test/does-not-exist:3";

const inStages = placement("all").rollsOut({ gate: { timeout: "20s" }, onFailure: "Rollback" }, ...MEMBERS);
const shop = (image: string): KubeObject => demoApplication("shop").replica(2).image(image).object();

const rollout = (federation: TestFederation) => federation.status("shop")?.rollout;
const summary = (federation: TestFederation) => federation.status("shop")?.runs?.summary;
/** What each cluster runs that does not run what is wanted there. */
const others = ({ clusters = [] }: FederatedStatus = {}): Record<string, string | undefined> =>
  Object.fromEntries(clusters.flatMap(({ name, runs }) => (runs === undefined ? [] : [[name, runs.image]])));

async function placed(policy = inStages): Promise<TestFederation> {
  const federation = await TestFederation.start(...MEMBERS);
  await federation.apply(PLACEMENTS, policy);
  await federation.apply(DEMOAPPLICATIONS, shop(GOOD));
  return federation;
}

async function rolledOut(): Promise<TestFederation> {
  const federation = await placed();
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  return federation;
}

/** A new manager says the same, and writes nothing. */
async function staysSaid(federation: TestFederation): Promise<void> {
  await federation.pass(5_000);
  const said = federation.status("shop");
  await federation.restart();
  await federation.pass(20_000);
  expect(federation.status("shop")).toEqual(said);
  expect(federation.hubClients.at(-1)?.writes).toEqual([]);
}

test("after a rollback: what runs is the last good image, on every cluster, and why", async () => {
  await using federation = await rolledOut();
  expect(federation.status("shop")?.runs).toEqual({ summary: GOOD });
  await federation.apply(DEMOAPPLICATIONS, shop(BROKEN));
  await federation.until(() => rollout(federation)?.state === "RolledBack", 120_000);
  await federation.until(() => federation.status("shop")?.runs?.differing === 3);
  const status = federation.status("shop");
  expect(status?.runs).toEqual({
    summary: GOOD,
    clusters: 3,
    differing: 3,
    versions: [
      { image: BROKEN, revision: 2, wanted: true, clusters: 0 },
      { image: GOOD, revision: 1, clusters: 3 },
    ],
  });
  expect(runningText(status)).toBe(`${BROKEN} wanted, ${GOOD} runs: rolled back`);
  expect(others(status)).toEqual({ a: GOOD, b: GOOD, c: GOOD });
  await staysSaid(federation);
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  await federation.until(() => federation.status("shop")?.runs?.differing === undefined);
  expect(federation.status("shop")?.runs).toEqual({ summary: BETTER });
  expect(others(federation.status("shop"))).toEqual({});
});

test("a cluster that is away runs what it had, and a new manager that has never seen it says so too", async () => {
  await using federation = await TestFederation.running(...MEMBERS);
  const image = summary(federation);
  federation.member("b").cutOff();
  await federation.until(() => federation.entry("shop", "b")?.state === "Unknown");
  expect(federation.status("shop")?.runs).toEqual({ summary: image });
  await federation.restart();
  await federation.pass(20_000);
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => federation.status("shop")?.runs?.differing === 1);
  expect(summary(federation)).toBe(`${image} on 1 of 3`);
  expect(runningText(federation.status("shop"))).toBe(`${BETTER} wanted, ${image} runs on 1 of 3: ClusterUnreachable`);
  federation.member("b").cutOff("reset");
  federation.member("b").comeBack();
  await federation.until(() => summary(federation) === BETTER);
});
