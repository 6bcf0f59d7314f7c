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

describe("what an earlier policy sets", () => {
  interface Case {
    name: string;
    base?: KubeObject[];
    earlier: OverrideRule;
    later: OverrideRule;
    /** Nothing of the earlier one is left. */
    lost: boolean;
  }
  test.each<Case>([
    {
      name: "is lost with the whole image",
      earlier: { image: { registry: "r.cn" } },
      later: ofDeployment("replace", `${CONTAINER}/image`, "x:1"),
      lost: true,
    },
    {
      name: "is lost with the containers",
      earlier: { image: { tag: "7" } },
      later: ofDeployment("replace", "/spec/template/spec/containers", [{ name: "web", image: "x:1" }]),
      lost: true,
    },
    {
      name: "is lost with the variables, of which none has the name",
      earlier: { env: [{ name: "X", value: "1" }] },
      later: ofDeployment("replace", `${CONTAINER}/env`, [{ name: "Y", value: "2" }]),
      lost: true,
    },
    {
      name: "is lost with the value of the variable",
      earlier: { env: [{ name: "MODE", value: "a" }] },
      later: ofDeployment("replace", `${CONTAINER}/env/0/value`, "b"),
      lost: true,
    },
    {
      name: "stays beside another variable",
      earlier: { env: [{ name: "X", value: "1" }] },
      later: ofDeployment("replace", `${CONTAINER}/env/0/value`, "b"),
      lost: false,
    },
    {
      name: "is lost with the label of every object",
      earlier: { labels: { z: "1" } },
      later: patch("replace", "/metadata/labels/z", "2"),
      lost: true,
    },
    {
      name: "stays on the objects that the patch leaves alone",
      earlier: { labels: { z: "1" } },
      later: ofDeployment("replace", "/metadata/labels/z", "2"),
      lost: false,
    },
    {
      name: "is lost with a map that is set anew",
      earlier: patch("add", "/metadata/annotations", { q: "1" }),
      later: patch("add", "/metadata/annotations", { w: "1" }),
      lost: true,
    },
    {
      name: "is lost with the number of replicas",
      earlier: { replicas: 5 },
      later: ofDeployment("replace", "/spec/replicas", 3),
      lost: true,
    },
    {
      name: "is lost where the number of replicas is taken away",
      earlier: { replicas: 5 },
      later: ofDeployment("remove", "/spec/replicas"),
      lost: true,
    },
    {
      name: "is lost where the kind keeps its replicas",
      base: [database],
      earlier: { replicas: 5 },
      later: patch("replace", "/spec/size", 3),
      lost: true,
    },
    {
      name: "stays where the kind keeps its replicas elsewhere than the patch says",
      base: [database],
      earlier: { replicas: 5 },
      later: patch("add", "/spec/replicas", 3),
      lost: false,
    },
    {
      name: "stays where it says what was there already",
      earlier: { replicas: 2 },
      later: ofDeployment("replace", "/spec/replicas", 3),
      lost: false,
    },
    {
      name: "stays beside the patch",
      earlier: { replicas: 5, labels: { z: "1" } },
      later: ofDeployment("replace", "/spec/replicas", 3),
      lost: false,
    },
    {
      name: "stays under a patch that only tests",
      earlier: { replicas: 5 },
      later: ofDeployment("test", "/spec/replicas", 5),
      lost: false,
    },
  ])("$name", ({ base = [deployment, service], earlier, later, lost }) => {
    expect(say(base, earlier, later)).toBe(lost ? "b a<b" : "ab");
  });
});

describe("of several policies", () => {
  const tag = (value: string): OverrideRule => ofDeployment("replace", `${CONTAINER}/image`, `x:${value}`);

  test("the last has the say", () => {
    expect(say([deployment], { image: { tag: "2" } }, tag("3"), tag("4"))).toBe("c a<c b<c");
  });

  test("one may lose part to one and part to another, and is told the last of them", () => {
    expect(
      say([deployment], { replicas: 5, image: { tag: "2" } }, ofDeployment("remove", "/spec/replicas"), tag("3")),
    ).toBe("bc a<c");
  });

  test("one does not lose to itself", () => {
    expect(say([deployment], { labels: { z: "1" } }, [{ replicas: 5 }, ofDeployment("remove", "/spec/replicas")])).toBe(
      "ab",
    );
  });

  test("who lost by name is told as before", () => {
    expect(say([deployment], { replicas: 5 }, { replicas: 6 }, ofDeployment("replace", "/spec/replicas", 7))).toBe(
      "c a<b b<c",
    );
  });
});
