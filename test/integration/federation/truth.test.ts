import { describe, expect, test } from "vitest";
import type { Condition, PolicyStatus } from "../../../src/apis/index.ts";
import {
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
} from "../../../src/runtime/index.ts";
import { demoApplication, overridePolicy, placement } from "../../builders/index.ts";
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
  test("when the Placement is gone and the image was changed since", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await federation.until(() => isMet(federation, "Ready"));
    await federation.delete(PLACEMENTS, "all");
    await federation.until(() => federation.condition("shop", "Scheduled") === "False NoPlacement");
    expect(federation.condition("shop", "Available")).toBe("True AllClustersAvailable");
    await federation.apply(DEMOAPPLICATIONS, shop.image("nginx:1.28"));
    await federation.until(() => federation.status("shop")?.observedGeneration === 2);
    await federation.pass(10_000);
    expect(federation.condition("shop", "Available")).toBe("False NoPlacement");
    expect(federation.condition("shop", "Progressing")).toBe("False Stalled");
    expect(federation.condition("shop", "Ready")).toBe("False NoPlacement");
    expect(federation.status("shop")).toMatchObject({ availableClusters: "0/2", replicas: { ready: 4 } });

    await federation.apply(PLACEMENTS, placement("all"));
    await federation.until(() => isMet(federation, "Ready"));
  });

  test("when a policy asks for something else of a cluster that hangs, for longer than a moment", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    await federation.until(() => isMet(federation, "Ready"));
    federation.member("shanghai").cutOff("silent");
    await federation.apply(OVERRIDEPOLICIES, overridePolicy("more").onClusters(["shanghai"], { replicas: 3 }));
    await federation.pass(1_500);
    expect(isMet(federation, "Ready")).toBe(false);
  });

  test("when the object is changed while a cluster is away, whose numbers are marked", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    federation.member("shanghai").cutOff("reset");
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Unknown");
    expect(federation.condition("shop", "Progressing")).toBe("False Settled");
    expect(federation.status("shop")).toMatchObject({ replicas: { ready: 4 }, staleReplicas: { ready: 2 } });
    await federation.apply(DEMOAPPLICATIONS, shop.image("nginx:1.28"));
    await federation.until(() => federation.condition("shop", "Progressing") === "False Stalled");
    expect(conditionOf(federation, "Progressing")?.message).toBe("not carried out on shanghai (ClusterUnreachable)");
    expect(federation.condition("shop", "Ready")).toBe("False ClusterUnreachable");
  });

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

test("an object that admission was not asked about says what is wrong with it, and runs", async () => {
  await using federation = await TestFederation.running("shanghai");
  expect(federation.condition("shop", "Validated")).toBe("True Valid");
  await federation.apply(DEMOAPPLICATIONS, shop.replica(0));
  await federation.until(() => federation.condition("shop", "Validated") === "False ReplicasOutOfBounds");
  await federation.until(() => isMet(federation, "Ready"));
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

  test("with a value that a member refuses are at fault, once and for all, until they are mended", async () => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    const bad = overridePolicy("bad");
    const replicas = (value: unknown) =>
      bad.onClusters(["shanghai"], { patches: [{ kind: "Deployment", op: "replace", path: "/spec/replicas", value }] });
    await federation.apply(OVERRIDEPOLICIES, replicas("two"));
    await federation.until(() => federation.entry("shop", "shanghai")?.state === "Failed");
    const entry = federation.entry("shop", "shanghai");
    expect(entry?.reason).toBe("InvalidPatch");
    expect(entry?.message).toMatch(/^OverridePolicy bad, rule 0: patch 0 on Deployment: \.spec\.replicas: /);
    expect(federation.condition("shop", "Applied")).toBe("False InvalidPatch");
    expect(federation.condition("shop", "Progressing")).toBe("False Stalled");
    await federation.until(() => readyOf(federation, OVERRIDEPOLICIES, "bad").startsWith("False InvalidPatch"));
    const events = federation.events.filter((event) => event["reason"] === "InvalidPatch");
    expect(events).toMatchObject([{ type: "Warning", note: expect.stringContaining("OverridePolicy bad, rule 0") }]);

    await federation.apply(OVERRIDEPOLICIES, replicas(3));
    await federation.until(() => federation.entry("shop", "shanghai")?.replicas.ready === 3);
    await federation.until(() => readyOf(federation, OVERRIDEPOLICIES, "bad") === "True Applied 1 object");
  });

  test.each([-3, 2.5])("that leave %s replicas are at fault, and the status is written all the same", async (value) => {
    await using federation = await TestFederation.running("shanghai", "singapore");
    const patch = { kind: "Deployment", op: "add", path: "/spec/replicas", value } as const;
    await federation.apply(OVERRIDEPOLICIES, overridePolicy("bad").onClusters(["shanghai"], { patches: [patch] }));
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "InvalidPatch");
    expect(federation.entry("shop", "shanghai")?.message).toMatch(
      /^OverridePolicy bad, rule 0: patch 0 on Deployment: /,
    );
    expect(federation.condition("shop", "Ready")).toBe("False InvalidPatch");
    await federation.until(() => readyOf(federation, OVERRIDEPOLICIES, "bad").startsWith("False InvalidPatch"));
    const events = federation.events.filter((event) => event["reason"] === "InvalidPatch");
    expect(events).toMatchObject([{ type: "Warning", note: expect.stringContaining("OverridePolicy bad, rule 0") }]);
  });
});

describe("a placement without effect says just why", () => {
  test("another one has its objects; its kind is not placed; its fields are not carried out", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.apply(PLACEMENTS, placement("zweiter"));
    await federation.apply(PLACEMENTS, placement("events").selects({ apiVersion: "v1", kind: "Event" }));
    await federation.apply(PLACEMENTS, placement("none").of("nobody"));
    await federation.pass(10_000);
    const ready = (name: string): string => readyOf(federation, PLACEMENTS, name);
    expect(ready("all")).toBe("True Applied 1 object");
    expect(ready("zweiter")).toBe(
      "False LostToOther Placement all has the object that this policy selects: the first by name goes first",
    );
    expect(ready("events")).toMatch(/^False KindNotPlaced it cannot place objects of kind Event \(v1; .+\)$/);
    expect(ready("none")).toMatch(/^True NoObjectMatches/);
    await federation.hub.merge(PLACEMENTS, "default", "all", {
      spec: { replicaScheduling: { mode: "Divided", rescheduling: { after: "5m" } } },
    });
    await federation.until(() => ready("all").startsWith("False NotCarriedOut"));
    expect(ready("all")).toBe(
      "False NotCarriedOut taken and not carried out by this version: spec.replicaScheduling.rescheduling without strategy Available or Aggregated",
    );
  });
});
