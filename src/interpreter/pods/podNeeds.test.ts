import { describe, expect, test } from "vitest";
import { amountOf, needsOfPod, podNeedsKey, podNeedsOf } from "./podNeeds.ts";

const container = (requests: Record<string, string>, more: object = {}) => ({ resources: { requests }, ...more });

const nodeAffinity = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});

describe("what a pod asks for", () => {
  test.each([
    { name: "nothing", spec: {}, want: {} },
    {
      name: "all containers together",
      spec: { containers: [container({ cpu: "250m" }), container({ cpu: "0.5", memory: "1Gi" })] },
      want: { cpu: 750, memory: 2 ** 30 },
    },
    {
      name: "limits where no request is set",
      spec: { containers: [{ resources: { limits: { cpu: "2", memory: "1k" }, requests: { cpu: "1" } } }] },
      want: { cpu: 1000, memory: 1000 },
    },
    {
      name: "an init container that needs more",
      spec: { containers: [container({ cpu: "1", memory: "10" })], initContainers: [container({ cpu: "3" })] },
      want: { cpu: 3000, memory: 10 },
    },
    {
      name: "a sidecar beside the containers, and beside later init containers",
      spec: {
        containers: [container({ cpu: "1" })],
        initContainers: [container({ cpu: "1" }, { restartPolicy: "Always" }), container({ cpu: "1500m" })],
      },
      want: { cpu: 2500 },
    },
    {
      name: "a sidecar that starts after an init container, which runs without it",
      spec: {
        containers: [container({ cpu: "1" })],
        initContainers: [container({ cpu: "1500m" }), container({ cpu: "1" }, { restartPolicy: "Always" })],
      },
      want: { cpu: 2000 },
    },
    {
      name: "a pod as a whole in one resource, and its containers in the others",
      spec: { containers: [container({ cpu: "1", memory: "5" })], resources: { requests: { cpu: "500m" } } },
      want: { cpu: 500, memory: 5 },
    },
    {
      name: "the overhead of its runtime",
      spec: { containers: [container({ cpu: "1" })], overhead: { cpu: "50m", memory: "64" } },
      want: { cpu: 1050, memory: 64 },
    },
    { name: "what cannot be read counts for nothing", spec: { containers: [container({ cpu: "much" })] }, want: {} },
  ])("$name", ({ spec, want }) => expect(needsOfPod(spec).requests).toEqual(want));

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
    { name: "every one", toleration: { operator: "Exists" }, want: { operator: "Exists" } },
    {
      name: "all of a key",
      toleration: { key: "spot", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 30 },
      want: { key: "spot", operator: "Exists", effect: "NoSchedule" },
    },
    {
      name: "one value, where no operator is said",
      toleration: { key: "tier", value: "gold", effect: "NoExecute" },
      want: { key: "tier", operator: "Equal", value: "gold", effect: "NoExecute" },
    },
    {
      name: "one value, where the operator is none",
      toleration: { key: "tier", operator: "Sometimes", value: "gold" },
      want: { key: "tier", operator: "Equal", value: "gold" },
    },
  ])("$name", ({ toleration, want }) =>
    expect(needsOfPod({ tolerations: [toleration] }).tolerations).toStrictEqual([want]),
  );
});

describe("an amount of a resource", () => {
  test.each([
    { name: "cores are counted in thousandths", resource: "cpu", quantity: "1.5", want: 1500 },
    { name: "numbers are quantities too", resource: "cpu", quantity: 2, want: 2000 },
    { name: "a part of a thousandth is a whole one", resource: "cpu", quantity: "100u", want: 1 },
    { name: "a tenth of a core is no more than that", resource: "cpu", quantity: "0.1", want: 100 },
    { name: "everything else is counted in whole units", resource: "memory", quantity: "1500m", want: 2 },
    { name: "text that is no quantity", resource: "memory", quantity: "much", want: undefined },
    { name: "no text and no number", resource: "memory", quantity: true, want: undefined },
    { name: "nothing", resource: "memory", quantity: undefined, want: undefined },
  ])("$name", ({ resource, quantity, want }) => expect(amountOf(resource, quantity)).toBe(want));
});
