import { describe, expect, test } from "vitest";
import type { Condition, PolicyStatus } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, OVERRIDEPOLICIES, type ResourceType } from "../../../src/runtime/index.ts";
import { demoApplication, overridePolicy } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const shop = demoApplication("shop").replica(2).port(80);

/** As `kubectl wait --for=condition` decides: a condition of an earlier generation does not count. */
function isMet(federation: TestFederation, type: string): boolean {
  const app = federation.app("shop");
  const condition = conditionOf(federation, type);
  return condition?.status === "True" && (condition.observedGeneration ?? 0) >= (app?.metadata.generation ?? 0);
}

function conditionOf(federation: TestFederation, type: string): Condition | undefined {
  return federation.status("shop")?.conditions?.find((one) => one.type === type);
}

function readyOf(federation: TestFederation, type: ResourceType, name: string): string {
  const { status } = federation.hub.get(type, "default", name) as { status?: PolicyStatus };
  const ready = status?.conditions?.find((one) => one.type === "Ready");
  return `${ready?.status} ${ready?.reason} ${ready?.message}`;
}

describe("nothing is called available that is not carried out", () => {
  test("and a rolling update that keeps its pods stays available all along, and is ready at its end", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.until(() => isMet(federation, "Ready"));
    const since = conditionOf(federation, "Available")?.lastTransitionTime;
    await federation.apply(DEMOAPPLICATIONS, shop.image("nginx:1.28"));
    const seen = new Set<string>();
    await federation.until(() => {
      seen.add(`${conditionOf(federation, "Available")?.status} ${conditionOf(federation, "Ready")?.reason}`);
      return isMet(federation, "Ready");
    });
    expect([...seen]).toEqual(["True AllClustersReady", "True RollingOut"].filter((one) => seen.has(one)));
    expect(seen).toContain("True RollingOut");
    expect(conditionOf(federation, "Available")?.lastTransitionTime).toBe(since);
    const { spec } = federation.member("shanghai").server.get(DEPLOYMENTS, "default", "shop") as {
      spec?: { template: { spec: { containers: { image: string }[] } } };
    };
    expect(spec?.template.spec.containers[0]?.image).toBe("nginx:1.28");
  });
});

describe("overrides", () => {
  test("that took effect stand in the entry of each cluster, and one that lost says to whom", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await federation.apply(OVERRIDEPOLICIES, overridePolicy("a-first").onClusters(["shanghai"], { replicas: 3 }));
    await federation.apply(OVERRIDEPOLICIES, overridePolicy("b-later").rule({ replicas: 4 }));
    await federation.apply(OVERRIDEPOLICIES, overridePolicy("c-other").rule({ labels: { tier: "web" } }));
    await federation.apply(OVERRIDEPOLICIES, overridePolicy("d-lost").onClusters(["tokyo"], { replicas: 9 }));
    const overrides = ["OverridePolicy/b-later", "OverridePolicy/c-other"];
    await federation.until(() => federation.entry("shop", "shanghai")?.overrides?.length === 2);
    for (const cluster of ["shanghai", "singapore"])
      expect(federation.entry("shop", cluster)).toMatchObject({ overrides, replicas: { desired: 4 } });
    await federation.pass(10_000);
    const ready = (name: string): string => readyOf(federation, OVERRIDEPOLICIES, name);
    expect(ready("a-first")).toMatch(/^False Superseded OverridePolicy b-later applies later/);
    expect(ready("b-later")).toBe("True Applied 1 object");
    expect(ready("d-lost")).toMatch(
      /^False NoClusterMatches no rule takes a cluster on which the object.*; unknown cluster tokyo$/,
    );
    await federation.delete(OVERRIDEPOLICIES, "b-later");
    await federation.until(() => federation.entry("shop", "shanghai")?.overrides?.[0] === "OverridePolicy/a-first");
    await federation.until(() => ready("a-first") === "True Applied 1 object");
  });
});
