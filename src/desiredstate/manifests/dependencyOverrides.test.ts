import { describe, expect, test } from "vitest";
import { type KubeObject, type OverridePolicy, type OverrideRule, refKey, refOf } from "../../apis/index.ts";
import { cluster } from "../../scheduler/testing.ts";
import { collectDependencies } from "./dependencies.ts";
import { DependencyOverrides } from "./dependencyOverrides.ts";
import { mark, ownerRefOf, ownerText } from "../rows/marks.ts";
import { app } from "../testing/builders.ts";

const marking = { hubId: "hub-uid", ownerText: ownerText(ownerRefOf(app())), policy: "Delete" as const };
const metadata = (name: string, labels?: Record<string, string>) => ({
  name,
  namespace: "default",
  ...(labels === undefined ? {} : { labels }),
});
const conf: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: metadata("conf", { tier: "web" }),
  data: { a: "1" },
};
const secret: KubeObject = { apiVersion: "v1", kind: "Secret", metadata: metadata("db"), data: { p: "eA==" } };
const policy = (name: string, rules: OverrideRule[], selector: object = { name: "conf" }): OverridePolicy =>
  ({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "OverridePolicy",
    metadata: metadata(name),
    spec: { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", ...selector }], rules },
  }) as OverridePolicy;
const shanghai = cluster("shanghai");
const singapore = cluster("singapore");
const set = (value: string): OverrideRule => ({ patches: [{ op: "add", path: "/data/a", value }] });
const only = (cluster: string, rule: OverrideRule): OverrideRule => ({
  ...rule,
  targetClusters: { clusterNames: [cluster] },
});

function overridesOf(policies: OverridePolicy[], objects: KubeObject[] = [conf, secret]) {
  const needs = {
    dependencies: objects.map((object) => ({ ref: refOf(object), optional: false, readByPods: true })),
  };
  const dependencies = new Map(objects.map((object) => [refKey(refOf(object)), object]));
  const collected = collectDependencies(needs, { dependencies }, marking);
  const snapshot = { dependencies, overrides: policies, setting: {} };
  return { collected, overrides: new DependencyOverrides(collected, needs, snapshot, marking) };
}

describe("overrides of what goes along", () => {
  test("are none where no policy selects any of it, or no rule takes the cluster", () => {
    const { collected, overrides } = overridesOf([
      policy("o", [only("shanghai", set("2"))]),
      policy("other", [set("3")], { name: "other" }),
    ]);
    expect(overrides.on(singapore)).toBe(collected);
    expect(overrides.reached()).toMatchObject([{ policy: { name: "o" }, clusters: [] }]);
    expect(overridesOf([]).overrides.reached()).toEqual([]);
  });

  test("make one share for the clusters on which the same rules apply", () => {
    const { collected, overrides } = overridesOf([policy("o", [set("2"), only("frankfurt", set("3"))])]);
    const share = overrides.on(shanghai);
    expect(overrides.on(singapore)).toBe(share);
    expect(share.objects[0]).toMatchObject(mark({ ...conf, data: { a: "2" } }, "dependency", marking));
    expect(share.objects[1]).toBe(collected.objects[1]);
    expect(overrides.on(cluster("frankfurt")).objects[0]?.object["data"]).toEqual({ a: "3" });
    expect(overrides.reached()).toEqual([
      {
        policy: { kind: "OverridePolicy", namespace: "default", name: "o" },
        ref: refOf(conf),
        clusters: ["shanghai", "singapore", "frankfurt"],
      },
    ]);
  });

  test("count for the pods where they change what pods read, and nowhere else", () => {
    const { collected, overrides } = overridesOf([
      policy("o", [only("shanghai", set("2")), only("singapore", { labels: { team: "web" } })]),
    ]);
    expect(overrides.on(shanghai).hash).not.toBe(collected.hash);
    const { objects, hash } = overrides.on(singapore);
    expect(hash).toBe(collected.hash);
    expect(objects[0]?.object.metadata.labels).toMatchObject({ tier: "web", team: "web" });
  });

  test("select by labels as they select what is placed by itself", () => {
    const bySelector = (labels: Record<string, string>) =>
      overridesOf([policy("o", [set("2")], { labelSelector: { matchLabels: labels } })]).overrides.on(shanghai);
    expect(bySelector({ tier: "web" }).objects[0]?.object["data"]).toEqual({ a: "2" });
    expect(bySelector({ tier: "db" }).objects[0]?.object["data"]).toEqual({ a: "1" });
  });

  test("refuse what cannot be applied, with the policy, and what never goes to a member", () => {
    const broken: OverrideRule = { patches: [{ op: "replace", path: "/data/no/such", value: "1" }] };
    expect(overridesOf([policy("o", [broken])]).overrides.on(shanghai).refusal).toMatchObject({
      reason: "InvalidPatch",
      policy: { name: "o" },
    });
    const token: OverrideRule = {
      patches: [{ op: "add", path: "/type", value: "kubernetes.io/service-account-token" }],
    };
    const { overrides } = overridesOf([policy("o", [token], { kind: "Secret", name: "db" })]);
    expect(overrides.on(shanghai).refusal).toMatchObject({ reason: "NotAllowed" });
  });
});
