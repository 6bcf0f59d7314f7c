import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ingressAddresses, serviceAddresses } from "./addresses.ts";
import { balancer } from "../testing/workloadHealth.ts";

const service = (spec: object, status: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "x" },
  spec,
  status,
});
const nodePorts = (...ports: unknown[]): object[] => ports.map((nodePort) => ({ port: 80, nodePort }));
const opened = (...ports: number[]): object[] => ports.map((port) => ({ type: "NodePort", port }));

describe("a Service can be reached", () => {
  test.each<[name: string, spec: object, want: object[], status?: object]>([
    ["not where it is of the inside", { type: "ClusterIP", ports: nodePorts(30002) }, []],
    [
      "by the ports from 1 to 65535",
      { type: "NodePort", ports: nodePorts(0, 1, 65_535, 65_536, -1) },
      opened(1, 65_535),
    ],
    [
      "by ports that are numbers, in their order, each once",
      { type: "NodePort", ports: nodePorts(30009, "30002", 30003, null, 30009) },
      opened(30009, 30003),
    ],
    [
      "at the points of its load balancer, sorted, before its ports",
      { type: "LoadBalancer", ports: nodePorts(30002) },
      [
        { type: "LoadBalancer", host: "10.0.0.1" },
        { type: "LoadBalancer", host: "10.0.0.9" },
        { type: "LoadBalancer", host: "a.example.com" },
        ...opened(30002),
      ],
      balancer({ ip: "10.0.0.9" }, { hostname: "a.example.com" }, { ip: "10.0.0.1" }),
    ],
    [
      "at a host of at most 253 characters",
      { type: "LoadBalancer" },
      [{ type: "LoadBalancer", host: "a".repeat(253) }],
      balancer({ hostname: "a".repeat(253) }, { hostname: "b".repeat(254) }),
    ],
    [
      "at eight addresses at most, points and ports together",
      { type: "LoadBalancer", ports: nodePorts(30000, 30001, 30002) },
      [...Array.from({ length: 7 }, (_, at) => ({ type: "LoadBalancer", host: `10.0.0.${at}` })), ...opened(30000)],
      balancer(...Array.from({ length: 7 }, (_, at) => ({ ip: `10.0.0.${at}` }))),
    ],
  ])("%s", (_name, spec, want, status) => expect(serviceAddresses(service(spec, status))).toStrictEqual(want));
});

test("an Ingress can be reached at the points of its load balancer, sorted, each once, and at most eight", () => {
  const ingress = (...points: object[]): object[] =>
    ingressAddresses({ ...service({}, balancer(...points)), kind: "Ingress" });
  expect(ingress({ hostname: "b" }, { hostname: "a" }, { ip: "b" })).toStrictEqual([
    { type: "Ingress", host: "a" },
    { type: "Ingress", host: "b" },
  ]);
  expect(ingress(...Array.from({ length: 9 }, (_, at) => ({ ip: `10.0.0.${at}` })))).toHaveLength(8);
  expect(ingress()).toEqual([]);
});
