import { describe, expect, test } from "vitest";
import type { KubeObject, OverrideRule } from "../apis/index.ts";
import { podTemplateOf } from "../interpreter/index.ts";
import { overridePodTemplates } from "./podTemplate.ts";
import { RuleError } from "./ruleError.ts";
import { deployment, frozen, service } from "./testing.ts";
import { Work } from "./work.ts";

/** A Deployment whose template is that one. */
const running = (template: unknown): KubeObject => ({ ...deployment(), spec: { replicas: 4, template } });
const withSpec = (spec: object, metadata: unknown = {}): KubeObject => running({ metadata, spec });
/** What a rule makes of the spec of that template. */
const made = (rule: OverrideRule, spec: object, metadata?: unknown): unknown => {
  const [object] = overridePodTemplates(frozen([withSpec(spec, metadata)]), rule, new Work());
  return podTemplateOf(object ?? service)?.["spec"];
};
const problem = (rule: OverrideRule, ...objects: KubeObject[]): unknown => {
  try {
    return overridePodTemplates(objects, rule, new Work());
  } catch (error) {
    return error;
  }
};
const invalid = (message: string): RuleError => new RuleError("InvalidOverride", message);

describe("a rule for pods", () => {
  test.each<[string, OverrideRule, object]>([
    ["image", { image: { tag: "2" } }, { image: "nginx:2" }],
    ["command", { command: ["run"] }, { command: ["run"] }],
    ["args", { args: ["x"] }, { args: ["x"] }],
    ["env", { env: [{ name: "A", value: "1" }] }, { env: [{ name: "A", value: "1" }] }],
  ])("that sets %s needs pods, and sets nothing else", (field, rule, want) => {
    expect(problem(rule, service)).toEqual(invalid(`${field} needs a pod template, and no object here has one`));
    expect(made(rule, { containers: [{ name: "web", image: "nginx:1" }], nodeName: "n" })).toStrictEqual({
      containers: [{ name: "web", image: "nginx:1", ...want }],
      nodeName: "n",
    });
  });

  test("reaches every object with pods, and leaves the others as they are", () => {
    const objects = frozen([service, deployment(), { ...deployment(), kind: "StatefulSet" }, running(undefined)]);
    const changed = overridePodTemplates(objects, { args: ["x"] }, new Work());
    expect(changed.map((object, at) => object === objects[at])).toEqual([true, false, false, true]);
    expect(changed.map(({ kind }) => kind)).toEqual(["Service", "Deployment", "StatefulSet", "Deployment"]);
    expect(changed[1]).toHaveProperty("spec.template.spec.containers[0].args", ["x"]);
    expect(changed[2]).toHaveProperty("spec.template.spec.containers[0].args", ["x"]);
    expect(changed[1]).toMatchObject({ metadata: objects[1]?.metadata, spec: { replicas: 4 } });
  });

  describe("of a custom kind whose templates are declared", () => {
    const pods = (image: string, more: object = {}) => ({ spec: { containers: [{ name: "main", image }], ...more } });
    const flink: KubeObject = {
      apiVersion: "flink.example.com/v1",
      kind: "FlinkDeployment",
      metadata: { name: "f" },
      spec: {
        jobManager: { podTemplate: pods("flink:1") },
        pools: [{ pod: pods("flink:1") }, { pod: {} }, { pod: pods("side:7") }],
      },
    };
    const templates = ["spec.jobManager.podTemplate", "spec.pools[].pod", "spec.absent"].map((path) => ({
      kind: "FlinkDeployment",
      path,
    }));
    const rule: OverrideRule = { image: { tag: "2" } };

    test("reaches every one of them, through lists too", () => {
      const [changed] = overridePodTemplates(frozen([flink]), rule, new Work(), templates);
      expect(changed?.["spec"]).toEqual({
        jobManager: { podTemplate: pods("flink:2") },
        pools: [{ pod: pods("flink:2") }, { pod: {} }, { pod: pods("side:2") }],
      });
    });

    test("leaves out those without containers where others have some, and says so where none has", () => {
      const empty = { ...flink, spec: { jobManager: { podTemplate: { spec: {} } } } };
      const partly = { ...flink, spec: { ...empty.spec, pools: [{ pod: pods("flink:1") }] } };
      const [changed] = overridePodTemplates(frozen([partly]), rule, new Work(), templates);
      expect(changed?.["spec"]).toEqual({ ...empty.spec, pools: [{ pod: pods("flink:2") }] });
      expect(() => overridePodTemplates([empty], rule, new Work(), templates)).toThrow("has no container");
    });

    test("finds none without a declaration for the kind", () => {
      for (const declared of [[], templates.map((one) => ({ ...one, kind: "Other" }))])
        expect(() => overridePodTemplates([flink], rule, new Work(), declared)).toThrow("needs a pod template");
    });
  });

  const containers = [{ name: "web", image: "nginx:1" }];
  const object = (kind: string, spec: object): KubeObject => ({
    apiVersion: { CronJob: "batch/v1", Job: "batch/v1", Pod: "v1" }[kind] ?? "example.com/v1",
    kind,
    metadata: { name: "x" },
    spec,
  });
  const template = { spec: { containers } };
  test.each<[string, object, string]>([
    ["CronJob", { jobTemplate: { spec: { template } } }, "spec.jobTemplate.spec.template.spec"],
    ["Pod", { containers }, "spec"],
    ["Custom", { template }, "spec.template.spec"],
  ])("reaches the pods of a %s", (kind, spec, path) => {
    const [changed] = overridePodTemplates(frozen([object(kind, spec)]), { image: { tag: "2" } }, new Work());
    expect(changed).toHaveProperty(`${path}.containers[0].image`, "nginx:2");
  });

  test("finds no pods in another sort of template", () => {
    const certificate = object("Secrets", { template: { spec: { type: "Opaque" } } });
    expect(problem({ image: { tag: "2" } }, certificate)).toMatchObject({ reason: "InvalidOverride" });
  });

  test.each<[string, unknown]>([
    ["no containers", { spec: {} }],
    ["no list of containers", { spec: { containers: { name: "web" } } }],
  ])("needs a container, and there is none in %s", (_name, template) => {
    expect(problem({ args: ["x"] }, { ...running(template), kind: "StatefulSet" })).toEqual(
      invalid("the pod template of the StatefulSet has no container"),
    );
  });
});

describe("the container that is meant", () => {
  const containers = ["a", "b", "c"].map((name) => ({ name, image: "i" }));
  const meant = (metadata: unknown): unknown =>
    (made({ args: ["x"] }, { containers }, metadata) as { containers: { name: string; args?: unknown }[] }).containers
      .filter(({ args }) => args !== undefined)
      .map(({ name }) => name);
  const annotated = (value: unknown): object => ({ annotations: { "kubectl.kubernetes.io/default-container": value } });

  test.each<[string, unknown, string]>([
    ["the one that the template names", annotated("b"), "b"],
    ["the first, where the template names one that is not there", annotated("d"), "a"],
    ["the first, where another annotation names one", { annotations: { "example.com/container": "b" } }, "a"],
    ["the first, where the metadata is none", null, "a"],
  ])("is %s", (_name, metadata, name) => expect(meant(metadata)).toEqual([name]));
});

describe("the image of a container", () => {
  const PODS = {
    initContainers: [{ name: "init", image: "busybox:1" }],
    containers: [
      { name: "web", image: "nginx:1" },
      { name: "proxy", image: "envoy:1" },
    ],
  };

  test("comes from another registry in every container, and is otherwise another only in the one that is meant", () => {
    expect(made({ image: { registry: "r.cn", repository: "team/web", tag: "2" } }, PODS)).toStrictEqual({
      initContainers: [{ name: "init", image: "r.cn/busybox:1" }],
      containers: [
        { name: "web", image: "r.cn/team/web:2" },
        { name: "proxy", image: "r.cn/envoy:1" },
      ],
    });
    expect(made({ image: { tag: "2" } }, PODS)).toStrictEqual({
      ...PODS,
      containers: [{ name: "web", image: "nginx:2" }, PODS.containers[1]],
    });
  });

  test("is needed wherever another registry is to serve it", () => {
    const rule: OverrideRule = { image: { registry: "r.cn" } };
    const [web] = PODS.containers;
    expect(problem(rule, withSpec({ containers: [web, { name: "proxy" }] }))).toEqual(
      invalid("container proxy has no image to override"),
    );
  });

  test("that is there already changes nothing, not even the object", () => {
    const objects = frozen([withSpec({ ...PODS, containers: [{ name: "web", image: "r.cn/nginx:1" }] })]);
    expect(overridePodTemplates(objects, { image: { tag: "1" } }, new Work())[0]).toBe(objects[0]);
  });
});

describe("the variables of a container", () => {
  interface Variable {
    name: string;
    value?: string;
    valueFrom?: object;
  }
  const [a, b, c, d] = ["A", "B", "C", "D"].map((name) => ({ name, value: "1" }));
  const merged = (base: unknown, env: (Variable | undefined)[]): unknown =>
    (made({ env } as OverrideRule, { containers: [{ name: "web", env: base }] }) as { containers: { env: unknown }[] })
      .containers[0]?.env;

  test("are replaced whole where they stand, and new ones follow", () => {
    const secret: Variable = { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
    expect(merged([a, b, c], [d, secret])).toStrictEqual([a, secret, c, d]);
    expect(merged([a, secret], [b])).toStrictEqual([a, b]);
  });
});

test("a rule costs as much as there are containers, and variables of the one that is meant", () => {
  const MOST_COPIED = 200_000;
  const env = ["A", "B", "C"].map((name) => ({ name, value: "1" }));
  const containers = [{ name: "a", env: env.slice(0, 1) }, { name: "b", env }, { name: "c" }];
  const initContainers = ["d", "e"].map((name) => ({ name }));
  const metadata = { annotations: { "kubectl.kubernetes.io/default-container": "b" } };
  const work = new Work();
  overridePodTemplates([withSpec({ containers, initContainers }, metadata)], { args: ["x"] }, work);
  const cost = containers.length + initContainers.length + env.length;
  expect(() => work.copies(MOST_COPIED - cost)).not.toThrow();
  expect(() => work.copies(1)).toThrow(RuleError);
});
