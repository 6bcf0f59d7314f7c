import { describe, expect, test } from "vitest";
import type { KubeObject, OverrideRule } from "../../apis/index.ts";
import { applyRules, type MatchedRule } from "../../override/index.ts";
import { effectOn } from "./overrideEffect.ts";

const container = { name: "web", image: "registry.example/web:1", env: [{ name: "MODE", value: "base" }] };
const deployment: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: { replicas: 2, template: { spec: { containers: [container] } } },
};
const service: KubeObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop" },
  spec: { ports: [{ port: 80 }] },
};
const database: KubeObject = {
  apiVersion: "db.example/v1",
  kind: "MysqlCluster",
  metadata: { name: "web", namespace: "shop" },
  spec: { size: 2 },
};

/** Where the replicas stand, by kind. */
const REPLICAS: Readonly<Record<string, string>> = { Deployment: "replicas", MysqlCluster: "size" };
function withReplicas(object: KubeObject, count: number): KubeObject {
  const field = REPLICAS[object.kind];
  return field === undefined ? object : { ...object, spec: { ...(object["spec"] as object), [field]: count } };
}

/** What comes of policies `a`, `b` and so on: who has a say, and who lost to whom. */
function say(base: readonly KubeObject[], ...given: (OverrideRule | OverrideRule[])[]): string {
  const rules = given.flatMap((of, at): MatchedRule[] => {
    const policy = { kind: "OverridePolicy", namespace: "shop", name: "abcdef"[at] ?? "" };
    return [of].flat().map((rule, index) => ({ policy, index, rule }));
  });
  const { policies, superseded } = effectOn(rules, (count) => {
    const { objects, problem } = applyRules(base, rules.slice(0, count), { withReplicas });
    expect(problem).toBeUndefined();
    return objects;
  });
  const lost = superseded.map(({ policy, by }) => `${policy.name}<${by.name}`);
  return [policies.map(({ name }) => name).join(""), ...lost].join(" ");
}

const CONTAINER = "/spec/template/spec/containers/0";
type Patch = NonNullable<OverrideRule["patches"]>[number];
const patch = (op: Patch["op"], path: string, value?: unknown, kind?: string): OverrideRule => ({
  patches: [{ op, path, ...(value === undefined ? {} : { value }), ...(kind === undefined ? {} : { kind }) } as Patch],
});
const ofDeployment = (op: Patch["op"], path: string, value?: unknown) => patch(op, path, value, "Deployment");
const replaced = (path: string, value: unknown) => ofDeployment("replace", path, value);

describe("what an earlier policy sets", () => {
  test.each<[name: string, earlier: OverrideRule, later: OverrideRule, comes: "lost" | "stays", base?: KubeObject[]]>([
    ["is lost with the whole image", { image: { registry: "r.cn" } }, replaced(`${CONTAINER}/image`, "x:1"), "lost"],
    [
      "stays beside another variable",
      { env: [{ name: "X", value: "1" }] },
      replaced(`${CONTAINER}/env/0/value`, "b"),
      "stays",
    ],
    [
      "stays on the objects that the patch leaves alone",
      { labels: { z: "1" } },
      replaced("/metadata/labels/z", "2"),
      "stays",
    ],
    [
      "is lost where the kind keeps its replicas",
      { replicas: 5 },
      patch("replace", "/spec/size", 3),
      "lost",
      [database],
    ],
    [
      "stays where the kind keeps its replicas elsewhere than the patch says",
      { replicas: 5 },
      patch("add", "/spec/replicas", 3),
      "stays",
      [database],
    ],
    ["stays where it says what was there already", { replicas: 2 }, replaced("/spec/replicas", 3), "stays"],
  ])("%s", (_name, earlier, later, comes, base = [deployment, service]) => {
    expect(say(base, earlier, later)).toBe(comes === "lost" ? "b a<b" : "ab");
  });
});

describe("of several policies", () => {
  const tag = (value: string): OverrideRule => replaced(`${CONTAINER}/image`, `x:${value}`);

  test("the last has the say", () => {
    expect(say([deployment], { image: { tag: "2" } }, tag("3"), tag("4"))).toBe("c a<c b<c");
  });

  test("one may lose part to one and part to another, and is told the last of them", () => {
    expect(
      say([deployment], { replicas: 5, image: { tag: "2" } }, ofDeployment("remove", "/spec/replicas"), tag("3")),
    ).toBe("bc a<c");
  });
});
