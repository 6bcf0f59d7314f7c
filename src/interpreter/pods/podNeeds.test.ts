import { describe, expect, test } from "vitest";
import { amountOf, needsOfPod, podNeedsKey, podNeedsOf } from "./podNeeds.ts";

const container = (requests: Record<string, string>, more: object = {}) => ({ resources: { requests }, ...more });

const nodeAffinity = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});

describe("what a pod asks for", () => {
  test.each([
    ["nothing", {}, {}],
    [
      "all containers together",
      { containers: [container({ cpu: "250m" }), container({ cpu: "0.5", memory: "1Gi" })] },
      { cpu: 750, memory: 2 ** 30 },
    ],
    [
      "limits where no request is set",
      { containers: [{ resources: { limits: { cpu: "2", memory: "1k" }, requests: { cpu: "1" } } }] },
      { cpu: 1000, memory: 1000 },
    ],
    [
      "an init container that needs more",
      { containers: [container({ cpu: "1", memory: "10" })], initContainers: [container({ cpu: "3" })] },
      { cpu: 3000, memory: 10 },
    ],
    [
      "a sidecar beside the containers, and beside later init containers",
      {
        containers: [container({ cpu: "1" })],
        initContainers: [container({ cpu: "1" }, { restartPolicy: "Always" }), container({ cpu: "1500m" })],
      },
      { cpu: 2500 },
    ],
    [
      "a sidecar that starts after an init container, which runs without it",
      {
        containers: [container({ cpu: "1" })],
        initContainers: [container({ cpu: "1500m" }), container({ cpu: "1" }, { restartPolicy: "Always" })],
      },
      { cpu: 2000 },
    ],
    [
      "a pod as a whole in one resource, and its containers in the others",
      { containers: [container({ cpu: "1", memory: "5" })], resources: { requests: { cpu: "500m" } } },
      { cpu: 500, memory: 5 },
    ],
    [
      "the overhead of its runtime",
      { containers: [container({ cpu: "1" })], overhead: { cpu: "50m", memory: "64" } },
      { cpu: 1050, memory: 64 },
    ],
    ["what cannot be read counts for nothing", { containers: [container({ cpu: "much" })] }, {}],
  ])("%s", (_name, spec, want) => expect(needsOfPod(spec).requests).toEqual(want));

  test("stands in the template of a workload", () => {
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { template: { spec: { nodeSelector: { disk: "ssd" }, tolerations: [{ operator: "Exists" }] } } },
    };
    expect(podNeedsOf(deployment)).toEqual({
      requests: {},
      nodeSelector: { disk: "ssd" },
      nodeTerms: [],
      tolerations: [{ operator: "Exists" }],
    });
    expect(podNeedsOf({ ...deployment, spec: {} })).toBeUndefined();
  });

  test("is the same in whatever order it is written", () => {
    const a = needsOfPod({ containers: [container({ cpu: "1", memory: "2" })], nodeSelector: { x: "1", y: "2" } });
    const b = needsOfPod({ nodeSelector: { y: "2", x: "1" }, containers: [container({ memory: "2", cpu: "1000m" })] });
    expect(podNeedsKey(a)).toBe(podNeedsKey(b));
  });

  const gold = { operator: "Equal", key: "tier", value: "gold" };
  test.each([
    ["another amount", { containers: [container({ cpu: "1" })] }, { containers: [container({ cpu: "2" })] }],
    ["another resource", { overhead: { cpu: "1m" } }, { overhead: { memory: "1" } }],
    ["another label of the node", { nodeSelector: { disk: "ssd" } }, { nodeSelector: { disk: "hdd" } }],
    ["one label more", { nodeSelector: { a: "1" } }, { nodeSelector: { a: "1", b: "1" } }],
    ["another toleration", { tolerations: [gold] }, { tolerations: [{ ...gold, value: "silver" }] }],
    ["a required affinity", {}, nodeAffinity({ matchExpressions: [{ key: "zone", operator: "Exists" }] })],
  ])("is not the same with %s", (_name, a, b) => {
    expect(podNeedsKey(needsOfPod(a))).not.toBe(podNeedsKey(needsOfPod(b)));
  });
});

describe("the nodes that a pod asks for", () => {
  test("have labels, which are texts whatever was written", () => {
    expect(needsOfPod({ nodeSelector: { disk: "ssd", generation: 3, spot: true } }).nodeSelector).toEqual({
      disk: "ssd",
      generation: "3",
      spot: "true",
    });
  });

  test("fulfil every expression of one of the terms, those about fields too", () => {
    const zones = { key: "zone", operator: "In", values: ["a", "b"] };
    const spec = nodeAffinity(
      { matchExpressions: [zones, { key: "spot", operator: "DoesNotExist" }] },
      { matchExpressions: [{ key: "cores", operator: "Gt", values: [4] }], matchFields: [{ ...zones, key: "name" }] },
    );
    expect(needsOfPod(spec).nodeTerms).toEqual([
      [zones, { key: "spot", operator: "DoesNotExist", values: [] }],
      [
        { key: "cores", operator: "Gt", values: ["4"] },
        { ...zones, key: "name" },
      ],
    ]);
  });

  test("may be any where the affinity is only preferred", () => {
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }] };
    expect(needsOfPod({ affinity: { nodeAffinity: preferred } }).nodeTerms).toEqual([]);
  });

  test("are told of by empty words where an expression cannot be read", () => {
    expect(needsOfPod(nodeAffinity({ matchExpressions: [{ key: 3, values: "a" }] }, {})).nodeTerms).toEqual([
      [{ key: "", operator: "", values: [] }],
      [],
    ]);
  });
});

describe("the taints that a pod tolerates", () => {
  test.each([
    ["every one", { operator: "Exists" }, { operator: "Exists" }],
    [
      "all of a key",
      { key: "spot", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 30 },
      { key: "spot", operator: "Exists", effect: "NoSchedule" },
    ],
    [
      "one value, where no operator is said",
      { key: "tier", value: "gold", effect: "NoExecute" },
      { key: "tier", operator: "Equal", value: "gold", effect: "NoExecute" },
    ],
    [
      "one value, where the operator is none",
      { key: "tier", operator: "Sometimes", value: "gold" },
      { key: "tier", operator: "Equal", value: "gold" },
    ],
  ])("%s", (_name, toleration, want) =>
    expect(needsOfPod({ tolerations: [toleration] }).tolerations).toStrictEqual([want]),
  );
});

describe("an amount of a resource", () => {
  test.each([
    ["cores are counted in thousandths", "cpu", "1.5", 1500],
    ["numbers are quantities too", "cpu", 2, 2000],
    ["a part of a thousandth is a whole one", "cpu", "100u", 1],
    ["a tenth of a core is no more than that", "cpu", "0.1", 100],
    ["everything else is counted in whole units", "memory", "1500m", 2],
    ["text that is no quantity", "memory", "much", undefined],
    ["no text and no number", "memory", true, undefined],
    ["nothing", "memory", undefined, undefined],
    ["more than a server keeps", "memory", "1e999", 2 ** 63],
    ["less than a server keeps", "memory", "-1e999", -(2 ** 63)],
  ])("%s", (_name, resource, quantity, want) => expect(amountOf(resource, quantity)).toBe(want));
});
