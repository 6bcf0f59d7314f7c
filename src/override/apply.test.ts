import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { KubeObject, OverrideRule } from "../apis/index.ts";
import { applyRules } from "./apply.ts";
import { apply, type Container, deployment, from, frozen, service, templateOf, web } from "./testing.ts";
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

  test("none are handed back when no rule says any", () => {
    expect(apply({ labels: { a: "b" } })).not.toHaveProperty("replicas");
  });
});

describe("pod templates", () => {
  test("image, command, args and env reach the container", () => {
    const result = apply({
      image: { registry: "registry.example.cn" },
      command: ["nginx"],
      args: ["-g", "daemon off;"],
      env: [
        { name: "REGION", value: "cn" },
        { name: "NEW", value: "1" },
      ],
    });
    expect(templateOf(result).spec.containers).toEqual([
      {
        name: "web",
        image: "registry.example.cn/nginx:latest",
        command: ["nginx"],
        args: ["-g", "daemon off;"],
        env: [
          { name: "MODE", value: "production" },
          { name: "REGION", value: "cn" },
          { name: "NEW", value: "1" },
        ],
      },
    ]);
    expect(result.objects[1]).toBe(service);
  });

  test("an env entry replaces the other whole, value or valueFrom", () => {
    const valueFrom = { secretKeyRef: { name: "s", key: "k" } };
    const containers: Container[] = [
      {
        name: "web",
        image: "a",
        env: [
          { name: "A", value: "1" },
          { name: "B", valueFrom },
        ],
      },
    ];
    const result = apply(
      {
        env: [
          { name: "B", value: "2" },
          { name: "A", valueFrom },
        ],
      },
      [deployment(containers)],
    );
    expect(templateOf(result).spec.containers[0]?.env).toEqual([
      { name: "A", valueFrom },
      { name: "B", value: "2" },
    ]);
  });

  const sidecar: Container = { name: "proxy", image: "envoy:1" };

  test("of several containers the first is meant, but a registry serves them all", () => {
    const object = deployment([web, sidecar]);
    const template = (object["spec"] as { template: { spec: Record<string, unknown> } }).template;
    template.spec["initContainers"] = [{ name: "init", image: "busybox" }];
    const { containers, initContainers } = templateOf(
      apply({ image: { registry: "r.example.cn", tag: "2" }, args: ["x"] }, [object]),
    ).spec;
    expect(containers.map((c) => c.image)).toEqual(["r.example.cn/nginx:2", "r.example.cn/envoy:1"]);
    expect(initContainers?.map((c) => c.image)).toEqual(["r.example.cn/busybox"]);
    expect(containers[1]).not.toHaveProperty("args");
  });

  test("the default container that the template names is meant instead of the first", () => {
    const object = deployment([sidecar, web], { annotations: { "kubectl.kubernetes.io/default-container": "web" } });
    const { containers } = templateOf(apply({ image: { tag: "2" } }, [object])).spec;
    expect(containers.map((c) => c.image)).toEqual(["envoy:1", "nginx:2"]);
  });

  test("a rule that says what is there already changes nothing", () => {
    const objects = [deployment(), service];
    const result = apply(
      { image: { tag: "latest" }, env: [{ name: "MODE", value: "production" }], labels: { app: "shop" } },
      objects,
    );
    expect(result.objects[0]).toBe(objects[0]);
    expect(result.objects[1]).toBe(objects[1]);
  });

  test("a rule for pods alone leaves objects without pods alone, and needs none of them", () => {
    expect(apply({ labels: { a: "b" } }, [service])).not.toHaveProperty("problem");
    expect(apply({ image: { tag: "2" } }, [])).toStrictEqual({ objects: [] });
  });

  test("a container gets what the rule says and nothing else", () => {
    const [container] = templateOf(apply({ image: { tag: "2" } }, [deployment([sidecar])])).spec.containers;
    expect(container).toStrictEqual({ name: "proxy", image: "envoy:2" });
  });

  test("only a rule that changes the image needs one", () => {
    const [container] = templateOf(apply({ args: ["x"] }, [deployment([{ name: "web" }])])).spec.containers;
    expect(container).toStrictEqual({ name: "web", args: ["x"] });
  });

  test.each<[string, OverrideRule, KubeObject[], string]>([
    ["no pod template for args", { args: ["x"] }, [service], "args needs a pod template, and no object here has one"],
    ["no pod template", { image: { tag: "1" } }, [service], "image needs a pod template, and no object here has one"],
    ["no container", { args: ["x"] }, [deployment([])], "the pod template of the Deployment has no container"],
    [
      "a container without an image",
      { image: { tag: "1" } },
      [deployment([{ name: "web" }])],
      "container web has no image to override",
    ],
    ["a malformed part", { image: { tag: "a b" } }, [deployment()], "image.tag a b is malformed"],
  ])("%s is an invalid override", (_name, rule, objects, message) => {
    expect(apply(rule, objects).problem).toMatchObject({ reason: "InvalidOverride", message });
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
  test.each<[string, MatchedRule["policy"], MatchedRule["policy"]]>([
    ["kind", { kind: "ClusterOverridePolicy", name: "p" }, { kind: "OverridePolicy", name: "p" }],
    [
      "namespace",
      { kind: "OverridePolicy", namespace: "a", name: "p" },
      { kind: "OverridePolicy", namespace: "b", name: "p" },
    ],
    ["name", { kind: "ClusterOverridePolicy", name: "p" }, { kind: "ClusterOverridePolicy", name: "q" }],
  ])("policies that differ in their %s do not fail together", (_what, first, second) => {
    const result = applyRules(
      [service],
      [
        { policy: first, index: 0, rule: { replicas: 2 } },
        { policy: second, index: 0, rule: { patches: [{ op: "remove", path: "/none" }] } },
      ],
    );
    expect(result).toMatchObject({ replicas: 2, problem: { policy: second } });
  });

  test("clusters with the same rules share what these make", () => {
    const objects = [deployment(), service];
    const rules = from("p", { labels: { a: "b" } });
    const [first] = applyRules(objects, rules).objects;
    expect(applyRules(objects, [...rules]).objects[0]).toBe(first);
    expect(applyRules([...objects], rules).objects[0]).not.toBe(first);
  });

  test.each<[string, OverrideRule]>([
    [
      "the rule",
      {
        get labels(): never {
          throw new TypeError("broken");
        },
      },
    ],
    [
      "a patch",
      {
        patches: [
          {
            op: "add",
            path: "/x",
            get value(): never {
              throw new TypeError("broken");
            },
          },
        ],
      },
    ],
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

  test.prop([fc.array(rule, { maxLength: 4 })])(
    "gives the same when the result of a rule is applied over again in one go",
    (rules) => {
      const matched = rules.flatMap((r, i) => from(`p${i}`, r));
      const whole = applyRules([deployment(), service], matched);
      fc.pre(whole.problem === undefined);
      let objects: KubeObject[] = [deployment(), service];
      for (const one of matched) objects = applyRules(objects, [one]).objects;
      expect(objects).toEqual(whole.objects);
    },
  );
});
