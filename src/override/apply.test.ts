import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { KubeObject, OverrideRule } from "../apis/index.ts";
import { applyRules } from "./apply.ts";
import { apply, deployment, from, frozen, service, templateOf } from "./testing.ts";
import type { MatchedRule } from "./types.ts";

describe("replicas", () => {
  test("the last one wins and is handed back, not applied", () => {
    const objects = [deployment(), service];
    const result = applyRules(objects, [
      ...from("a", { replicas: 2 }, { replicas: 3 }),
      ...from("b", { replicas: 0 }, { labels: {} }),
    ]);
    expect(result.replicas).toBe(0);
    expect(result.objects[0]).toBe(objects[0]);
  });
});

describe("labels and annotations", () => {
  test("go on every object's metadata and not on pod templates or selectors", () => {
    const result = apply({
      labels: { "data-residency": "sg", app: "other" },
      annotations: { "example.com/owner": "sre" },
    });
    for (const object of result.objects) {
      expect(object.metadata.labels).toEqual({ app: "other", "data-residency": "sg" });
      expect(object.metadata.annotations).toEqual({ "example.com/owner": "sre" });
    }
    expect(templateOf(result).metadata.labels).toEqual({ app: "shop" });
    expect(result.objects[1]?.["spec"]).toBe(service["spec"]);
  });

  test.each(["labels", "annotations"] as const)("%s of Meridian's own are reserved", (field) => {
    expect(apply({ [field]: { "federation.paas.cmft.com/owner": "x" } }).problem).toMatchObject({
      reason: "ProtectedField",
      message: `${field}: federation.paas.cmft.com/owner is reserved for Meridian`,
    });
  });
});

describe("a rule that fails", () => {
  test("names itself and leaves what the policies before have made", () => {
    const bad: OverrideRule = { replicas: 9, patches: [{ kind: "Service", op: "remove", path: "/none" }] };
    const good = from("good", { replicas: 2, labels: { a: "b" } });
    const result = applyRules(
      [deployment(), service],
      [...good, ...from("bad", { replicas: 8, labels: { c: "d" } }, bad), ...from("later", { labels: { e: "f" } })],
    );
    expect(result.problem).toMatchObject({
      policy: { kind: "OverridePolicy", namespace: "default", name: "bad" },
      rule: 1,
      reason: "InvalidPatch",
      message: "patch 0 on Service: remove: /none does not exist",
    });
    expect(result.replicas).toBe(2);
    expect(result.objects.map((o) => o.metadata.labels)).toEqual([
      { app: "shop", a: "b" },
      { app: "shop", a: "b" },
    ]);
  });
});

describe("applyRules", () => {
  test.each<[string, MatchedRule["policy"]]>([
    ["kind", { kind: "ClusterOverridePolicy", namespace: "a", name: "p" }],
    ["namespace", { kind: "OverridePolicy", namespace: "b", name: "p" }],
    ["name", { kind: "OverridePolicy", namespace: "a", name: "q" }],
  ])("policies that differ in their %s do not fail together", (_what, second) => {
    const [replicas, removal] = [{ replicas: 2 }, { patches: [{ op: "remove" as const, path: "/none" }] }];
    const first = { kind: "OverridePolicy", namespace: "a", name: "p" };
    const rules = [
      { policy: first, index: 0, rule: replicas },
      { policy: second, index: 0, rule: removal },
    ];
    expect(applyRules([service], rules)).toMatchObject({ replicas: 2, problem: { policy: second } });
  });

  test("clusters with the same rules share what these make", () => {
    const objects = [deployment(), service];
    const rules = from("p", { labels: { a: "b" } });
    const [first] = applyRules(objects, rules).objects;
    expect(applyRules(objects, [...rules]).objects[0]).toBe(first);
    expect(applyRules([...objects], rules).objects[0]).not.toBe(first);
  });

  const broken = {
    get: (): never => {
      throw new TypeError("broken");
    },
  };
  test.each<[string, OverrideRule]>([
    ["the rule", Object.defineProperty({}, "labels", broken)],
    ["a patch", { patches: [Object.defineProperty({ op: "add" as const, path: "/x" }, "value", broken)] }],
  ])("an error that is no mistake of a person in %s is not taken for one", (_where, rule) => {
    expect(() => applyRules([service], from("p", rule))).toThrow(new TypeError("broken"));
  });

  const rule = fc.record<OverrideRule>(
    {
      replicas: fc.nat(5),
      image: fc.record(
        { registry: fc.constantFrom("r.example.cn", "bad registry"), tag: fc.constantFrom("1", "2") },
        { requiredKeys: [] },
      ),
      labels: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2")),
      env: fc.array(fc.record({ name: fc.constantFrom("MODE", "X"), value: fc.constantFrom("1", "2") }), {
        maxLength: 2,
      }),
      patches: fc.array(
        fc.record({
          op: fc.constantFrom("add" as const, "replace" as const, "remove" as const),
          path: fc.constantFrom("/metadata/name", "/metadata/labels/a", "/spec/type", "/spec/x"),
          value: fc.constantFrom("v", "w"),
        }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  );

  test.prop([fc.array(rule, { maxLength: 4 })])(
    "never changes what it is given, and never the identity of an object",
    (rules) => {
      const objects = frozen([deployment(), service]);
      const result = applyRules(objects, frozen(rules.flatMap((r, i) => from(`p${i}`, r))));
      expect(result.objects.map((o) => [o.kind, o.metadata.name, o.metadata.namespace])).toEqual([
        ["Deployment", "shop", "default"],
        ["Service", "shop", "default"],
      ]);
    },
  );
});

describe("patches", () => {
  type Patch = NonNullable<OverrideRule["patches"]>[number];

  test("reach the kind that they name, after the other fields of the rule", () => {
    const result = apply({
      image: { tag: "1" },
      patches: [
        { kind: "Service", op: "replace", path: "/spec/type", value: "LoadBalancer" },
        { kind: "Deployment", op: "test", path: "/spec/template/spec/containers/0/image", value: "nginx:1" },
        { kind: "Deployment", op: "add", path: "/spec/template/spec/terminationGracePeriodSeconds", value: 45 },
      ],
    });
    expect(result).not.toHaveProperty("problem");
    expect(result.objects[1]?.["spec"]).toMatchObject({ type: "LoadBalancer" });
    expect(templateOf(result).spec).toMatchObject({ terminationGracePeriodSeconds: 45 });
  });

  test("reach every object without a kind, and miss nothing where nothing is rendered", () => {
    const result = apply({ patches: [{ op: "add", path: "/metadata/annotations", value: { a: "b" } }] });
    expect(result.objects.map((o) => o.metadata.annotations)).toEqual([{ a: "b" }, { a: "b" }]);
    expect(apply({ patches: [{ kind: "Ingress", op: "remove", path: "/spec" }] }, [])).toStrictEqual({ objects: [] });
  });

  const add = (kind: string, path: string, value: unknown): Patch => ({ kind, op: "add", path, value });
  const MAP = "must be a map of strings";
  const template = "/spec/template/metadata";
  test.each<[Patch, message: string]>([
    [{ kind: "Ingress", op: "remove", path: "/spec" }, "patch 0: no Ingress is rendered, only Deployment, Service"],
    [add("Service", "/metadata/labels", { a: "b", c: 7 }), "patch 0 on Service: metadata.labels[c] must be a string"],
    [add("Service", "/metadata/labels/x", {}), "patch 0 on Service: metadata.labels[x] must be a string"],
    [
      add("Deployment", `${template}/annotations`, "foo"),
      `patch 0 on Deployment: spec.template.metadata.annotations ${MAP}`,
    ],
    [
      add("Deployment", `${template}/labels/x`, 7),
      "patch 0 on Deployment: spec.template.metadata.labels[x] must be a string",
    ],
  ])("%j is invalid", (patch, message) =>
    expect(apply({ patches: [patch] }).problem).toMatchObject({ reason: "InvalidPatch", message }),
  );

  test("a map of strings may be set whole and may go, and a patch answers for nothing that was wrong before", () => {
    const odd = { ...service, metadata: { ...service.metadata, annotations: { port: 80 } } } as unknown as KubeObject;
    const path = "/metadata/annotations";
    expect(apply({ patches: [{ op: "add", path: `${path}/a`, value: "b" }] }, [odd])).not.toHaveProperty("problem");
    expect(apply({ patches: [{ op: "remove", path }] }, [odd])).not.toHaveProperty("problem");
    expect(apply({ patches: [{ op: "add", path, value: null }] })).not.toHaveProperty("problem");
    expect(apply({ patches: [{ op: "add", path, value: {} }] })).not.toHaveProperty("problem");
  });

  const SELECTED = "pod label app, which the selector asks for";
  const OURS = "/metadata/labels/federation.paas.cmft.com~1managed-by";
  test.each<[Patch, field: string]>([
    [{ op: "replace", path: "/apiVersion", value: "v2" }, "/apiVersion"],
    [{ op: "replace", path: "/kind", value: "Pod" }, "/kind"],
    [{ op: "replace", path: "/metadata/name", value: "other" }, "/metadata/name"],
    [{ op: "replace", path: "/metadata", value: { name: "other", namespace: "default" } }, "/metadata/name"],
    [{ op: "remove", path: "/metadata/namespace" }, "/metadata/namespace"],
    [{ op: "add", path: "/metadata/uid", value: "u" }, "/metadata/uid"],
    [{ op: "add", path: "/metadata/ownerReferences", value: [] }, "/metadata/ownerReferences"],
    [{ op: "add", path: "/status", value: {} }, "/status"],
    [{ op: "add", path: OURS, value: "x" }, "/metadata/labels"],
    [{ op: "replace", path: "", value: 1 }, "the whole object"],
    [{ kind: "Deployment", op: "replace", path: `${template}/labels/app`, value: "x" }, SELECTED],
  ])("%j is protected", (patch, field) =>
    expect(apply({ patches: [patch] }).problem).toMatchObject({
      reason: "ProtectedField",
      message: `patch 0 on Deployment may not change ${field}`,
    }),
  );

  test("other pod labels may change", () => {
    const result = apply({ patches: [add("Deployment", `${template}/labels/tier`, "web")] });
    expect(templateOf(result).metadata.labels).toEqual({ app: "shop", tier: "web" });
  });
});
