import { describe, expect, test } from "vitest";
import { type OverridePolicy, overridePolicySpec, type Placement, placementSpec } from "../../apis/index.ts";
import { type ClusterSnapshot } from "../../scheduler/index.ts";
import { judgeChoice, warnOfChoice, warnOfTargets } from "./choice.ts";

function policyOf(spec: object): Placement {
  const parsed = placementSpec.parse({ resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }], ...spec });
  return { apiVersion: "v1", kind: "Placement", metadata: { name: "p" }, spec: parsed } as unknown as Placement;
}
const said = (spec: object): string[] =>
  judgeChoice(policyOf(spec)).map(({ field, message }) => `${field}: ${message}`);
const group = (selector: object) => ({ clusterAffinities: [{ name: "g", ...selector }] });
const expression = (key: string, operator: string, ...values: string[]) => ({
  key,
  operator,
  ...(values.length === 0 ? {} : { values }),
});
const noValue = (selector: string, key: string): string =>
  `spec.clusterAffinities[0]: what its ${selector} asks of ${key} leaves no value, so it takes no cluster; remove one of the requirements`;

describe("a placement that no clusters could meet is refused", () => {
  test.each<[string, object, string]>([
    [
      "names that are all excluded",
      group({ clusterNames: ["a"], exclude: ["a", "b"] }),
      "spec.clusterAffinities[0]: every one of its clusterNames is in exclude too, so it takes no cluster; take names off one of them",
    ],
    [
      "the same in a stage of its rollout",
      {
        rollout: {
          stages: [{ name: "all" }, { name: "one", targetClusters: { clusterNames: ["a"], exclude: ["a"] } }],
        },
      },
      "spec.rollout.stages[1].targetClusters: every one of its clusterNames is in exclude too, so it takes no cluster; take names off one of them",
    ],
    [
      "In and NotIn that leave nothing",
      group({ labelSelector: { matchExpressions: [expression("x", "In", "1"), expression("x", "NotIn", "1")] } }),
      noValue("labelSelector", "x"),
    ],
    [
      "two lists without a common value",
      group({ labelSelector: { matchLabels: { x: "1" }, matchExpressions: [expression("x", "In", "2", "3")] } }),
      noValue("labelSelector", "x"),
    ],
    [
      "a label that has to be there and not",
      group({ labelSelector: { matchExpressions: [expression("x", "Exists"), expression("x", "DoesNotExist")] } }),
      noValue("labelSelector", "x"),
    ],
    [
      "a field",
      group({
        fieldSelector: { matchExpressions: [expression("region", "In", "a"), expression("region", "NotIn", "a")] },
      }),
      noValue("fieldSelector", "region"),
    ],
    [
      "names and the field name",
      group({ clusterNames: ["a"], fieldSelector: { matchExpressions: [expression("name", "NotIn", "a")] } }),
      noValue("fieldSelector", "name"),
    ],
    [
      "more regions than clusters",
      {
        spreadConstraints: [
          { topologyKey: "region", minGroups: 2 },
          { topologyKey: "cluster", maxGroups: 1 },
        ],
      },
      "spec.spreadConstraints[0].minGroups: 2 groups of region cannot be in 1 of cluster; lower it, or raise maxGroups of cluster",
    ],
    [
      "more regions than zones",
      {
        spreadConstraints: [
          { topologyKey: "region", minGroups: 3 },
          { topologyKey: "zone", maxGroups: 2 },
        ],
      },
      "spec.spreadConstraints[0].minGroups: 3 groups of region cannot be in 2 of zone; lower it, or raise maxGroups of zone",
    ],
  ])("%s", (_name, spec, want) => expect(said(spec)).toEqual([want]));

  test.each<[string, object]>([
    ["some names are excluded", group({ clusterNames: ["a", "b"], exclude: ["a"] })],
    [
      "a value is left",
      group({ labelSelector: { matchExpressions: [expression("x", "In", "1", "2"), expression("x", "NotIn", "1")] } }),
    ],
    [
      "it is not to be there, and not to have a value",
      group({ labelSelector: { matchExpressions: [expression("x", "DoesNotExist"), expression("x", "NotIn", "1")] } }),
    ],
    [
      "more regions than clusters, and it is scheduled anyway",
      {
        spreadConstraints: [
          { topologyKey: "region", minGroups: 2, whenUnsatisfiable: "ScheduleAnyway" },
          { topologyKey: "cluster", maxGroups: 1 },
        ],
      },
    ],
    [
      "more zones than regions",
      {
        spreadConstraints: [
          { topologyKey: "zone", minGroups: 3 },
          { topologyKey: "region", maxGroups: 1 },
        ],
      },
    ],
  ])("but not where %s", (_name, spec) => expect(said(spec)).toEqual([]));
});

describe("what no cluster gives now is told of", () => {
  const cluster = (name: string, more: Partial<ClusterSnapshot> = {}): ClusterSnapshot => ({
    name,
    labels: {},
    taints: [],
    deleting: false,
    local: false,
    ...more,
  });
  const fleet = [cluster("a", { region: "x", labels: { tier: "web" } }), cluster("b", { region: "y" })];

  test.each<[string, object, string[]]>([
    [
      "a name",
      group({ clusterNames: ["a", "c"] }),
      ["spec.clusterAffinities[0].clusterNames: there is no cluster c yet"],
    ],
    [
      "a name in a stage of a rollout",
      { rollout: { stages: [{ name: "one", targetClusters: { clusterNames: ["c", "a"] } }, { name: "rest" }] } },
      ["spec.rollout.stages[0].targetClusters.clusterNames: there is no cluster c yet"],
    ],
    [
      "a label key",
      group({ labelSelector: { matchLabels: { teir: "web" } } }),
      ["spec.clusterAffinities[0]: no cluster has the label teir yet"],
    ],
    [
      "groups",
      { spreadConstraints: [{ topologyKey: "region", minGroups: 3 }] },
      [
        "spec.spreadConstraints: minGroups of region is 3, and all clusters together are in 2; join others, label them, or lower it",
      ],
    ],
    [
      "nothing",
      {
        ...group({ labelSelector: { matchLabels: { tier: "web" } } }),
        spreadConstraints: [{ topologyKey: "region", minGroups: 2 }],
      },
      [],
    ],
  ])("%s", (_name, spec, want) => expect(warnOfChoice(policyOf(spec), fleet)).toEqual(want));

  test("without any cluster there is nothing to compare with", () => {
    expect(warnOfChoice(policyOf(group({ clusterNames: ["a"] })), [])).toEqual([]);
  });

  test("in the rules of an override, each once", () => {
    const spec = overridePolicySpec.parse({
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }],
      rules: [
        { replicas: 1 },
        { targetClusters: { clusterNames: ["a", "c"] }, replicas: 2 },
        { targetClusters: { labelSelector: { matchLabels: { teir: "web" } } }, replicas: 3 },
      ],
    });
    const policy = { apiVersion: "v1", kind: "OverridePolicy", metadata: { name: "o" }, spec } as OverridePolicy;
    expect(warnOfTargets(policy, fleet)).toEqual([
      "spec.rules[1].targetClusters.clusterNames: there is no cluster c yet",
      "spec.rules[2].targetClusters: no cluster has the label teir yet",
    ]);
    expect(warnOfTargets(policy, [])).toEqual([]);
  });
});
