import { describe, expect, test } from "vitest";
import type { KubeObject, PolicyStatus } from "../../../src/apis/index.ts";
import { CONFIGMAPS, DEMOAPPLICATIONS, DEPLOYMENTS, OVERRIDEPOLICIES, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, overridePolicy, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap, deployment } from "./objects.ts";

const settings = { apiVersion: "v1", kind: "ConfigMap", name: "settings" };
const inShanghai = (value: string, path = "/data/color") =>
  overridePolicy("colors")
    .selects(settings)
    .onClusters(["shanghai"], { patches: [{ op: "add", path, value }] });

function web(name = "web"): KubeObject {
  const object = deployment(name, 1);
  const { template } = object["spec"] as { template: { spec: Record<string, unknown> } };
  template.spec["volumes"] = [{ name: "settings", configMap: { name: "settings" } }];
  return object;
}

/** A Deployment on both members, with the ConfigMap that its pods read. */
async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  await federation.apply(CONFIGMAPS, configMap("settings", { color: "blue" }));
  await federation.apply(PLACEMENTS, placement("web").selects({ apiVersion: "apps/v1", kind: "Deployment" }));
  await federation.apply(DEPLOYMENTS, web());
  await federation.until(() => colorOn(federation, "singapore") === "blue");
  return federation;
}

const colorOn = (federation: TestFederation, cluster: string): string | undefined => {
  const found = federation.member(cluster).server.find(CONFIGMAPS, "default", "settings");
  return (found?.["data"] as Record<string, string> | undefined)?.["color"];
};
const colors = (federation: TestFederation): unknown[] =>
  ["shanghai", "singapore"].map((on) => colorOn(federation, on));
const policyStatus = ({ hub }: TestFederation): PolicyStatus | undefined =>
  hub.find(OVERRIDEPOLICIES, "default", "colors")?.["status"] as PolicyStatus | undefined;
const ready = (federation: TestFederation) => {
  const { status, reason, message } = policyStatus(federation)?.conditions?.find(({ type }) => type === "Ready") ?? {};
  return { status, reason, message };
};
const entriesOf = (federation: TestFederation) => federation.binding("deployment.apps.web")?.status?.clusters;

describe("an override of an object that travels as a dependency", () => {
  test("applies on its clusters, is counted, follows its changes, and ends with the policy", async () => {
    await using federation = await running();
    await federation.apply(OVERRIDEPOLICIES, inShanghai("green"));
    await federation.until(() => colorOn(federation, "shanghai") === "green");
    await federation.until(() => ready(federation).status === "True");
    expect(colors(federation)).toEqual(["green", "blue"]);
    expect(policyStatus(federation)).toMatchObject({
      matchedObjects: 1,
      decisions: [{ clusters: ["shanghai"], objects: 1 }],
    });

    // Another one that needs it makes no second object of it.
    await federation.apply(DEPLOYMENTS, web("shop"));
    await federation.pass(10_000);
    expect(policyStatus(federation)?.matchedObjects).toBe(1);

    await federation.apply(OVERRIDEPOLICIES, inShanghai("red"));
    await federation.until(() => colorOn(federation, "shanghai") === "red");
    await federation.apply(CONFIGMAPS, configMap("settings", { color: "white" }));
    await federation.until(() => colorOn(federation, "singapore") === "white");
    expect(colors(federation)).toEqual(["red", "white"]);

    await federation.delete(OVERRIDEPOLICIES, "colors");
    await federation.until(() => colorOn(federation, "shanghai") === "white");
  });

  test("that cannot be applied stops the objects that need it, with the policy's name", async () => {
    await using federation = await running();
    await federation.apply(OVERRIDEPOLICIES, inShanghai("green", "/data/no/such/path"));
    await federation.until(() => ready(federation).reason === "InvalidPatch");
    await federation.until(() => entriesOf(federation)?.[0]?.state === "Failed");
    expect(entriesOf(federation)).toMatchObject([
      { name: "shanghai", reason: "InvalidPatch" },
      { name: "singapore", state: "Available" },
    ]);
    expect(entriesOf(federation)?.[0]?.message).toContain("OverridePolicy colors");
    expect(colors(federation)).toEqual(["blue", "blue"]);
  });

  test("restarts the pods of an application only where its content differs", async () => {
    await using federation = await running();
    await federation.apply(PLACEMENTS, placement("apps"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromConfigMap("settings"));
    const templateOn = (cluster: string): unknown => {
      const found = federation.member(cluster).server.find(DEPLOYMENTS, "default", "shop");
      return JSON.stringify((found?.["spec"] as { template?: unknown } | undefined)?.template);
    };
    await federation.untilAvailable("shop");
    const before = ["shanghai", "singapore"].map(templateOn);
    await federation.apply(
      OVERRIDEPOLICIES,
      overridePolicy("colors")
        .selects(settings)
        .rule({ labels: { team: "web" } })
        .onClusters(["shanghai"], { patches: [{ op: "add", path: "/data/color", value: "green" }] }),
    );
    await federation.until(() => colorOn(federation, "shanghai") === "green");
    await federation.pass(5_000);
    expect(templateOn("shanghai")).not.toEqual(before[0]);
    expect(templateOn("singapore")).toEqual(before[1]);
  });
});
