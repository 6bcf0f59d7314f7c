import { afterEach, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import type { Variant } from "./variants.ts";

/** What stands behind the checks of the overrides themselves: here these let everything pass. */

const metadata = { name: "web", namespace: "default" };
const conf: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } };
const service: KubeObject = { apiVersion: "v1", kind: "Service", metadata, spec: { type: "ClusterIP" } };
const owner = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "app", uid: "u" };
const policy = { kind: "OverridePolicy", namespace: "default", name: "o" };

afterEach(() => {
  vi.doUnmock("../../override/index.ts");
  vi.resetModules();
});

/** Renders both objects with overrides that make of them what nothing checks. */
async function rendered(made: readonly KubeObject[], problem?: object): Promise<Variant> {
  vi.resetModules();
  vi.doMock("../../override/index.ts", async (original) => ({
    ...(await original<object>()),
    applyRules: () => ({ objects: made, ...(problem === undefined ? {} : { problem }) }),
  }));
  const { VariantRenderer } = await import("./variants.ts");
  const { defaultTerms } = await import("../podSecurity/index.ts");
  const renderer = new VariantRenderer({
    base: [conf, service],
    owner,
    marking: { hubId: "hub-uid", ownerText: "{}", policy: "Delete" },
    dependencies: { objects: [], hash: undefined, refusal: undefined },
    terms: defaultTerms("default"),
    retain: undefined,
  });
  const rules: MatchedRule[] = [{ policy, index: 0, rule: { labels: { a: "1" } } }];
  return renderer.render(rules, { replicas: undefined, fixed: false, local: false });
}

const namesIn = ({ objects }: Variant): string[] => objects.map(({ ref }) => `${ref.kind}/${ref.name}`);
const AS_IT_WAS = ["ConfigMap/web", "Service/web"];

describe("an override that has got past its own checks", () => {
  test.each<[string, KubeObject[], string]>([
    ["what an object is called", [{ ...conf, metadata: { ...metadata, name: "other" } }, service], "/metadata/name"],
    ["what the last object is", [conf, { ...service, kind: "Endpoints" }], "/kind"],
    ["how many objects there are", [conf], "the number of objects"],
    ["how many objects there are, be they more", [conf, service, conf], "the number of objects"],
  ])("may not change %s, and nothing of it is used", async (_what, made, field) => {
    const variant = await rendered(made);
    expect(variant.problem).toEqual({ reason: "ProtectedField", message: `an override may not change ${field}` });
    expect(namesIn(variant)).toEqual(AS_IT_WAS);
  });

  test("may change all else", async () => {
    const variant = await rendered([{ ...conf, data: { a: "2" } }, service]);
    expect(variant.problem).toBeUndefined();
    expect(variant.objects[0]?.object["data"]).toEqual({ a: "2" });
  });

  test("is told of by its own problem first", async () => {
    const problem = { policy, rule: 0, reason: "InvalidPatch", message: "it is wrong", point: "it is wrong" };
    const variant = await rendered([conf], problem);
    expect(variant.problem).toMatchObject({
      reason: "InvalidPatch",
      message: "OverridePolicy o, rule 0: it is wrong",
      policy,
    });
    expect(namesIn(variant)).toEqual(AS_IT_WAS);
  });
});
