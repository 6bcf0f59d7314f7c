import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { protectedChange } from "./protectedFields.ts";
import { RuleError } from "./ruleError.ts";
import { deployment, service } from "./testing.ts";
import { Work } from "./work.ts";

const MOST_COPIED = 200_000;

/** A Deployment with that selector, whose pods have these labels. */
const workload = (selector: unknown, labels?: unknown): KubeObject => ({
  ...deployment(),
  spec: { selector, template: { metadata: { labels }, spec: {} } },
});
const APP = { matchLabels: { app: "shop", tier: "web" } };
const EXPRESSION = { matchExpressions: [{ key: "app", operator: "Exists" }] };
const told = (key: string): string => `pod label ${key}, which the selector asks for`;
const change = (before: KubeObject, after: unknown): string | undefined => protectedChange(before, after, new Work());

describe("what no override may change", () => {
  test.each<[string, unknown, object, object, string | undefined]>([
    ["a label of the selector", APP, { app: "shop" }, { app: "other" }, told("app")],
    ["the second label of the selector", APP, { app: "shop", tier: "web" }, { app: "shop", tier: "db" }, told("tier")],
    ["a label of the selector that goes", APP, { app: "shop" }, {}, told("app")],
    ["no other label", APP, { app: "shop", x: "1" }, { app: "shop", x: "2" }, undefined],
    ["a label of an expression", EXPRESSION, { app: "shop" }, { app: "other" }, told("app")],
    ["no label, where there is no selector", undefined, { app: "shop" }, { app: "other" }, undefined],
    [
      "no label, where the selector cannot be read",
      { matchLabels: ["app"], matchExpressions: { key: "app" } },
      { app: "shop" },
      { app: "other" },
      undefined,
    ],
  ])("is %s", (_name, selector, was, is, want) => {
    expect(change(workload(selector, was), workload(selector, is))).toBe(want);
  });

  test("is every label of the selector where the template goes, or becomes another thing", () => {
    const before = workload(APP, { app: "shop" });
    expect(change(before, { ...before, spec: { selector: APP } })).toBe(told("app"));
    expect(change(before, { ...before, spec: "text" })).toBe(told("app"));
  });

  test("is no label of an object without pods", () => {
    const before = { ...service, spec: { selector: APP, template: { metadata: { labels: { app: "shop" } } } } };
    expect(change(before, { ...before, spec: { selector: APP } })).toBeUndefined();
  });

  test("is no label of pods that come with a template where there was none", () => {
    const before = { ...deployment(), spec: { selector: APP } };
    expect(change(before, workload(APP, { app: "shop" }))).toBeUndefined();
  });

  test("is who the object is, first of all", () => {
    const before = workload(APP, { app: "shop" });
    expect(change(before, { ...workload(APP, { app: "other" }), kind: "Pod" })).toBe("/kind");
  });
});

test.each<[string, KubeObject, KubeObject, number]>([
  ["a key of the selector", workload(APP, { app: "shop" }), workload(APP, { app: "shop" }), 2],
  ["a key of an expression", workload(EXPRESSION, { app: "shop" }), workload(EXPRESSION, { app: "shop" }), 1],
])("the labels of pods are compared at the cost of %s", (_name, before, after, cost) => {
  const work = new Work();
  protectedChange(before, after, work);
  expect(() => work.copies(MOST_COPIED - cost)).not.toThrow();
  expect(() => work.copies(1)).toThrow(RuleError);
});
