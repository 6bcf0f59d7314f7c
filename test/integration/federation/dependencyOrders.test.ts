import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../../src/apis/index.ts";
import { CONFIGMAPS, DEPLOYMENTS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap, deployment } from "./objects.ts";

const CLUSTERS = ["shanghai", "singapore"] as const;
const ofMap = placement("settings").selects({ apiVersion: "v1", kind: "ConfigMap", name: "settings" });
const ofWeb = placement("web").selects({ apiVersion: "apps/v1", kind: "Deployment", name: "web" });

function web(): KubeObject {
  const object = deployment("web", 1);
  const { template } = object["spec"] as { template: { spec: Record<string, unknown> } };
  template.spec["volumes"] = [{ name: "settings", configMap: { name: "settings" } }];
  return object;
}

/** One thing that a person does, in whatever order. */
const steps = {
  "the map is placed": (federation: TestFederation) => federation.apply(PLACEMENTS, ofMap.onClusters("shanghai")),
  "its placement goes": (federation: TestFederation) => federation.delete(PLACEMENTS, "settings"),
  "it is suspended": (federation: TestFederation) =>
    federation.apply(PLACEMENTS, ofMap.onClusters("shanghai").suspend()),
  "the workload is placed": (federation: TestFederation) => federation.apply(PLACEMENTS, ofWeb),
  "the map changes": (federation: TestFederation) =>
    federation.apply(CONFIGMAPS, configMap("settings", { color: "green" })),
  "the manager restarts": async (federation: TestFederation) => {
    await federation.restart();
  },
} as const;
type Step = keyof typeof steps;

/** Every order in which the earlier of each pair comes first. */
function orders(all: readonly Step[], ...pairs: readonly (readonly [before: Step, after: Step])[]): Step[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first) => {
    const rest = all.filter((one) => one !== first);
    if (pairs.some(([before, after]) => after === first && rest.includes(before))) return [];
    return orders(rest, ...pairs).map((others) => [first, ...others]);
  });
}

async function after(order: readonly Step[]): Promise<TestFederation> {
  const federation = await TestFederation.start(...CLUSTERS);
  await federation.apply(CONFIGMAPS, configMap("settings", { color: "blue" }));
  await federation.apply(DEPLOYMENTS, web());
  for (const step of order) {
    await steps[step](federation);
    await federation.pass(5_000);
  }
  await federation.pass(10_000);
  return federation;
}

const statusOf = (federation: TestFederation, name: string): FederatedStatus | undefined =>
  federation.binding(name)?.status;
const condition = (status: FederatedStatus | undefined, type: string) =>
  status?.conditions?.find((one) => one.type === type);
const dataOn = (federation: TestFederation, cluster: string): unknown =>
  federation.member(cluster).server.find(CONFIGMAPS, "default", "settings")?.["data"];
const dataEverywhere = (federation: TestFederation): unknown[] =>
  CLUSTERS.map((cluster) => dataOn(federation, cluster));

const writesOf = ({ hubWrites, members }: TestFederation): unknown[] => [
  hubWrites.length,
  ...[...members.values()].map(({ writes }) => writes.length),
];

const name = (order: readonly Step[]): string => order.join(", ");

describe("a ConfigMap that its own Placement lets go of travels with the workload that needs it", () => {
  const all = orders(
    ["the map is placed", "its placement goes", "the workload is placed", "the map changes"],
    ["the map is placed", "its placement goes"],
  );
  test.each(all.map((order) => ({ name: name(order), order })))("$name", async ({ order }) => {
    await using federation = await after(order);
    expect(dataEverywhere(federation)).toEqual([{ color: "green" }, { color: "green" }]);
    const status = statusOf(federation, "deployment.apps.web");
    expect(condition(status, "Applied")).toMatchObject({ status: "True", reason: "AllClustersApplied" });
    expect(status?.clusters?.map(({ state }) => state)).toEqual(["Available", "Available"]);

    await federation.apply(CONFIGMAPS, configMap("settings", { color: "red" }));
    await federation.until(() => dataEverywhere(federation).every((data) => JSON.stringify(data).includes("red")));

    await federation.pass(5_000);
    const writes = writesOf(federation);
    await steps["the manager restarts"](federation);
    await federation.pass(60_000);
    expect(writesOf(federation)).toEqual(writes);

    // Nobody has said that it should leave the cluster where its own Placement had it.
    await federation.delete(DEPLOYMENTS, "web");
    await federation.until(() => !federation.hub.has(DEPLOYMENTS, "default", "web"));
    await federation.pass(5_000);
    expect(dataEverywhere(federation)).toEqual([{ color: "red" }, undefined]);
  });
});

describe("a ConfigMap that its own Placement suspends stays as it is where that placed it, and who needs it says so", () => {
  const all = orders(
    ["the map is placed", "it is suspended", "the workload is placed", "the map changes"],
    ["the map is placed", "it is suspended"],
    ["it is suspended", "the map changes"],
  );
  test.each(all.map((order) => ({ name: name(order), order })))("$name", async ({ order }) => {
    await using federation = await after(order);
    expect(dataEverywhere(federation)).toEqual([{ color: "blue" }, { color: "green" }]);
    const status = statusOf(federation, "deployment.apps.web");
    expect(condition(status, "Applied")).toMatchObject({ status: "False", reason: "Suspended" });
    expect(status?.clusters?.map(({ state, reason }) => [state, reason])).toEqual([
      ["Held", "Suspended"],
      ["Available", undefined],
    ]);

    await steps["the map is placed"](federation);
    await federation.until(() => condition(statusOf(federation, "deployment.apps.web"), "Applied")?.status === "True");
    expect(dataEverywhere(federation)).toEqual([{ color: "green" }, { color: "green" }]);
  });
});
