import { expect, test } from "vitest";
import type { FederatedStatus, KubeObject, ResourceBinding } from "../../../src/apis/index.ts";
import {
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  RESOURCEBINDINGS,
} from "../../../src/runtime/index.ts";
import { runningText } from "../../../src/status/index.ts";
import { demoApplication, overridePolicy, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap } from "./objects.ts";

/** What the clusters run, beside what the hub wants. */

const MEMBERS = ["a", "b", "c"];
const GOOD = "registry.test/shop:1";
const BETTER = "registry.test/shop:2";
const BROKEN = "registry.test/does-not-exist:3";

const stages = MEMBERS.map((name) => ({ name, targetClusters: { clusterNames: [name] } }));
const inStages = placement("all").rollsOut({ gate: { timeout: "20s" }, onFailure: "Rollback" }, ...MEMBERS);
const waitsAfterFirst = placement("all").rollout({
  stages: stages.map((stage, index) => (index === 0 ? { ...stage, approval: "Manual" } : stage)),
});
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
  await federation.stopManager();
  await federation.startManager();
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

test("half-way through a rollout that waits: which image runs on how many clusters", async () => {
  await using federation = await rolledOut();
  await federation.apply(PLACEMENTS, waitsAfterFirst);
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => rollout(federation)?.reason === "Gate");
  await federation.until(() => federation.entry("shop", "a")?.state === "Available");
  expect(summary(federation)).toBe(`${GOOD} on 2 of 3`);
  expect(runningText(federation.status("shop"))).toBe(`${BETTER} wanted, ${GOOD} runs on 2 of 3: rollout paused`);
  expect(others(federation.status("shop"))).toEqual({ b: GOOD, c: GOOD });
  await staysSaid(federation);
});

test("overrides of the image make no difference between what is wanted and what runs; a rollback of them does", async () => {
  await using federation = await placed();
  const mirror = overridePolicy("mirror").onClusters(["b"], { image: { registry: "mirror.test" } });
  await federation.apply(OVERRIDEPOLICIES, mirror.object());
  await federation.until(() => rollout(federation)?.state === "Succeeded" && summary(federation) === "2 images");
  expect(federation.status("shop")?.runs).toEqual({ summary: "2 images" });
  expect(others(federation.status("shop"))).toEqual({});
  await federation.apply(DEMOAPPLICATIONS, shop(BROKEN));
  await federation.until(() => rollout(federation)?.state === "RolledBack", 120_000);
  await federation.until(() => federation.status("shop")?.runs?.differing === 3);
  expect(summary(federation)).toBe(`${GOOD}, mirror.test/shop:1`);
  expect(federation.entry("shop", "b")?.runs).toMatchObject({
    image: "mirror.test/shop:1",
    wanted: { image: "mirror.test/does-not-exist:3" },
  });
});

test("a cluster that is away runs what it had, and a new manager that has never seen it says so too", async () => {
  await using federation = await TestFederation.running(...MEMBERS);
  const image = summary(federation);
  federation.member("b").cutOff();
  await federation.until(() => federation.entry("shop", "b")?.state === "Unknown");
  expect(federation.status("shop")?.runs).toEqual({ summary: image });
  await federation.stopManager();
  await federation.startManager();
  await federation.pass(20_000);
  await federation.apply(DEMOAPPLICATIONS, shop(BETTER));
  await federation.until(() => federation.status("shop")?.runs?.differing === 1);
  expect(summary(federation)).toBe(`${image} on 1 of 3`);
  expect(runningText(federation.status("shop"))).toBe(`${BETTER} wanted, ${image} runs on 1 of 3: ClusterUnreachable`);
  federation.member("b").cutOff("reset");
  federation.member("b").comeBack();
  await federation.until(() => summary(federation) === BETTER);
});

test("of an object without an image: the revision", async () => {
  await using federation = await TestFederation.start(...MEMBERS);
  const policy = placement("settings").selects({ apiVersion: "v1", kind: "ConfigMap", name: "settings" });
  const [first, ...rest] = stages;
  await federation.apply(PLACEMENTS, policy.rollout({ stages: [{ ...first, name: "a", soak: "10m" }, ...rest] }));
  const status = () =>
    (federation.hub.find(RESOURCEBINDINGS, "default", "configmap.settings") as ResourceBinding | undefined)?.status;
  await federation.apply(CONFIGMAPS, configMap("settings", { color: "blue" }));
  await federation.until(() => status()?.rollout?.state === "Succeeded", 1_200_000);
  expect(status()?.runs).toBeUndefined();
  await federation.apply(CONFIGMAPS, configMap("settings", { color: "red" }));
  await federation.until(() => status()?.rollout?.stages?.[0]?.state === "Soaking");
  await federation.until(() => status()?.runs?.differing === 2);
  expect(status()?.runs?.summary).toBe("revision 1 on 2 of 3");
  expect(runningText(status())).toBe("revision 2 wanted, revision 1 runs on 2 of 3: rolling out");
});
