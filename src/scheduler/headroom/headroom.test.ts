import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { needsOfPod } from "../../interpreter/index.ts";
import { podsThatFit, headroomBeside } from "./headroom.ts";
import { HALF, node, pod, headroomOf, spec } from "./testing/members.ts";

const gpu = { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] };
const onA = { nodeName: "a" };
const GPU = "example.com/gpu";
const deleted = { metadata: { name: "p", deletionTimestamp: "2026-11-21T08:00:00Z" } };
const bare = (status?: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  ...(status === undefined ? {} : { status }),
});
const withConditions = (...conditions: [type: string, status: string][]): KubeObject => ({
  ...node("a"),
  status: {
    allocatable: { cpu: "1", pods: "110" },
    conditions: conditions.map(([type, status]) => ({ type, status })),
  },
});

describe("how many pods fit", () => {
  test.each<[name: string, nodes: KubeObject[], want: number, wanted?: Record<string, unknown>]>([
    ["no node", [], 0],
    ["by cpu", [node("a"), node("b", { cpu: "1200m" })], 8 + 2],
    ["by memory", [node("a")], 2, spec({ cpu: "1m", memory: "3Gi" })],
    ["by the number of pods", [node("a", { pods: "3" })], 3, spec({})],
    ["a resource that no node has", [node("a")], 0, spec({ [GPU]: "1" })],
    ["a cordoned node", [node("a", { unschedulable: true })], 0],
    ["a node that is not ready", [node("a", { ready: "Unknown" })], 0],
    ["a node of which nobody says whether it is ready", [withConditions(["MemoryPressure", "False"])], 2],
    [
      "a node selector",
      [node("a", { labels: { disk: "ssd" } }), node("b")],
      8,
      spec(HALF, { nodeSelector: { disk: "ssd" } }),
    ],
    ["a node that says nothing of itself", [bare()], 110, spec({})],
    ["a node without a limit of pods", [bare({ allocatable: { cpu: "100" } })], 200],
  ])("%s", (_name, nodes, want, wanted = spec(HALF)) =>
    expect(podsThatFit(headroomOf(nodes), needsOfPod(wanted))).toBe(want),
  );

  const small = node("a", { cpu: "2" });
  test.each<[name: string, nodes: KubeObject[], pods: KubeObject[], want: number, wanted?: Record<string, unknown>]>([
    ["a running pod uses its requests", [small], [pod(spec({ cpu: "900m" }, onA))], 2],
    [
      "finished pods use nothing",
      [small],
      ["Succeeded", "Failed"].map((phase) => pod(spec({ cpu: "1" }, onA), { status: { phase } })),
      4,
    ],
    ["waiting pods use what they will get", [small], [pod(spec(HALF)), pod(spec(HALF)), pod(spec({ cpu: "64" }))], 2],
    [
      "waiting pods fill one node after the other",
      ["a", "b", "c"].map((name) => node(name, { cpu: "2" })),
      Array.from({ length: 6 }, () => pod(spec(HALF))),
      6,
    ],
    ["a waiting pod that is being deleted uses nothing", [small], [pod(spec(HALF), deleted)], 4],
    ["a running pod that is being deleted uses its requests", [small], [pod(spec(HALF, onA), deleted)], 3],
    ["a pod with an empty node name waits", [small], [pod(spec(HALF, { nodeName: "" }))], 3],
    [
      "a used up resource that nobody asks for",
      [node("a", { cpu: "1", more: { [GPU]: "1" } })],
      [pod(spec({ [GPU]: "1" }, onA))],
      2,
    ],
  ])("%s", (_name, nodes, pods, want, wanted = spec(HALF)) =>
    expect(podsThatFit(headroomOf(nodes, pods), needsOfPod(wanted))).toBe(want),
  );
});

describe("nodes are one group", () => {
  const groupsOf = (...nodes: KubeObject[]) =>
    headroomOf(nodes).groups.map(({ nodes: same }) => same.map(({ name }) => name).join(" "));

  test("if their labels are, in any order", () => {
    const labels = [
      { disk: "ssd", zone: "1" },
      { zone: "1", disk: "ssd" },
      { disk: "1", zone: "ssd" },
    ];
    expect(groupsOf(...labels.map((one, i) => node(`n${i}`, { labels: one })))).toEqual(["n0 n1", "n2"]);
  });

  test("if the taints are that keep pods away", () => {
    const prefers = node("b", { taints: [{ key: "old", effect: "PreferNoSchedule" }] });
    const other = node("d", { taints: [{ key: "gpu", value: "yes", effect: "NoExecute" }] });
    expect(groupsOf(node("a"), prefers, node("c", gpu), other)).toEqual(["a b", "c", "d"]);
  });
});

describe("the headroom beside other pods", () => {
  const half = needsOfPod(spec(HALF));
  const room = headroomOf([node("a", { cpu: "1" }), node("b", { cpu: "2" })]);

  test.each<[string, number, number]>([
    ["more than one node takes go on to the next", 3, 3],
    ["as many as fit leave nothing", 6, 0],
  ])("%s", (_what, count, want) => {
    expect(podsThatFit(headroomBeside(room, [{ needs: half, count }]), half)).toBe(want);
    expect(podsThatFit(room, half)).toBe(6);
  });

  test("pods go to nodes that they select", () => {
    const onB = needsOfPod(spec(HALF, { nodeSelector: { "kubernetes.io/hostname": "b" } }));
    const left = headroomBeside(room, [{ needs: onB, count: 4 }]);
    expect([podsThatFit(left, onB), podsThatFit(left, half)]).toEqual([0, 2]);
  });
});

describe("which taints a pod tolerates", () => {
  /** `gpu=yes:NoSchedule`. */
  const taintOf = (text: string) => {
    const [key = "", effect] = text.split(":");
    const [name, value] = key.split("=");
    return Object.fromEntries(Object.entries({ key: name, value, effect }).filter(([, part]) => part));
  };
  const fits = (taints: string[], ...tolerations: Record<string, string>[]): boolean => {
    const room = headroomOf([node("a", { cpu: "500m", taints: taints.map(taintOf) })]);
    return podsThatFit(room, needsOfPod(spec(HALF, tolerations.length === 0 ? {} : { tolerations }))) > 0;
  };
  const TAINT = "gpu=yes:NoSchedule";

  test.each<[taint: string, fits: boolean, toleration?: Record<string, string>]>([
    [TAINT, false],
    ["gpu=yes:PreferNoSchedule", true],
    ["gpu", true],
    [TAINT, true, { key: "gpu", operator: "Equal", value: "yes" }],
    [TAINT, false, { key: "gpu", operator: "Equal", value: "no" }],
    [TAINT, false, { key: "disk", operator: "Exists" }],
    [TAINT, true, { operator: "Exists" }],
    [TAINT, false, { operator: "Equal", value: "yes" }],
    [TAINT, true, { key: "gpu", operator: "Exists", effect: "NoSchedule" }],
    [TAINT, false, { key: "gpu", operator: "Exists", effect: "NoExecute" }],
    [":NoSchedule", true, { operator: "Exists" }],
  ])("%s: %s with %j", (taint, want, toleration) =>
    expect(fits([taint], ...(toleration === undefined ? [] : [toleration]))).toBe(want),
  );

  test("every taint of a node has to be tolerated", () => {
    const two = [TAINT, "spot:NoExecute"];
    const by = (...keys: string[]) => fits(two, ...keys.map((key) => ({ key, operator: "Exists" })));
    expect([by("gpu"), by("spot"), by("spot", "gpu")]).toEqual([false, false, true]);
  });
});

describe("which nodes required node affinity selects", () => {
  const nodes = [
    node("a", { cpu: "500m", labels: { disk: "ssd", cores: "8" } }),
    node("b", { cpu: "500m", labels: { disk: "hdd", cores: "16" } }),
    node("c", { cpu: "500m", labels: { "kubernetes.io/hostname": "c.example" } }),
  ];
  /** `disk In ssd,nvme`. */
  const termOf = (text: string) => {
    const [key, operator, values] = text.split(" ");
    return { key, operator, ...(values === undefined ? {} : { values: values.split(",") }) };
  };
  const selected = (...terms: { matchExpressions?: string[]; matchFields?: string[] }[]): string => {
    const nodeSelectorTerms = terms.map((term) =>
      Object.fromEntries(Object.entries(term).map(([key, some]) => [key, some.map(termOf)])),
    );
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const needs = needsOfPod(spec(HALF, { affinity: { nodeAffinity: required } }));
    const taken = nodes.filter((one) => podsThatFit(headroomOf([one]), needs) > 0);
    return taken.map(({ metadata }) => metadata.name).join(" ");
  };

  test.each([
    ["disk In ssd,nvme", "a"],
    ["disk NotIn ssd", "b c"],
    ["disk Exists", "a b"],
    ["disk DoesNotExist", "c"],
    ["cores Gt 8", "b"],
    ["disk Like ssd", ""],
    ["kubernetes.io/hostname In a,c,c.example", "a c"],
  ])("%s: %s", (term, want) => expect(selected({ matchExpressions: [term] })).toBe(want));

  test("a field of the node is its name", () =>
    expect(selected({ matchFields: ["metadata.name In a,c,c.example"] })).toBe("a c"));

  test("every expression of one of the terms has to hold, and an empty term takes none", () => {
    const [ssd, many] = ["disk In ssd", "cores Gt 8"];
    expect(selected({ matchExpressions: [ssd, many] })).toBe("");
    expect(selected({ matchExpressions: [ssd] }, { matchExpressions: [many] })).toBe("a b");
    expect(selected({})).toBe("");
  });
});

test("room is JSON, whatever quantities a member reports", () => {
  const given = headroomOf([node("a", { memory: "1e999" })], [pod(spec({ memory: "1e999" }, onA))]);
  expect(JSON.parse(JSON.stringify(given))).toEqual(given);
});
