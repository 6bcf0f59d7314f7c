import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { needsOfPod } from "../../interpreter/index.ts";
import { podsThatFit, roomBeside, RoomCount } from "./headroom.ts";
import { HALF, node, pod, roomOf, spec } from "./testing/members.ts";

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
      name: "pods that wait take up room on one node after the other",
      nodes: [node("a", { cpu: "2" }), node("b", { cpu: "2" }), node("c", { cpu: "2" })],
      pods: Array.from({ length: 6 }, () => pod(spec(HALF))),
      want: 6,
    },
    {
      name: "a pod that waits and is being deleted takes up none",
      nodes: [node("a", { cpu: "2" })],
      pods: [pod(spec(HALF), { metadata: { name: "p", deletionTimestamp: "2026-11-21T08:00:00Z" } })],
      want: 4,
    },
    {
      name: "a pod that runs takes up room until it is gone",
      nodes: [node("a", { cpu: "2" })],
      pods: [
        pod(spec(HALF, { nodeName: "a" }), { metadata: { name: "p", deletionTimestamp: "2026-11-21T08:00:00Z" } }),
      ],
      want: 3,
    },
    {
      name: "a pod whose node name is empty waits",
      nodes: [node("a", { cpu: "2" })],
      pods: [pod(spec(HALF, { nodeName: "" }))],
      want: 3,
    },
    {
      name: "each pod takes one of the places for pods",
      nodes: [node("a", { pods: "3" })],
      pods: [pod(spec({}, { nodeName: "a" }))],
      wanted: spec({}),
      want: 2,
    },
    {
      name: "what nobody asks for makes no difference when it is used up",
      nodes: [node("a", { cpu: "1", more: { "example.com/gpu": "1" } })],
      pods: [pod(spec({ "example.com/gpu": "1" }, { nodeName: "a" }))],
      want: 2,
    },
    {
      name: "a pod that uses what its node does not list leaves the rest as it is",
      nodes: [node("a", { cpu: "1" })],
      pods: [pod(spec({ "example.com/gpu": "1" }, { nodeName: "a" }))],
      want: 2,
    },
    {
      name: "an amount that cannot be read is no amount",
      nodes: [node("a", { cpu: "plenty" })],
      want: 0,
    },
    {
      name: "a node that says nothing of itself takes as many pods as nodes do by default",
      nodes: [{ apiVersion: "v1", kind: "Node", metadata: { name: "a" } }],
      wanted: spec({}),
      want: 110,
    },
    {
      name: "a node that does not say how many pods it takes is bound by its other resources",
      nodes: [{ apiVersion: "v1", kind: "Node", metadata: { name: "a" }, status: { allocatable: { cpu: "100" } } }],
      want: 200,
    },
    {
      name: "a node is ready when nothing is said of that",
      nodes: [
        {
          ...node("a", { cpu: "1" }),
          status: {
            allocatable: { cpu: "1", pods: "110" },
            conditions: [{ type: "MemoryPressure", status: "False" }],
          },
        },
      ],
      want: 2,
    },
    {
      name: "other conditions do not make a node ready",
      nodes: [
        {
          ...node("a"),
          status: {
            allocatable: { cpu: "1", pods: "110" },
            conditions: [
              { type: "MemoryPressure", status: "True" },
              { type: "Ready", status: "False" },
            ],
          },
        },
      ],
      want: 0,
    },
    {
      name: "an overcommitted node",
      nodes: [node("a", { cpu: "1" })],
      pods: [pod(spec({ cpu: "3" }, { nodeName: "a" }))],
      want: 0,
    },
  ])("$name", ({ nodes, pods = [], wanted = spec(HALF), want }) => {
    expect(podsThatFit(roomOf(nodes, pods), needsOfPod(wanted))).toBe(want);
  });

  test("nodes that are alike are one group", () => {
    const count = new RoomCount();
    for (let i = 0; i < 100; i += 1) count.addNode(node(`node-${i}`, { labels: { pool: `p${i % 3}` } }));
    expect(count.room().groups.map(({ nodes }) => nodes.length)).toEqual([34, 33, 33]);
  });

  test("nodes with the same labels in another order are one group", () => {
    const labels = [
      { disk: "ssd", zone: "1" },
      { zone: "1", disk: "ssd" },
      { disk: "1", zone: "ssd" },
    ];
    const { groups } = roomOf(labels.map((one, i) => node(`node-${i}`, { labels: one })));
    expect(groups.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([["node-0", "node-1"], ["node-2"]]);
  });

  test("nodes with other taints are other groups, and taints that only ask pods to stay away make no difference", () => {
    const { groups } = roomOf([
      node("a"),
      node("b", { taints: [{ key: "old", effect: "PreferNoSchedule" }] }),
      node("c", gpu),
      node("d", { taints: [{ key: "gpu", value: "yes", effect: "NoExecute" }] }),
    ]);
    expect(groups.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([["a", "b"], ["c"], ["d"]]);
  });
});

describe("the room that is left beside other pods", () => {
  const half = needsOfPod(spec(HALF));
  const room = roomOf([node("a", { cpu: "1" }), node("b", { cpu: "2" })]);

  test.each<[string, number, number]>([
    ["no pods leave all", 0, 6],
    ["a pod takes up its part", 1, 5],
    ["more than one node takes go on to the next", 3, 3],
    ["as many as fit leave nothing", 6, 0],
    ["those that find no node take up nothing more", 9, 0],
  ])("%s", (_what, count, want) => expect(podsThatFit(roomBeside(room, [{ needs: half, count }]), half)).toBe(want));

  test("pods that fit on no node leave all", () => {
    const large = needsOfPod(spec({ cpu: "64" }));
    expect(podsThatFit(roomBeside(room, [{ needs: large, count: 2 }]), half)).toBe(6);
  });

  test("pods go to nodes that they select, and others find room elsewhere", () => {
    const onB = needsOfPod(spec(HALF, { nodeSelector: { "kubernetes.io/hostname": "b" } }));
    const left = roomBeside(room, [{ needs: onB, count: 4 }]);
    expect([podsThatFit(left, onB), podsThatFit(left, half)]).toEqual([0, 2]);
  });

  test("the room that was read stays as it was", () => {
    roomBeside(room, [{ needs: half, count: 6 }]);
    expect(podsThatFit(room, half)).toBe(6);
  });
});
