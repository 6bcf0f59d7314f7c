import { describe, expect, test } from "vitest";
import { needsOfPod } from "../../interpreter/index.ts";
import { podsThatFit } from "./headroom.ts";
import { HALF, node, roomOf, spec } from "./testing/members.ts";

describe("which taints a pod tolerates", () => {
  const noSchedule = { key: "gpu", value: "yes", effect: "NoSchedule" };
  interface Tolerated {
    name: string;
    taint: Record<string, string>;
    toleration?: Record<string, string>;
    fits: boolean;
  }
  test.each<Tolerated>([
    { name: "NoSchedule keeps pods away", taint: noSchedule, fits: false },
    { name: "NoExecute keeps pods away", taint: { ...noSchedule, effect: "NoExecute" }, fits: false },
    { name: "PreferNoSchedule does not", taint: { ...noSchedule, effect: "PreferNoSchedule" }, fits: true },
    { name: "a taint without an effect does not", taint: { key: "gpu" }, fits: true },
    {
      name: "the same key and value",
      taint: noSchedule,
      toleration: { key: "gpu", operator: "Equal", value: "yes" },
      fits: true,
    },
    {
      name: "another value",
      taint: noSchedule,
      toleration: { key: "gpu", operator: "Equal", value: "no" },
      fits: false,
    },
    {
      name: "another key with the same value",
      taint: noSchedule,
      toleration: { key: "disk", operator: "Equal", value: "yes" },
      fits: false,
    },
    {
      name: "another key that exists",
      taint: noSchedule,
      toleration: { key: "disk", operator: "Exists" },
      fits: false,
    },
    {
      name: "no value on either side",
      taint: { key: "gpu", effect: "NoSchedule" },
      toleration: { key: "gpu" },
      fits: true,
    },
    { name: "no value where the taint has one", taint: noSchedule, toleration: { key: "gpu" }, fits: false },
    {
      name: "every key that exists",
      taint: noSchedule,
      toleration: { operator: "Exists" },
      fits: true,
    },
    { name: "no key and a value", taint: noSchedule, toleration: { operator: "Equal", value: "yes" }, fits: false },
    {
      name: "the same effect",
      taint: noSchedule,
      toleration: { key: "gpu", operator: "Exists", effect: "NoSchedule" },
      fits: true,
    },
    {
      name: "another effect",
      taint: noSchedule,
      toleration: { key: "gpu", operator: "Exists", effect: "NoExecute" },
      fits: false,
    },
    {
      name: "a taint without a key by a toleration of every key",
      taint: { effect: "NoSchedule" },
      toleration: { operator: "Exists" },
      fits: true,
    },
    {
      name: "a taint without a key by no toleration of some key",
      taint: { effect: "NoSchedule" },
      toleration: { key: "gpu", operator: "Exists" },
      fits: false,
    },
  ])("$name: $fits", ({ taint, toleration, fits }) => {
    const wanted = spec(HALF, toleration === undefined ? {} : { tolerations: [toleration] });
    const room = roomOf([node("a", { cpu: "500m", taints: [taint] })]);
    expect(podsThatFit(room, needsOfPod(wanted))).toBe(fits ? 1 : 0);
  });

  test("every taint of a node has to be tolerated", () => {
    const two = [noSchedule, { key: "spot", effect: "NoExecute" }];
    const room = roomOf([node("a", { cpu: "500m", taints: two })]);
    const tolerating = (...keys: string[]): number => {
      const tolerations = keys.map((key) => ({ key, operator: "Exists" }));
      return podsThatFit(room, needsOfPod(spec(HALF, { tolerations })));
    };
    expect([tolerating("gpu"), tolerating("spot"), tolerating("spot", "gpu")]).toEqual([0, 0, 1]);
  });
});

describe("which nodes required node affinity selects", () => {
  const nodes = [
    node("a", { cpu: "500m", labels: { disk: "ssd", cores: "8" } }),
    node("b", { cpu: "500m", labels: { disk: "hdd", cores: "16" } }),
    node("c", { cpu: "500m", labels: { "kubernetes.io/hostname": "c.example" } }),
  ];
  interface Term {
    key: string;
    operator: string;
    values?: string[];
  }
  const selected = (terms: { matchExpressions?: Term[]; matchFields?: Term[] }[]): string[] => {
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const needs = needsOfPod(spec(HALF, { affinity: { nodeAffinity: required } }));
    return nodes.filter((one) => podsThatFit(roomOf([one]), needs) > 0).map(({ metadata }) => metadata.name);
  };

  test.each<[string, Term, string[]]>([
    ["In takes those with one of the values", { key: "disk", operator: "In", values: ["ssd", "nvme"] }, ["a"]],
    ["NotIn takes those without the label, too", { key: "disk", operator: "NotIn", values: ["ssd"] }, ["b", "c"]],
    ["Exists takes those with the label", { key: "disk", operator: "Exists" }, ["a", "b"]],
    ["DoesNotExist takes those without it", { key: "disk", operator: "DoesNotExist" }, ["c"]],
    ["Gt takes those with a greater number", { key: "cores", operator: "Gt", values: ["8"] }, ["b"]],
    ["Lt takes those with a smaller number", { key: "cores", operator: "Lt", values: ["16"] }, ["a"]],
    ["Gt takes none where the label is no number", { key: "disk", operator: "Gt", values: ["1"] }, []],
    ["an unknown operator takes none", { key: "disk", operator: "Like", values: ["ssd"] }, []],
    [
      "the host name can differ from the name",
      { key: "kubernetes.io/hostname", operator: "In", values: ["a", "c", "c.example"] },
      ["a", "c"],
    ],
  ])("%s", (_what, term, want) => expect(selected([{ matchExpressions: [term] }])).toEqual(want));

  test("a field of the node is its name", () => {
    const byName = { key: "metadata.name", operator: "In", values: ["a", "c", "c.example"] };
    expect(selected([{ matchFields: [byName] }])).toEqual(["a", "c"]);
  });

  test("every expression of a term has to hold, and one of the terms", () => {
    const ssd = { key: "disk", operator: "In", values: ["ssd"] };
    const many = { key: "cores", operator: "Gt", values: ["8"] };
    expect(selected([{ matchExpressions: [ssd, many] }])).toEqual([]);
    expect(selected([{ matchExpressions: [ssd] }, { matchExpressions: [many] }])).toEqual(["a", "b"]);
  });

  test("a term without expressions takes none", () => expect(selected([{}])).toEqual([]));
});
