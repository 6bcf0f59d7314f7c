import { describe, expect, test } from "vitest";
import { needsOfPod, podNeedsKey, podNeedsOf } from "./podNeeds.ts";

const container = (requests: Record<string, string>, more: object = {}) => ({ resources: { requests }, ...more });

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
      name: "the overhead of its runtime",
      spec: { containers: [container({ cpu: "1" })], overhead: { cpu: "50m", memory: "64" } },
      want: { cpu: 1050, memory: 64 },
    },
    {
      name: "what is set for the pod as a whole",
      spec: { containers: [container({ cpu: "1" })], resources: { requests: { cpu: "3" } } },
      want: { cpu: 3000 },
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
});
