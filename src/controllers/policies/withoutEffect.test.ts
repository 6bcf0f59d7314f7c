import { describe, expect, test } from "vitest";
import { fullMessage, type OverridePolicy, type OverrideRule, type PlacementSpec } from "../../apis/index.ts";
import type { Policy } from "../../hub/index.ts";
import { clusterPlacementObject, placementObject } from "../../../test/builders/policyObjects.ts";
import { withoutEffect } from "./withoutEffect.ts";

const demo = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const widget = { apiVersion: "example.com/v1", kind: "Widget" };
const clusters = { get: (name: string) => (["cn-shanghai", "eu-central-1"].includes(name) ? {} : undefined) };

const placement = (spec: Partial<Record<keyof PlacementSpec, unknown>>) => placementObject(spec) as unknown as Policy;
const override = (...rules: OverrideRule[]): OverridePolicy => ({
  apiVersion: "federation.paas.cmft.com/v1alpha1",
  kind: "OverridePolicy",
  metadata: { name: "o", namespace: "default" },
  spec: { resourceSelectors: [demo], rules },
});
const found = (policy: Policy, hasPrometheus = true) => withoutEffect(policy, { clusters, hasPrometheus });

describe("what of a policy has no effect", () => {
  const rule = { kind: "Deployment" };
  const gate = { gate: { prometheus: { query: "up" } } };
  const job = { apiVersion: "batch/v1", kind: "Job" };
  const deployments = { apiVersion: "apps/v1", kind: "Deployment" };
  const elsewhere = { ...demo, namespace: "other" };
  const stages = (...targetClusters: object[]) => ({
    rollout: { stages: targetClusters.map((one) => ({ name: "x", ...one })) },
  });
  const on = (more: object) => ({ targetClusters: more });
  const noMember = "no member holds a DemoApplication; name a kind that comes of it, such as Deployment";
  const outOfReach = (index: number) =>
    `NamespaceOutOfReach: spec.resourceSelectors[${index}].namespace: a policy of namespace default selects nothing in other`;
  test.each<[string, Policy, unknown, boolean?]>([
    ["a selector of another namespace", placement({ resourceSelectors: [demo, elsewhere] }), outOfReach(1)],
    [
      "no selector of a cluster policy",
      clusterPlacementObject({ resourceSelectors: [elsewhere] }) as unknown as Policy,
      undefined,
    ],
    [
      "a selector of an override",
      { ...override(), spec: { resourceSelectors: [elsewhere], rules: [] } },
      outOfReach(0),
    ],
    [
      "unknown clusters of stages, each once",
      placement(stages(on({ clusterNames: ["cn-shanghai", "mars"] }), on({ exclude: ["venus", "mars"] }), {})),
      "UnknownCluster: spec.rollout.stages: unknown clusters mars, venus",
    ],
    [
      "a malformed health expression",
      placement({
        health: [
          { ...rule, available: "true" },
          { kind: "Widget", available: "object.status." },
        ],
      }),
      expect.stringMatching(/^InvalidHealthRule: spec\.health\[1\]\.available: column 15: /),
    ],
    [
      "the health of a kind that no member holds",
      placement({ health: [{ kind: "DemoApplication", available: "true" }] }),
      `NoEffect: spec.health[0].kind: ${noMember}`,
    ],
    [
      "the query of a gate without Prometheus",
      placement({ rollout: gate }),
      "PrometheusMissing: spec.rollout.gate.prometheus waits for ever: the manager was started without --prometheus-url",
      false,
    ],
    ["no query of a gate with Prometheus", placement({ rollout: gate }), undefined],
    [
      "the sum of statuses that Meridian writes anyway",
      placement({ aggregateStatus: true }),
      "NoEffect: spec.aggregateStatus: the status of a DemoApplication is Meridian's own already; remove it",
    ],
    [
      "the path of known replicas",
      placement({ resourceSelectors: [demo, deployments], replicaScheduling: { mode: "Divided", path: "spec.size" } }),
      "NoEffect: spec.replicaScheduling.path: Meridian knows where a DemoApplication and a Deployment keep replicas; remove it",
    ],
    [
      "the division of a Job, also beside other kinds",
      placement({ resourceSelectors: [demo, job], replicaScheduling: { mode: "Divided" } }),
      "NoEffect: spec.replicaScheduling.mode: no Job is divided: every cluster runs all completions; path: spec.completions divides them",
    ],
    [
      "no division of a Job by a path",
      placement({ resourceSelectors: [job], replicaScheduling: { mode: "Divided", path: "spec.completions" } }),
      undefined,
    ],
    [
      "nothing that has an effect on one of the kinds",
      placement({
        resourceSelectors: [demo, widget],
        aggregateStatus: true,
        replicaScheduling: { mode: "Divided", path: "spec.size" },
      }),
      undefined,
    ],
  ])("is %s", (_, policy, want, hasPrometheus) => {
    const { reason, error } = found(policy, hasPrometheus);
    expect(error === undefined ? undefined : `${reason}: ${fullMessage(error)}`).toEqual(want);
  });

  test("is of an override each cluster that is not there, once", () => {
    const on = (clusterNames: string[], exclude?: string[]): OverrideRule => ({
      targetClusters: { clusterNames, ...(exclude === undefined ? {} : { exclude }) },
      replicas: 1,
    });
    const all = override(on(["cn-shanghai", "mars"]), on(["mars"], ["venus"]), { replicas: 2 });
    expect(found(all)).toEqual({ unknownClusters: ["mars", "venus"] });
    expect(found(override(on(["cn-shanghai"]), { replicas: 2 }))).toEqual({});
  });
});
