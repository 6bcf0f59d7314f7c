import { afterEach, describe, expect, test, vi } from "vitest";
import { type KubeObject, type OverrideRule, valueAt } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import { defaultTerms } from "../podSecurity/index.ts";
import { mark, ownerRefOf, ownerText } from "../rows/marks.ts";
import { app } from "../testing/builders.ts";
import { type Variant, type VariantOf, type VariantOptions, VariantRenderer } from "./variants.ts";

const owner = ownerRefOf(app());
const marking = { hubId: "hub-uid", ownerText: ownerText(owner), policy: "Delete" as const };
const metadata = { name: "web", namespace: "default" };
const workload = (kind: string, replicas?: number): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata,
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    template: { spec: { containers: [{ name: "web", image: "nginx:1" }] } },
  },
});
const service: KubeObject = { apiVersion: "v1", kind: "Service", metadata, spec: { type: "ClusterIP" } };
const config: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: "conf" } };
const dependency = mark(config, "dependency", marking);
const deployment = workload("Deployment", 2);
const by = (rule: OverrideRule, index = 0, name = "o"): MatchedRule => ({
  policy: { kind: "OverridePolicy", namespace: "default", name },
  index,
  rule,
});
const renderer = (more: Partial<VariantOptions> = {}): VariantRenderer =>
  new VariantRenderer({
    base: [deployment, service],
    owner,
    marking,
    dependencies: { objects: [dependency], hash: undefined, refusal: undefined },
    terms: defaultTerms("default"),
    retain: undefined,
    ...more,
  });
const AS_IT_IS: VariantOf = { replicas: undefined, fixed: false, local: false };
const render = (rules: MatchedRule[], more: Partial<VariantOptions> = {}, of: Partial<VariantOf> = {}) =>
  renderer(more).render(rules, { ...AS_IT_IS, ...of });
const replicasIn = (rules: MatchedRule[], of: Partial<VariantOf> = {}, more: Partial<VariantOptions> = {}) => {
  const { objects, replicas } = render(rules, more, of);
  const [first] = objects.filter(({ ref }) => ref.kind === "Deployment");
  return [(first?.object["spec"] as { replicas?: number } | undefined)?.replicas, replicas];
};
const patch = (value: number): OverrideRule => ({
  patches: [{ kind: "Deployment", op: "add", path: "/spec/replicas", value }],
});

describe("a variant", () => {
  test("is what goes along, and then what is rendered", () => {
    expect(render([])).toEqual({
      objects: [dependency, mark(deployment, "rendered", marking), mark(service, "rendered", marking)],
      replicas: 2,
      problem: undefined,
    });
  });

  test("of the hub itself has nothing that goes along, nor what is the owner itself", () => {
    const kinds = (more: Partial<VariantOptions>, local: boolean): string[] =>
      render([], more, { local }).objects.map(({ ref }) => ref.kind);
    expect(kinds({}, true)).toEqual(["Deployment", "Service"]);
    const self = { ...owner, name: "conf", kind: "ConfigMap", apiVersion: "v1" };
    expect(kinds({ base: [config, service], owner: self }, true)).toEqual(["Service"]);
    expect(kinds({ base: [config, service], owner: self }, false)).toEqual(["ConfigMap", "ConfigMap", "Service"]);
  });

  test("of a Secret has data alone, also where a rule has added stringData", () => {
    const secret: KubeObject = { apiVersion: "v1", kind: "Secret", metadata, stringData: { a: "b" } };
    const content = (rules: MatchedRule[]) => render(rules, { base: [secret] }).objects.at(-1)?.object;
    expect(content([])).toMatchObject({ data: { a: "Yg==" } });
    const rule = { patches: [{ kind: "Secret", op: "add" as const, path: "/stringData/c", value: "d" }] };
    expect(content([by(rule)])).toMatchObject({ data: { a: "Yg==", c: "ZA==" } });
    expect(content([])).not.toHaveProperty("stringData");
  });

  test("is refused for what goes along on members alone", () => {
    const refusal = { reason: "NotAllowed", message: "m" };
    const dependencies = { objects: [], hash: undefined, refusal };
    expect(render([], { dependencies }).problem).toEqual(refusal);
    expect(render([], { dependencies }, { local: true }).problem).toBeUndefined();
    const problem = { reason: "TooLarge", message: "m" };
    expect(render([], { dependencies, problem, base: [] }).problem).toEqual(problem);
    expect(render([], { problem, base: [] }, { local: true }).problem).toEqual(problem);
  });

  test("is one for all clusters that differ in nothing", () => {
    const of = renderer();
    const rules = [by({ replicas: 3 })];
    expect(of.render(rules, AS_IT_IS)).toBe(of.render(rules, AS_IT_IS));
    expect(of.render(rules, { ...AS_IT_IS, replicas: 9 })).toBe(of.render(rules, AS_IT_IS));
    expect(of.render([], { ...AS_IT_IS, local: true })).not.toBe(of.render([], AS_IT_IS));
    const [none, some] = [of.render([], AS_IT_IS), of.render([], { ...AS_IT_IS, replicas: 7 })];
    expect(none).not.toBe(some);
    expect(none.objects.at(-1)).toBe(some.objects.at(-1));
    // What asks for the replicas that it has anyway is the same object.
    const same = of.render(rules.slice(1), { ...AS_IT_IS, replicas: 2 });
    expect(none.objects[1]).toBe(same.objects[1]);
    expect(some.objects[1]).not.toBe(same.objects[1]);
    expect(of.render(rules, { ...AS_IT_IS, replicas: 3, fixed: true })).toBe(of.render(rules, AS_IT_IS));
  });

  test("of the owner itself asks for its status", () => {
    const self = { ...owner, name: "conf", kind: "ConfigMap", apiVersion: "v1" };
    const more = { base: [config, service], owner: self, reporting: { aggregateStatus: true } };
    expect(render([], more).objects.map(({ reporting }) => reporting)).toEqual([
      undefined,
      { withStatus: true },
      undefined,
    ]);
  });

  test("rolls its pods for what they read", () => {
    const specOf = (local: boolean) => {
      const { objects } = render([], { dependencies: { objects: [], hash: "h", refusal: undefined } }, { local });
      return objects[0]?.object["spec"];
    };
    for (const local of [true, false])
      expect(specOf(local)).toMatchObject({
        template: { metadata: { annotations: { "federation.paas.cmft.com/dependencies-hash": "h" } } },
      });
  });

  test("has phases where the object is applied in phases, and hashes once", () => {
    const [first, ...rest] = [1, 2].map(() => render([], { inPhases: true }).objects.slice(1));
    expect(first?.map(({ ref, phase }) => [ref.kind, phase])).toEqual([
      ["Deployment", 2],
      ["Service", 2],
    ]);
    expect(first?.[0]?.object).toBe(rest[0]?.[0]?.object);
    for (const other of [
      { ...marking, hubId: "other" },
      { ...marking, policy: "Orphan" as const },
      { ...marking, ownerText: "other" },
    ])
      expect(render([], { inPhases: true, marking: other }).objects[1]?.hash).not.toBe(first?.[0]?.hash);
    expect(render([]).objects[1]).not.toHaveProperty("phase");
  });

  test("says what is left to the member, and what is told of it", () => {
    const { objects } = render([], {
      dependencies: { objects: [], hash: undefined, refusal: undefined },
      retain: [{ kind: "Deployment", path: "spec.replicas" }],
      reporting: { health: [{ kind: "Service", available: "a" }], aggregateStatus: true },
    });
    expect(objects.map(({ unretained, reporting }) => [unretained, reporting])).toEqual([
      [deployment, undefined],
      [undefined, { health: { available: "a" } }],
    ]);
    expect(objects[0]?.object["spec"]).not.toHaveProperty("replicas");
    expect(objects[0]).not.toHaveProperty("reporting");
    expect(objects[1]).not.toHaveProperty("unretained");
  });
});

describe("the service account of the pods", () => {
  const account = (rules: MatchedRule[], more: Partial<VariantOptions> = {}): unknown[] => {
    const { objects } = render(rules, {
      terms: { ...defaultTerms("default"), allowsServiceAccount: () => true },
      ...more,
    });
    const path = ["spec", "template", "spec"];
    return ["serviceAccountName", "serviceAccount"].map((field) => valueAt(objects[1]?.object, [...path, field]));
  };
  const gives = (field: string): MatchedRule =>
    by({ patches: [{ kind: "Deployment", op: "add", path: `/spec/template/spec/${field}`, value: "admin" }] });

  test("is sent under both of its names, by whichever of them an override gives it, and under none where nobody does", () => {
    expect(account([])).toEqual([undefined, undefined]);
    expect(account([gives("serviceAccountName")])).toEqual(["admin", "admin"]);
    expect(account([gives("serviceAccount")])).toEqual(["admin", "admin"]);
  });

  test("is part of the hash, whichever of its names was given", () => {
    const terms = { ...defaultTerms("default"), allowsServiceAccount: () => true };
    const hash = (rules: MatchedRule[]): unknown => render(rules, { terms }).objects[1]?.hash;
    expect(hash([gives("serviceAccountName")])).toBe(hash([gives("serviceAccount")]));
    expect(hash([gives("serviceAccount")])).not.toBe(hash([]));
  });

  test.each(["serviceAccountName", "serviceAccount"])(
    "is left to the member whole, where %s is left to it",
    (field) => {
      const retain = [{ kind: "Deployment", path: `spec.template.spec.${field}` }];
      expect(account([gives("serviceAccountName")], { retain })).toEqual([undefined, undefined]);
    },
  );

  test("of what is applied in phases is completed and hashed once", () => {
    const template = { spec: { containers: [], serviceAccountName: "default" } };
    const base = [{ ...deployment, spec: { template } }];
    const [first, second] = [1, 2].map(() => render([], { base, inPhases: true }).objects[1]?.object);
    expect(first?.["spec"]).toEqual({ template: { spec: { ...template.spec, serviceAccount: "default" } } });
    expect(first).toBe(second);
  });
});

describe("replicas", () => {
  test("are those of the share, unless a rule says otherwise", () => {
    expect(replicasIn([])).toEqual([2, 2]);
    expect(replicasIn([], { replicas: 5 })).toEqual([5, 5]);
    expect(replicasIn([], { replicas: 0 })).toEqual([0, 0]);
    expect(replicasIn([by({ replicas: 3 })], { replicas: 5 })).toEqual([3, 3]);
    expect(replicasIn([by({ replicas: 0 })], { replicas: 5 })).toEqual([0, 0]);
    expect(replicasIn([by({ labels: { a: "1" } })], { replicas: 5 })).toEqual([5, 5]);
  });

  test("are what a patch makes of the share", () => {
    expect(replicasIn([by(patch(7))], { replicas: 5 })).toEqual([7, 7]);
    const other = by({ patches: [{ kind: "Service", op: "replace", path: "/spec/type", value: "NodePort" }] });
    expect(replicasIn([other], { replicas: 5 })).toEqual([5, 5]);
    expect(replicasIn([by({ patches: [] })], { replicas: 5 })).toEqual([5, 5]);
  });

  test("are what the last of a rule's own count and of patches says, patches last within a rule", () => {
    const both = by({ replicas: 3, ...patch(4) });
    expect(replicasIn([both], { replicas: 5 })).toEqual([4, 4]);
    expect(replicasIn([both])).toEqual([4, 4]);
    expect(replicasIn([by({ replicas: 3 }), by(patch(4), 1)], { replicas: 5 })).toEqual([4, 4]);
    expect(replicasIn([by(patch(4)), by({ replicas: 3 }, 1)], { replicas: 5 })).toEqual([3, 3]);
    const elsewhere = by({
      replicas: 3,
      patches: [{ kind: "Service", op: "add", path: "/spec/type", value: "NodePort" }],
    });
    expect(replicasIn([elsewhere], { replicas: 5 })).toEqual([3, 3]);
  });

  test("that a rule sets by itself are the same beside other rules, whichever cluster is rendered first", () => {
    const [count, last] = [by({ replicas: 3 }), by(patch(4), 1)];
    const of = renderer();
    const alone = [count];
    const together = [count, last];
    for (const rules of [alone, together, alone])
      expect(of.render(rules, AS_IT_IS).replicas).toBe(rules === alone ? 3 : 4);
  });

  test("of a cluster that stays as it is are what it has", () => {
    const fixed = { fixed: true, replicas: 4 };
    expect(replicasIn([by({ replicas: 3 })], fixed)).toEqual([4, 4]);
    expect(replicasIn([by(patch(7))], fixed)).toEqual([4, 4]);
    expect(replicasIn([by({ replicas: 3 })], { fixed: true })).toEqual([2, 2]);
  });

  test("are the sum of all that have some, and none where nothing has any", () => {
    const base = [deployment, service, { ...workload("StatefulSet", 3), metadata: { ...metadata, name: "db" } }];
    expect(render([], { base }).replicas).toBe(5);
    expect(render([], { base: [service] }).replicas).toBeUndefined();
    expect(render([by({ replicas: 0 })], { base: [deployment] }).replicas).toBe(0);
  });

  test("are where the path says, of a kind that nobody knows", () => {
    const widget: KubeObject = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { size: 3 } };
    const replicaPath = ["spec", "size"];
    const sizes = (rules: MatchedRule[], of: Partial<VariantOf>): unknown => {
      const { objects, replicas } = render(rules, { base: [widget], replicaPath }, of);
      return [objects[1]?.object["spec"], replicas];
    };
    expect(sizes([], { replicas: 7 })).toEqual([{ size: 7 }, 7]);
    expect(sizes([by({ replicas: 9 })], {})).toEqual([{ size: 9 }, 9]);
    expect(render([], { base: [widget] }, { replicas: 7 })).toMatchObject({ replicas: undefined });
    expect(render([], { base: [widget] }, { replicas: 7 }).objects[1]?.object["spec"]).toEqual({ size: 3 });
  });

  test("that an override sets where no object has a field for them are its problem", () => {
    const widget: KubeObject = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { size: 3 } };
    const base = [widget, service, { ...widget, metadata: { ...metadata, name: "other" } }];
    const rules = [by({ labels: { a: "1" } }), by({ replicas: 3 }, 1, "r")];
    const { problem } = render(rules, { base });
    expect(problem).toMatchObject({
      reason: "InvalidOverride",
      policy: { kind: "OverridePolicy", namespace: "default", name: "r" },
      message: {
        subject: "OverridePolicy r, rule 1: ",
        what: "replicas: no field for them is known in",
        where: ["Widget", "Service"],
        remedy: "set replicaScheduling.path of the Placement",
      },
    });
    expect(render(rules, { base: [...base, deployment] }).problem).toBeUndefined();
    expect(render([by({ labels: { a: "1" } })], { base }).problem).toBeUndefined();
    expect(render(rules, { base: [] }).problem).toBeUndefined();
    expect(render(rules, { base, replicaPath: ["spec", "size"] }).problem).toBeUndefined();
  });
});

describe("what may not go to a member", () => {
  test("is said of the object by its kind and name", () => {
    const host = { ...deployment, spec: { template: { spec: { hostPID: true, containers: [] } } } };
    expect(render([], { base: [host] }).problem).toMatchObject({
      reason: "PodSecurity",
      message: { what: "DemoApplication nginx-demo", why: "spec.hostPID must not be true (level baseline)" },
    });
  });

  test("is found where one of several rules brings it", () => {
    const rules = [
      by({ labels: { a: "1" } }),
      by({ patches: [{ kind: "Deployment", op: "add", path: "/spec/template/spec/hostPID", value: true }] }, 1),
      by({ labels: { b: "1" } }, 2),
    ];
    expect(render(rules).problem?.message).toEqual({
      what: "OverridePolicy o, rule 1",
      why: "spec.hostPID must not be true (level baseline)",
    });
  });

  test("are rights that a tenant's rule changes", () => {
    const role: KubeObject = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules: [] };
    const more = by({ patches: [{ kind: "Role", op: "add", path: "/rules/-", value: { verbs: ["*"] } }] });
    expect(render([more], { base: [role] }).problem?.message).toBe(
      "OverridePolicy o, rule 0: a policy of a namespace may not change rules of Role web",
    );
  });
});

/** What stands behind the checks of the overrides themselves: here these let everything pass. */

const conf: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } };
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
  const { VariantRenderer: Mocked } = await import("./variants.ts");
  const renderer = new Mocked({
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
    const problem = { policy, rule: 0, reason: "InvalidPatch", message: "it is wrong", place: "" };
    const variant = await rendered([conf], problem);
    expect(variant.problem).toMatchObject({
      reason: "InvalidPatch",
      message: { what: "OverridePolicy o, rule 0", why: "it is wrong" },
      policy,
    });
    expect(namesIn(variant)).toEqual(AS_IT_WAS);
  });
});
