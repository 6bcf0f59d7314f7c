import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  matchesClusterSelector,
  matchesLabelSelector,
  matchesResourceSelector,
  type ObjectSetting,
  selectorSpecificity,
  type ClusterFacts,
} from "./match.ts";
import type { KubeObject } from "../metadata/meta.ts";
import type { ClusterSelector, LabelSelector, ResourceSelector } from "./selectors.ts";

const REGION = "topology.kubernetes.io/region";

describe("a label selector", () => {
  const labels = { tier: "web", [REGION]: "cn-shanghai" };
  test.each<{ name: string; selector: LabelSelector | undefined; want: boolean }>([
    { name: "takes everything when absent", selector: undefined, want: true },
    { name: "takes everything when empty", selector: {}, want: true },
    { name: "takes a label of the same value", selector: { matchLabels: { tier: "web" } }, want: true },
    { name: "refuses another value", selector: { matchLabels: { tier: "db" } }, want: false },
    { name: "refuses an absent label", selector: { matchLabels: { zone: "a" } }, want: false },
    { name: "refuses an absent label though a value is empty", selector: { matchLabels: { zone: "" } }, want: false },
    { name: "In takes one of the values", selector: expression("tier", "In", ["db", "web"]), want: true },
    { name: "In refuses an absent label", selector: expression("zone", "In", ["a"]), want: false },
    { name: "NotIn refuses one of the values", selector: expression("tier", "NotIn", ["web"]), want: false },
    { name: "NotIn takes an absent label", selector: expression("zone", "NotIn", ["a"]), want: true },
    { name: "Exists takes a label of any value", selector: expression("tier", "Exists"), want: true },
    { name: "Exists refuses an absent label", selector: expression("zone", "Exists"), want: false },
    { name: "DoesNotExist takes an absent label", selector: expression("zone", "DoesNotExist"), want: true },
    { name: "DoesNotExist refuses a label that is there", selector: expression("tier", "DoesNotExist"), want: false },
    {
      name: "is not deceived by what every object inherits",
      selector: expression("constructor", "Exists"),
      want: false,
    },
    { name: "In refuses what only inherits a value", selector: expression("toString", "In", ["x"]), want: false },
    {
      name: "wants every requirement to hold",
      selector: {
        matchExpressions: [
          { key: "tier", operator: "Exists" },
          { key: "zone", operator: "Exists" },
        ],
      },
      want: false,
    },
    {
      name: "wants every part to hold",
      selector: { matchLabels: { tier: "web" }, ...expression(REGION, "In", ["eu-central-1"]) },
      want: false,
    },
  ])("$name", ({ selector, want }) => expect(matchesLabelSelector(selector, labels)).toBe(want));

  test("over an object without labels takes only what asks for none", () => {
    expect(matchesLabelSelector({ matchLabels: { tier: "web" } }, undefined)).toBe(false);
    expect(matchesLabelSelector(expression("tier", "DoesNotExist"), undefined)).toBe(true);
  });

  const words = fc.constantFrom("a", "b", "c", "d");
  const someLabels = fc.dictionary(words, words, { maxKeys: 4 });
  const values = fc.uniqueArray(words, { minLength: 1 });
  test.prop([someLabels, words, values])(
    "NotIn is the opposite of In, and DoesNotExist of Exists",
    (some, key, list) => {
      expect(matchesLabelSelector(expression(key, "NotIn", list), some)).toBe(
        !matchesLabelSelector(expression(key, "In", list), some),
      );
      expect(matchesLabelSelector(expression(key, "DoesNotExist"), some)).toBe(
        !matchesLabelSelector(expression(key, "Exists"), some),
      );
    },
  );
});

describe("a selector of clusters", () => {
  const shanghai: ClusterFacts = {
    name: "shanghai-1",
    labels: { [REGION]: "cn-shanghai", tier: "gold" },
    provider: "aliyun",
    region: "cn-shanghai",
  };
  const object = { [REGION]: "cn-shanghai", app: "shop" };
  test.each<
    [name: string, selector: ClusterSelector | undefined, want: boolean, labels?: Record<string, string> | undefined]
  >([
    ["takes every cluster when absent", undefined, true],
    ["takes every cluster when empty", {}, true],
    ["takes a cluster by name", { clusterNames: ["shanghai-1"] }, true],
    ["refuses other names", { clusterNames: ["shanghai-2"] }, false],
    ["takes nothing when the list of names is empty", { clusterNames: [] }, false],
    ["excludes whatever else says", { clusterNames: ["shanghai-1"], exclude: ["shanghai-1"] }, false],
    ["takes by label", { labelSelector: { matchLabels: { tier: "gold" } } }, true],
    ["takes by field", { fieldSelector: expression("provider", "In", ["aliyun"]) }, true],
    ["refuses by field", { fieldSelector: expression("region", "NotIn", ["cn-shanghai"]) }, false],
    ["takes by name as a field", { fieldSelector: expression("name", "In", ["shanghai-1"]) }, true],
    ["knows that a field is absent", { fieldSelector: expression("zone", "Exists") }, false],
    ["takes a label equal to the object's", { matchLabelKeys: [REGION] }, true],
    [
      "refuses a label that differs from the object's",
      { matchLabelKeys: [REGION] },
      false,
      { [REGION]: "eu-central-1" },
    ],
    ["takes nothing for an object without the label", { matchLabelKeys: [REGION] }, false, {}],
    ["takes nothing when both lack the label", { matchLabelKeys: ["zone"] }, false],
    [
      "wants every field to be right",
      {
        fieldSelector: {
          matchExpressions: [
            { key: "provider", operator: "In", values: ["aliyun"] },
            { key: "zone", operator: "Exists" },
          ],
        },
      },
      false,
    ],
    ["wants every key to be equal", { matchLabelKeys: [REGION, "app"] }, false],
    [
      "wants every part to hold",
      { clusterNames: ["shanghai-1"], labelSelector: { matchLabels: { tier: "lead" } } },
      false,
    ],
  ])("%s", (_name, selector, want, labels) => {
    expect(matchesClusterSelector(selector, shanghai, labels ?? object)).toBe(want);
  });
});

describe("a selector of objects", () => {
  const shop: KubeObject = {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "shop", namespace: "default", labels: { tier: "web" } },
  };
  const all: ResourceSelector = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
  const byLabel: ResourceSelector = { ...all, labelSelector: { matchLabels: { tier: "web" } } };
  const byName: ResourceSelector = { ...all, name: "shop" };

  test.each<{ name: string; selector: ResourceSelector; want: boolean }>([
    { name: "takes all of a kind", selector: all, want: true },
    {
      name: "takes the object in whatever version it is read",
      selector: { ...all, apiVersion: "paas.cmft.com/v1beta1" },
      want: true,
    },
    { name: "refuses another group", selector: { ...all, apiVersion: "apps/v1" }, want: false },
    { name: "refuses another kind", selector: { ...all, kind: "Deployment" }, want: false },
    { name: "takes by name", selector: byName, want: true },
    { name: "refuses another name", selector: { ...all, name: "shop-2" }, want: false },
    { name: "takes the namespace that it names", selector: { ...all, namespace: "default" }, want: true },
    { name: "refuses another namespace", selector: { ...all, namespace: "other" }, want: false },
    { name: "takes by label", selector: byLabel, want: true },
    { name: "wants name and label both", selector: { ...byLabel, name: "shop-2" }, want: false },
  ])("$name", ({ selector, want }) => expect(matchesResourceSelector(selector, shop)).toBe(want));

  const shops = { matchLabels: { team: "shop" } };
  test.each<[name: string, selector: ResourceSelector, setting: ObjectSetting, want: boolean]>([
    [
      "takes by the labels of the namespace",
      { ...all, namespaceSelector: shops },
      { namespaceLabels: { team: "shop" } },
      true,
    ],
    [
      "refuses a namespace of other labels",
      { ...all, namespaceSelector: shops },
      { namespaceLabels: { team: "bank" } },
      false,
    ],
    ["refuses a namespace that is not known", { ...all, namespaceSelector: {} }, {}, false],
    [
      "takes every known namespace where the selector of namespaces is empty",
      { ...all, namespaceSelector: {} },
      { namespaceLabels: {} },
      true,
    ],
    [
      "wants the object's labels as well as the namespace's",
      { ...all, namespaceSelector: shops, labelSelector: { matchLabels: { tier: "db" } } },
      { namespaceLabels: { team: "shop" } },
      false,
    ],
    ["takes nothing of the hub's own", all, { hubsOwn: "it is" }, false],
    ["takes nothing of the hub's own by label", byLabel, { hubsOwn: "it is" }, false],
    ["takes what is the hub's own by its name", byName, { hubsOwn: "it is" }, true],
    ["does not take it by another name", { ...all, name: "x" }, { hubsOwn: "it is" }, false],
  ])("%s", (_name, selector, setting, want) => {
    expect(matchesResourceSelector(selector, shop, setting)).toBe(want);
    expect(selectorSpecificity([selector], shop, setting) > 0).toBe(want);
  });

  test("takes nothing without a namespace by the labels of namespaces", () => {
    const role: KubeObject = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "a" } };
    const volumes: ResourceSelector = { apiVersion: "v1", kind: "PersistentVolume" };
    expect(matchesResourceSelector(volumes, role)).toBe(true);
    expect(matchesResourceSelector({ ...volumes, namespaceSelector: {} }, role, { namespaceLabels: {} })).toBe(false);
  });

  test.each<[name: string, selectors: ResourceSelector[], want: number]>([
    ["by name is closest", [all, byLabel, byName], 3],
    ["by label is closer than all", [all, byLabel], 2],
    ["an empty label selector is no closer than all", [{ ...all, labelSelector: {} }], 1],
    ["a closer selector that does not match does not count", [all, { ...all, name: "other" }], 1],
    ["by an expression over labels is closer than all", [{ ...all, labelSelector: expression("tier", "Exists") }], 2],
    [
      "an empty list of expressions is no closer than all",
      [{ ...all, labelSelector: { matchLabels: {}, matchExpressions: [] } }],
      1,
    ],
    ["in whatever order they stand", [byName, all], 3],
    ["nothing matches", [{ ...all, kind: "Deployment" }], 0],
    ["no selectors", [], 0],
  ])("specificity: %s", (_name, selectors, want) => expect(selectorSpecificity(selectors, shop)).toBe(want));
});

function expression<K extends string>(key: K, operator: "In" | "NotIn" | "Exists" | "DoesNotExist", values?: string[]) {
  return { matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] };
}
