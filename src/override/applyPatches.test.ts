import { describe, expect, test } from "vitest";
import type { KubeObject, OverrideRule } from "../apis/index.ts";
import { apply, deployment, service, templateOf, web } from "./testing.ts";

describe("patches", () => {
  test("reach the kind they name, after the other fields of the rule", () => {
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

  test("without a kind they reach every object", () => {
    const result = apply({ patches: [{ op: "add", path: "/metadata/annotations", value: { a: "b" } }] });
    expect(result.objects.map((o) => o.metadata.annotations)).toEqual([{ a: "b" }, { a: "b" }]);
  });

  test.each<[string, NonNullable<OverrideRule["patches"]>[number], string]>([
    [
      "a kind that is not rendered",
      { kind: "Ingress", op: "remove", path: "/spec" },
      "patch 0: no Ingress is rendered, only Deployment, Service",
    ],
    [
      "a path that is not there",
      { kind: "Service", op: "replace", path: "/spec/typo", value: 1 },
      "patch 0 on Service: replace: /spec/typo does not exist",
    ],
    [
      "a test that fails",
      { kind: "Service", op: "test", path: "/spec/type", value: "NodePort" },
      "patch 0 on Service: test: /spec/type has another value",
    ],
    ...["labels", "annotations"].flatMap((field): [string, NonNullable<OverrideRule["patches"]>[number], string][] => [
      [
        `a text for ${field}`,
        { kind: "Service", op: "add", path: `/metadata/${field}`, value: "foo" },
        `patch 0 on Service: metadata.${field} must be a map of strings`,
      ],
      [
        `a list for ${field}`,
        { op: "add", path: `/metadata/${field}`, value: ["x"] },
        `patch 0 on Deployment: metadata.${field} must be a map of strings`,
      ],
      [
        `a number among ${field}`,
        { kind: "Service", op: "add", path: `/metadata/${field}`, value: { a: "b", c: 7 } },
        `patch 0 on Service: metadata.${field}[c] must be a string`,
      ],
    ]),
    [
      "an object as a label",
      { kind: "Service", op: "add", path: "/metadata/labels/x", value: {} },
      "patch 0 on Service: metadata.labels[x] must be a string",
    ],
    [
      "nothing as a label",
      { kind: "Service", op: "add", path: "/metadata/labels/x", value: null },
      "patch 0 on Service: metadata.labels[x] must be a string",
    ],
    [
      "a text for the annotations of pods",
      { kind: "Deployment", op: "add", path: "/spec/template/metadata/annotations", value: "foo" },
      "patch 0 on Deployment: spec.template.metadata.annotations must be a map of strings",
    ],
    [
      "a number as a label of pods",
      { kind: "Deployment", op: "add", path: "/spec/template/metadata/labels/x", value: 7 },
      "patch 0 on Deployment: spec.template.metadata.labels[x] must be a string",
    ],
  ])("%s is an invalid patch", (_name, operation, message) => {
    expect(apply({ patches: [operation] }).problem).toMatchObject({ reason: "InvalidPatch", message });
  });

  test("a map of strings may be set whole and may go, and a patch answers for nothing that was wrong before", () => {
    const odd = { ...service, metadata: { ...service.metadata, annotations: { port: 80 } } } as unknown as KubeObject;
    const path = "/metadata/annotations";
    expect(apply({ patches: [{ op: "add", path: `${path}/a`, value: "b" }] }, [odd])).not.toHaveProperty("problem");
    expect(apply({ patches: [{ op: "remove", path }] }, [odd])).not.toHaveProperty("problem");
    expect(apply({ patches: [{ op: "add", path, value: null }] })).not.toHaveProperty("problem");
    expect(apply({ patches: [{ op: "add", path, value: {} }] })).not.toHaveProperty("problem");
  });

  test.each<[string, NonNullable<OverrideRule["patches"]>[number], string]>([
    ["apiVersion", { op: "replace", path: "/apiVersion", value: "v2" }, "/apiVersion"],
    ["kind", { op: "replace", path: "/kind", value: "Pod" }, "/kind"],
    ["the name", { op: "replace", path: "/metadata/name", value: "other" }, "/metadata/name"],
    [
      "the name, through its parent",
      { op: "replace", path: "/metadata", value: { name: "other", namespace: "default" } },
      "/metadata/name",
    ],
    ["the name, by copy", { op: "copy", from: "/metadata/namespace", path: "/metadata/name" }, "/metadata/name"],
    ["the namespace", { op: "remove", path: "/metadata/namespace" }, "/metadata/namespace"],
    ["the owner references", { op: "add", path: "/metadata/ownerReferences", value: [] }, "/metadata/ownerReferences"],
    ["the uid", { op: "add", path: "/metadata/uid", value: "u" }, "/metadata/uid"],
    ["the status", { op: "add", path: "/status", value: {} }, "/status"],
    [
      "Meridian's labels",
      { op: "add", path: "/metadata/labels/federation.paas.cmft.com~1managed-by", value: "x" },
      "/metadata/labels",
    ],
    ["the whole object", { op: "replace", path: "", value: 1 }, "the whole object"],
    [
      "a pod label of the selector",
      { kind: "Deployment", op: "replace", path: "/spec/template/metadata/labels/app", value: "x" },
      "pod label app, which the selector asks for",
    ],
    [
      "a pod label of the selector, through the template",
      { kind: "Deployment", op: "replace", path: "/spec/template", value: {} },
      "pod label app, which the selector asks for",
    ],
  ])("%s is protected", (_name, operation, field) => {
    const { problem } = apply({ patches: [operation] });
    expect(problem).toMatchObject({
      reason: "ProtectedField",
      message: `patch 0 on Deployment may not change ${field}`,
    });
  });

  test("of an object that nothing is rendered for, nothing can be missing", () => {
    const operation = { kind: "Ingress", op: "remove", path: "/spec" } as const;
    expect(apply({ patches: [operation] }, [])).toStrictEqual({ objects: [] });
  });

  test("pod labels that an expression of the selector asks for are protected too", () => {
    const object = deployment([web], { labels: { tier: "web", other: "x" } });
    object["spec"] = {
      ...(object["spec"] as object),
      selector: { matchExpressions: [{ key: "tier", operator: "Exists" }] },
    };
    const remove = (label: string) =>
      apply({ patches: [{ op: "remove", path: `/spec/template/metadata/labels/${label}` }] }, [object]).problem;
    expect(remove("tier")).toMatchObject({
      reason: "ProtectedField",
      message: "patch 0 on Deployment may not change pod label tier, which the selector asks for",
    });
    expect(remove("other")).toBeUndefined();
  });

  test("other pod labels may change", () => {
    const result = apply({
      patches: [{ kind: "Deployment", op: "add", path: "/spec/template/metadata/labels/tier", value: "web" }],
    });
    expect(templateOf(result).metadata.labels).toEqual({ app: "shop", tier: "web" });
  });

  test("a message names the end of a long path, and gets to its point", () => {
    const path = `/spec/${"long".repeat(60)}`;
    const message = apply({ patches: [{ kind: "Service", op: "remove", path }] }).problem?.message ?? "";
    expect(message.length).toBeLessThanOrEqual(120);
    expect(message).toMatch(/^patch 0 on Service: remove: ….*longlong does not exist$/);
  });
});
