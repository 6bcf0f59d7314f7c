import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { KubeObject, OverridePolicy, OverrideRule } from "../apis/index.ts";
import type { ClusterSnapshot } from "../scheduler/types.ts";
import { matchPolicies, matchRules } from "./match.ts";

const APP = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const shop: KubeObject = { ...APP, metadata: { name: "shop", namespace: "default", labels: { tier: "web" } } };

type Selector = OverridePolicy["spec"]["resourceSelectors"][number];

function policy(
  name: string,
  selector: Partial<Selector> = {},
  more: { namespace?: string; rules?: OverrideRule[]; deleting?: boolean } = {},
): OverridePolicy {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: more.namespace === undefined ? "ClusterOverridePolicy" : "OverridePolicy",
    metadata: {
      name,
      ...(more.namespace === undefined ? {} : { namespace: more.namespace }),
      ...(more.deleting === true ? { deletionTimestamp: "2026-11-21T08:00:00Z" } : {}),
    },
    spec: { resourceSelectors: [{ ...APP, ...selector }], rules: more.rules ?? [{ replicas: 1 }] },
  };
}

const cluster = (name: string, region: string): ClusterSnapshot => ({
  name,
  region,
  labels: { "topology.kubernetes.io/region": region },
  taints: [],
  deleting: false,
  local: false,
});

const byLabel: Partial<Selector> = { labelSelector: { matchLabels: { tier: "web" } } };
const inDefault = { namespace: "default" };

describe("matchPolicies", () => {
  const policies = [
    policy("z-all"),
    policy("a-all"),
    policy("by-name", { name: "shop" }),
    policy("by-label", byLabel),
    policy("ns-by-name", { name: "shop" }, inDefault),
    policy("ns-all", {}, inDefault),
    policy("ns-by-label", byLabel, inDefault),
  ];
  const order = ["a-all", "z-all", "by-label", "by-name", "ns-all", "ns-by-label", "ns-by-name"];

  test("cluster-scoped come first, then the less specific, then by name", () => {
    expect(matchPolicies(shop, policies).map((p) => p.metadata.name)).toEqual(order);
  });

  test.prop([fc.shuffledSubarray(policies, { minLength: policies.length })])(
    "the order in which they are given does not matter",
    (shuffled) => {
      expect(matchPolicies(shop, shuffled).map((p) => p.metadata.name)).toEqual(order);
    },
  );

  test.each<[string, OverridePolicy]>([
    ["a namespaced policy of another namespace", policy("p", {}, { namespace: "other" })],
    ["a policy that is being deleted", policy("p", {}, { deleting: true })],
    ["another kind", policy("p", { kind: "ConfigMap" })],
    ["another name", policy("p", { name: "cart" })],
    ["other labels", policy("p", { labelSelector: { matchLabels: { tier: "db" } } })],
  ])("%s does not match", (_name, one) => expect(matchPolicies(shop, [one])).toEqual([]));

  test("a namespaced policy does not reach a cluster-scoped object", () => {
    const object: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } };
    const selector = { apiVersion: "v1", kind: "Namespace" };
    expect(matchPolicies(object, [policy("p", selector, inDefault)])).toEqual([]);
    expect(matchPolicies(object, [policy("p", selector)])).toHaveLength(1);
  });

  test("a policy for v1 reaches the object in v1beta1", () => {
    expect(matchPolicies({ ...shop, apiVersion: "paas.cmft.com/v1beta1" }, [policy("p")])).toHaveLength(1);
  });
});

describe("matchRules", () => {
  const inRegion = (region: string): OverrideRule["targetClusters"] => ({
    labelSelector: { matchLabels: { "topology.kubernetes.io/region": region } },
  });
  const regional = policy(
    "regional",
    {},
    {
      ...inDefault,
      rules: [
        { targetClusters: inRegion("cn"), replicas: 5 },
        { targetClusters: inRegion("sg"), replicas: 3 },
        { labels: { a: "b" } },
      ],
    },
  );
  const general = policy("general", {}, { rules: [{ replicas: 2 }] });

  test("gives the rules for the cluster with where they come from, in the order of application", () => {
    expect(matchRules(shop, [regional, general]).on(cluster("singapore-1", "sg"))).toStrictEqual([
      { policy: { kind: "ClusterOverridePolicy", name: "general" }, index: 0, rule: { replicas: 2 } },
      {
        policy: { kind: "OverridePolicy", namespace: "default", name: "regional" },
        index: 1,
        rule: { targetClusters: inRegion("sg"), replicas: 3 },
      },
      {
        policy: { kind: "OverridePolicy", namespace: "default", name: "regional" },
        index: 2,
        rule: { labels: { a: "b" } },
      },
    ]);
  });

  test("names the policies that match the object, in the order of application, wherever their rules apply", () => {
    expect(matchRules(shop, [regional, general, policy("p", { name: "cart" })]).policies).toEqual([
      { kind: "ClusterOverridePolicy", name: "general" },
      { kind: "OverridePolicy", namespace: "default", name: "regional" },
    ]);
  });

  test("gives the same list for clusters on which the same rules apply", () => {
    const rules = matchRules(shop, [regional, general]);
    expect(rules.on(cluster("singapore-1", "sg"))).toBe(rules.on(cluster("singapore-2", "sg")));
    expect(rules.on(cluster("singapore-1", "sg"))).not.toBe(rules.on(cluster("shanghai-1", "cn")));
  });

  test("a rule by matchLabelKeys compares with the object's own label", () => {
    const own = policy(
      "own",
      {},
      { rules: [{ targetClusters: { matchLabelKeys: ["topology.kubernetes.io/region"] }, replicas: 1 }] },
    );
    const labelled: KubeObject = {
      ...shop,
      metadata: { ...shop.metadata, labels: { "topology.kubernetes.io/region": "sg" } },
    };
    expect(matchRules(labelled, [own]).on(cluster("a", "sg"))).toHaveLength(1);
    expect(matchRules(labelled, [own]).on(cluster("a", "cn"))).toEqual([]);
    expect(matchRules(shop, [own]).on(cluster("a", "sg"))).toEqual([]);
  });
});
