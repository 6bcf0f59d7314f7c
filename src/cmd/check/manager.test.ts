import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { checkDeployments, checkLease, flagOf, type ManagerFacts, servesWebhooks } from "./manager.ts";

const NOW = Date.UTC(2026, 10, 28, 8);

function deployment(replicas: number, available: number, args: string[] = []): KubeObject {
  const counts = { replicas, updatedReplicas: replicas, availableReplicas: available, observedGeneration: 1 };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "meridian", generation: 1 },
    spec: { replicas, template: { spec: { containers: [{ args }] } } },
    status: counts,
  };
}
function lease(renewedAgoMs: number, holderIdentity = "pod-1"): KubeObject {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "meridian" },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: new Date(NOW - renewedAgoMs).toISOString() },
  };
}
const waiting: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "pod-1" },
  status: { containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } } }] },
};
const facts = (given: Partial<ManagerFacts>): ManagerFacts => ({
  namespace: "fed",
  leaseName: "meridian",
  deployments: [deployment(2, 2)],
  pods: [],
  lease: lease(1_000),
  hubTime: NOW,
  ...given,
});

describe("the managers", () => {
  test.each<{ name: string; given: Partial<ManagerFacts>; code?: string; says?: string }>([
    { name: "are fine when all are ready", given: {} },
    { name: "may run outside of the hub", given: { deployments: [] }, says: "pod-1 runs elsewhere and leads" },
    {
      name: "are missing when nobody leads, either",
      given: { deployments: [], lease: undefined },
      code: "ManagerMissing",
    },
    {
      name: "are missing when the last one has gone",
      given: { deployments: [], lease: lease(60_000) },
      code: "ManagerMissing",
    },
    {
      name: "may be elsewhere when the Lease is not shown",
      given: { deployments: [], lease: "NotShown" },
      says: "your rights do not show a Deployment in fed, nor who holds the Lease",
    },
    {
      name: "are not ready, for the reason that a pod gives",
      given: { deployments: [deployment(2, 1)], pods: [waiting] },
      code: "ManagerNotReady",
      says: "1/2 managers of Deployment meridian are ready: pod pod-1: ImagePullBackOff no such image",
    },
    {
      name: "are not ready, for an unknown reason, when pods are not shown",
      given: { deployments: [deployment(2, 1)], pods: undefined },
      code: "ManagerNotReady",
      says: "1/2 managers",
    },
    { name: "are scaled down", given: { deployments: [deployment(0, 0)] }, code: "ManagerScaledDown" },
  ])("$name", ({ given, code, says = "" }) => {
    const { findings, what } = checkDeployments(facts(given));
    expect(findings.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
    expect([what, ...findings.map((one) => one.what)].join("\n")).toContain(says);
  });

  test("tell by their flags which Lease and webhooks are theirs", () => {
    const deployments = [deployment(1, 1, ["manager", "--webhooks", "--lease-name=blue"])];
    expect([flagOf(deployments, "--lease-name"), servesWebhooks(deployments)]).toEqual(["blue", true]);
    expect([flagOf([deployment(1, 1)], "--lease-name"), servesWebhooks([])]).toEqual([undefined, false]);
  });
});

describe("the Lease", () => {
  test.each<{ name: string; given: Partial<ManagerFacts>; code?: string; says?: string }>([
    { name: "is fine when it was just renewed", given: {}, says: "held by pod-1, renewed 2026-11-28T07:59:59Z" },
    { name: "is fine until it ends", given: { lease: lease(15_500) } },
    { name: "is stale once another manager could take it", given: { lease: lease(17_000) }, code: "LeaseStale" },
    { name: "is missing before the first manager leads", given: { lease: undefined }, code: "LeaseMissing" },
    { name: "is given up by a manager that ended well", given: { lease: lease(1_000, "") }, code: "LeaseReleased" },
    {
      name: "shows a manager whose clock is ahead of the hub's",
      given: { lease: lease(-95_000) },
      code: "ClockSkew",
      says: "the clock of pod-1 is 95 s ahead of the hub's clock",
    },
  ])("$name", ({ given, code, says = "" }) => {
    const { findings, what } = checkLease(facts(given));
    expect(findings.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
    expect([what, ...findings.map((one) => one.what)].join("\n")).toContain(says);
  });
});
