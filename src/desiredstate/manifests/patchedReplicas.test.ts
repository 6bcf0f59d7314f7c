import { describe, expect, test } from "vitest";
import { fullMessage, type KubeObject, type OverrideRule } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import { mark, ownerRefOf, ownerText } from "../rows/marks.ts";
import { defaultTerms } from "../podSecurity/index.ts";
import { app } from "../testing/builders.ts";
import { VariantRenderer } from "./variants.ts";

type Patch = NonNullable<OverrideRule["patches"]>[number];

const owner = ownerRefOf(app());
const marking = { hubId: "hub-uid", ownerText: ownerText(owner), policy: "Delete" as const };
const metadata = { name: "web", namespace: "default" };
const template = { spec: { containers: [{ name: "web", image: "nginx:1" }] } };
const workload = (kind: string, apiVersion = "apps/v1", replicas: unknown = 2): KubeObject => ({
  apiVersion,
  kind,
  metadata,
  spec: { replicas, template },
});
const by = (name: string, rule: OverrideRule): MatchedRule => ({
  policy: { kind: "OverridePolicy", namespace: "default", name },
  index: 0,
  rule,
});
const set = (value: unknown, path = "/spec/replicas"): Patch => ({ op: "add", path, value });
const rendered = (rules: MatchedRule[], base: KubeObject = workload("Deployment"), replicas?: number) =>
  new VariantRenderer({
    base: [base],
    owner,
    marking,
    dependencies: { objects: [], hash: undefined, refusal: undefined },
    terms: defaultTerms("default"),
    retain: undefined,
  }).render(rules, { replicas, fixed: false, local: false });
const problemWith = (...rules: OverrideRule[]) => rendered(rules.map((rule) => by("bad", rule))).problem;

const SAID = "must be a whole number, 0 to 2147483647";

describe("a patch that leaves a workload with no number of replicas", () => {
  test.each([-3, 2.5, 2_147_483_648, "many", "3", true, {}])("but %j is invalid, by the policy's name", (value) => {
    expect(problemWith({ patches: [set(value)] })).toMatchObject({
      reason: "InvalidPatch",
      message: {
        subject: "OverridePolicy bad, rule 0: ",
        aside: "patch 0 on Deployment: ",
        what: `.spec.replicas: ${SAID}`,
      },
      policy: { kind: "OverridePolicy", namespace: "default", name: "bad" },
    });
  });

  test.each([0, 5, 2_147_483_647, null])("but %j is none", (value) => {
    expect(problemWith({ patches: [set(value)] })).toBeUndefined();
  });

  test("is found where it sets more than that number, and where another patch stands before it", () => {
    const patches = [set(4, "/spec/minReadySeconds"), set({ replicas: -3, template }, "/spec")];
    expect(fullMessage(problemWith({ patches })?.message ?? "")).toContain("patch 1 on Deployment: .spec.replicas: ");
  });

  test("leaves what is counted as it was before", () => {
    const base = workload("Deployment");
    const variant = rendered([by("bad", { patches: [set(-3)] })], base, 4);
    expect(variant.replicas).toBe(4);
    expect(variant.objects).toEqual([
      mark({ ...base, spec: { template, replicas: 4 } } as KubeObject, "rendered", marking),
    ]);
  });

  test("is none where a later patch, or replicas of a rule, set another one", () => {
    expect(problemWith({ patches: [set(-3)] }, { patches: [set(3)] })).toBeUndefined();
    expect(problemWith({ patches: [set(-3)] }, { replicas: 3 })).toBeUndefined();
    expect(problemWith({ patches: [set(-3), { op: "remove", path: "/spec/replicas" }] })).toBeUndefined();
  });

  test("is not blamed for what the object itself says, nor on a kind whose replicas nobody knows", () => {
    const other = [by("good", { patches: [set(4, "/spec/minReadySeconds")] })];
    expect(rendered(other, workload("Deployment", "apps/v1", -3)).problem).toBeUndefined();
    expect(rendered([by("good", { patches: [set(-1)] })], workload("Fleet", "x.test/v1")).problem).toBeUndefined();
  });
});
