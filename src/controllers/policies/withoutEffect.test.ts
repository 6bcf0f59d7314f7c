import { describe, expect, test } from "vitest";
import type { OverridePolicy, OverrideRule, PlacementSpec } from "../../apis/index.ts";
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
  interface Case {
    name: string;
    policy: Policy;
    hasPrometheus?: boolean;
    want: string | undefined;
  }
  test.each<Case>([
    { name: "is nothing of a plain one", policy: placement({}), want: undefined },
    {
      name: "is a selector in another namespace",
      policy: placement({ resourceSelectors: [demo, { ...demo, namespace: "other" }] }),
      want: "NamespaceOutOfReach: spec.resourceSelectors[1].namespace: a policy of namespace default selects nothing in other",
    },
    {
      name: "is no selector in its own namespace",
      policy: placement({ resourceSelectors: [{ ...demo, namespace: "default" }] }),
      want: undefined,
    },
    {
      name: "is no selector of a policy of all namespaces",
      policy: clusterPlacementObject({ resourceSelectors: [{ ...demo, namespace: "other" }] }) as unknown as Policy,
      want: undefined,
    },
    {
      name: "is the same of an override",
      policy: { ...override(), spec: { resourceSelectors: [{ ...demo, namespace: "other" }], rules: [] } },
      want: "NamespaceOutOfReach: spec.resourceSelectors[0].namespace: a policy of namespace default selects nothing in other",
    },
    {
      name: "is a cluster in a stage that is not there",
      policy: placement({
        rollout: {
          stages: [
            { name: "canary", targetClusters: { clusterNames: ["cn-shanghai", "mars"] } },
            { name: "rest", targetClusters: { exclude: ["venus", "mars"] } },
            { name: "last" },
          ],
        },
      }),
      want: "UnknownCluster: spec.rollout.stages: unknown clusters mars, venus",
    },
    {
      name: "is no cluster in a stage that is there",
      policy: placement({
        rollout: { stages: [{ name: "canary", targetClusters: { clusterNames: ["cn-shanghai"] } }] },
      }),
      want: undefined,
    },
    {
      name: "is an expression of health that cannot be read",
      policy: placement({
        health: [
          { ...rule, available: "true" },
          { kind: "Widget", available: "object.status." },
        ],
      }),
      want: expect.stringMatching(/^InvalidHealthRule: spec\.health\[1\]\.available: column 15: /) as string,
    },
    {
      name: "is the health of a kind that is not on members",
      policy: placement({ health: [{ kind: "DemoApplication", available: "true" }] }),
      want: "NoEffect: spec.health[0].kind: no member holds a DemoApplication; name a kind that comes of it, such as Deployment",
    },
    {
      name: "is a field of such a kind that is left to members",
      policy: placement({ retain: [{ kind: "DemoApplication", path: "spec.replica" }] }),
      want: "NoEffect: spec.retain[0].kind: no member holds a DemoApplication; name a kind that comes of it, such as Deployment",
    },
    {
      name: "is the query of a gate where there is no Prometheus",
      policy: placement({ rollout: gate }),
      hasPrometheus: false,
      want: "PrometheusMissing: spec.rollout.gate.prometheus waits for ever: the manager was started without --prometheus-url",
    },
    { name: "is no query where there is one", policy: placement({ rollout: gate }), want: undefined },
    {
      name: "is no gate without a query",
      policy: placement({ rollout: { gate: { available: "50%" } } }),
      hasPrometheus: false,
      want: undefined,
    },
    {
      name: "is the sum of statuses of what has one already",
      policy: placement({ aggregateStatus: true }),
      want: "NoEffect: spec.aggregateStatus: the status of a DemoApplication is Meridian's own already; remove it",
    },
    {
      name: "is the path of replicas that Meridian knows",
      policy: placement({
        resourceSelectors: [demo, { apiVersion: "apps/v1", kind: "Deployment" }],
        replicaScheduling: { mode: "Divided", path: "spec.size" },
      }),
      want: "NoEffect: spec.replicaScheduling.path: Meridian knows where a DemoApplication and a Deployment keep replicas; remove it",
    },
    {
      name: "is the division of a Job, also beside what is divided",
      policy: placement({
        resourceSelectors: [demo, { apiVersion: "batch/v1", kind: "Job" }],
        replicaScheduling: { mode: "Divided" },
      }),
      want: "NoEffect: spec.replicaScheduling.mode: no Job is divided: every cluster runs all completions; path: spec.completions divides them",
    },
    {
      name: "is no division of a Job that says which number is divided",
      policy: placement({
        resourceSelectors: [{ apiVersion: "batch/v1", kind: "Job" }],
        replicaScheduling: { mode: "Divided", path: "spec.completions" },
      }),
      want: undefined,
    },
    {
      name: "is nothing that has an effect on one of the kinds",
      policy: placement({
        resourceSelectors: [demo, widget],
        aggregateStatus: true,
        replicaScheduling: { mode: "Divided", path: "spec.size" },
      }),
      want: undefined,
    },
    {
      name: "is no sum that is not asked for",
      policy: placement({ aggregateStatus: false }),
      want: undefined,
    },
  ])("$name", ({ policy, hasPrometheus, want }) => {
    const { reason, error } = found(policy, hasPrometheus);
    const said = error === undefined ? undefined : `${reason}: ${error}`;
    if (want === undefined) expect(said).toBeUndefined();
    else expect(said).toEqual(want);
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
