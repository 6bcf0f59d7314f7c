import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { needsOfPod } from "../../interpreter/index.ts";
import { podsThatFit, RoomCount } from "./room.ts";

interface NodeTerms {
  cpu?: string;
  memory?: string;
  pods?: string;
  labels?: Record<string, string>;
  taints?: unknown[];
  unschedulable?: boolean;
  ready?: string;
  more?: Record<string, string>;
}

const node = (name: string, terms: NodeTerms = {}): KubeObject => {
  const { cpu = "4", memory = "8Gi", pods = "110", labels = {}, taints, unschedulable, ready = "True", more } = terms;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec: { taints, unschedulable },
    status: { allocatable: { cpu, memory, pods, ...more }, conditions: [{ type: "Ready", status: ready }] },
  };
};

const spec = (requests: Record<string, string>, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  containers: [{ name: "web", resources: { requests } }],
  ...more,
});

const pod = (podSpec: Record<string, unknown>, more: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: podSpec,
  ...more,
});

const HALF = { cpu: "500m" };
const gpu = { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] };

interface Case {
  name: string;
  nodes: KubeObject[];
  pods?: KubeObject[];
  wanted?: Record<string, unknown>;
  want: number;
}

describe("how many pods fit", () => {
  test.each<Case>([
    { name: "no node, no room", nodes: [], want: 0 },
    { name: "by cpu", nodes: [node("a"), node("b", { cpu: "1200m" })], want: 8 + 2 },
    { name: "by memory", nodes: [node("a")], wanted: spec({ cpu: "1m", memory: "3Gi" }), want: 2 },
    { name: "a tenth of a core ten times", nodes: [node("a", { cpu: "1" })], wanted: spec({ cpu: "0.1" }), want: 10 },
    { name: "by the number of pods", nodes: [node("a", { pods: "3" })], wanted: spec({}), want: 3 },
    {
      name: "a resource that no node has",
      nodes: [node("a")],
      wanted: spec({ "example.com/gpu": "1" }),
      want: 0,
    },
    {
      name: "a resource of some nodes",
      nodes: [node("a"), node("b", { more: { "example.com/gpu": "2" } })],
      wanted: spec({ "example.com/gpu": "1" }),
      want: 2,
    },
    {
      name: "what runs takes up room, by requests",
      nodes: [node("a", { cpu: "2" })],
      pods: [pod(spec({ cpu: "900m" }, { nodeName: "a" }))],
      want: 2,
    },
    {
      name: "finished pods take up none",
      nodes: [node("a", { cpu: "2" })],
      pods: [
        pod(spec({ cpu: "1" }, { nodeName: "a" }), { status: { phase: "Succeeded" } }),
        pod(spec({ cpu: "1" }, { nodeName: "a" }), { status: { phase: "Failed" } }),
      ],
      want: 4,
    },
    {
      name: "pods that wait for a node take up what they will get",
      nodes: [node("a", { cpu: "2" })],
      pods: [pod(spec(HALF)), pod(spec(HALF)), pod(spec({ cpu: "64" }))],
      want: 2,
    },
    { name: "a node that is cordoned", nodes: [node("a", { unschedulable: true })], want: 0 },
    { name: "a node that is not ready", nodes: [node("a", { ready: "Unknown" })], want: 0 },
    { name: "a taint", nodes: [node("a", gpu), node("b", { cpu: "1" })], want: 2 },
    {
      name: "a taint that is tolerated",
      nodes: [node("a", gpu)],
      wanted: spec(HALF, { tolerations: [{ key: "gpu", operator: "Exists" }] }),
      want: 8,
    },
    {
      name: "a node selector",
      nodes: [node("a", { labels: { disk: "ssd" } }), node("b")],
      wanted: spec(HALF, { nodeSelector: { disk: "ssd" } }),
      want: 8,
    },
    {
      name: "a node by its host name",
      nodes: [node("a"), node("b", { cpu: "1" })],
      wanted: spec(HALF, { nodeSelector: { "kubernetes.io/hostname": "b" } }),
      want: 2,
    },
    {
      name: "required node affinity",
      nodes: [node("a", { labels: { zone: "1" } }), node("b", { labels: { zone: "2" }, cpu: "1" }), node("c")],
      wanted: spec(HALF, {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "zone", operator: "In", values: ["2"] }] },
                { matchExpressions: [{ key: "zone", operator: "Gt", values: ["7"] }] },
              ],
            },
          },
        },
      }),
      want: 2,
    },
    {
      name: "an overcommitted node",
      nodes: [node("a", { cpu: "1" })],
      pods: [pod(spec({ cpu: "3" }, { nodeName: "a" }))],
      want: 0,
    },
  ])("$name", ({ nodes, pods = [], wanted = spec(HALF), want }) => {
    const count = new RoomCount();
    for (const one of pods) count.addPod(one);
    for (const one of nodes) count.addNode(one);
    expect(podsThatFit(count.room(), needsOfPod(wanted))).toBe(want);
  });

  test("nodes that are alike are one group", () => {
    const count = new RoomCount();
    for (let i = 0; i < 100; i += 1) count.addNode(node(`node-${i}`, { labels: { pool: `p${i % 3}` } }));
    expect(count.room().groups.map(({ nodes }) => nodes.length)).toEqual([34, 33, 33]);
  });
});
