import { describe, expect, test } from "vitest";
import { demoApplicationKind } from "./demoapplication.ts";
import { containerPorts } from "./ports.ts";
import { app, container, labels } from "../testing/demoApplication.ts";

function service(ports: object[], serviceType?: string): unknown {
  return demoApplicationKind.render(
    app({ image: "i", replica: 1, ports, ...(serviceType === undefined ? {} : { serviceType }) }),
  )[1]?.["spec"];
}

describe("render", () => {
  test.each<{ name: string; ports: object[]; type?: string; want: object }>([
    {
      name: "ClusterIP without node ports",
      ports: [{ port: 80 }],
      want: { type: "ClusterIP", ports: [{ protocol: "TCP", port: 80 }] },
    },
    {
      name: "ClusterIP drops node ports",
      type: "ClusterIP",
      ports: [{ port: 80, nodePort: 30002 }],
      want: { type: "ClusterIP", ports: [{ protocol: "TCP", port: 80 }] },
    },
    {
      name: "a load balancer keeps them",
      type: "LoadBalancer",
      ports: [{ port: 80, nodePort: 30002 }],
      want: { type: "LoadBalancer", ports: [{ protocol: "TCP", port: 80, nodePort: 30002 }] },
    },
    {
      name: "several ports get names that do not depend on each other",
      ports: [{ port: 80 }, { port: 53, protocol: "UDP" }, { port: 81, name: "tcp-80" }],
      want: {
        ports: [
          { name: "tcp-80-x", protocol: "TCP", port: 80 },
          { name: "udp-53", protocol: "UDP", port: 53 },
          { name: "tcp-80", protocol: "TCP", port: 81 },
        ],
      },
    },
    {
      name: "NodePort when it is asked for, and whatever stands for a type otherwise",
      type: "NodePort",
      ports: [{ port: 80 }],
      want: { type: "NodePort" },
    },
    { name: "ClusterIP for a type that is none", type: "Other", ports: [{ port: 80 }], want: { type: "ClusterIP" } },
    {
      name: "NodePort as soon as one of the ports has a node port",
      ports: [{ port: 80 }, { port: 81, nodePort: 30002 }],
      want: { type: "NodePort" },
    },
    { name: "a node port that is null is none", ports: [{ port: 80, nodePort: null }], want: { type: "ClusterIP" } },
    {
      name: "targets by number or by name, and the protocol of the application",
      ports: [
        { name: "a", port: 80, targetPort: 8080, appProtocol: "http" },
        { name: "b", port: 81, targetPort: "web", nodePort: 30003 },
      ],
      want: {
        ports: [
          { name: "a", protocol: "TCP", port: 80, targetPort: 8080, appProtocol: "http" },
          { name: "b", protocol: "TCP", port: 81, targetPort: "web", nodePort: 30003 },
        ],
      },
    },
    {
      name: "two ports of one number and protocol get two names",
      ports: [{ port: 80 }, { port: 80 }],
      want: { ports: [{ name: "tcp-80" }, { name: "tcp-80-x" }] },
    },
  ])("Service: $name", ({ ports, type, want }) => expect(service(ports, type)).toMatchObject(want));

  test.each<[string, unknown]>([
    ["a ClusterIP", [{ protocol: "TCP", port: 80 }]],
    ["a NodePort", [{ protocol: "TCP", port: 80, nodePort: 30002 }]],
    ["a LoadBalancer", [{ protocol: "TCP", port: 80, nodePort: 30002 }]],
  ])("%s has these ports where a node port is asked for", (type, ports) => {
    expect(service([{ port: 80, nodePort: 30002 }], type.slice(2))).toHaveProperty("ports", ports);
  });

  test("a port of the container has no name where it can have none", () => {
    expect(containerPorts([{ port: 80 }, { port: 81, name: "a" }, { port: 81, name: "b" }])).toStrictEqual([
      { containerPort: 80, protocol: "TCP" },
      { name: "a", containerPort: 81, protocol: "TCP" },
    ]);
  });

  test("a port of the Service says no more than was asked for", () => {
    expect(service([{ port: 80 }])).toStrictEqual({
      type: "ClusterIP",
      selector: labels,
      ports: [{ protocol: "TCP", port: 80 }],
    });
  });

  test.each<{ name: string; ports: object[]; want: object[] | undefined }>([
    {
      name: "the target's number with the port's name",
      ports: [{ name: "http", port: 80, targetPort: 8080 }],
      want: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    },
    {
      name: "a named target",
      ports: [{ name: "web", port: 80, targetPort: "http" }],
      want: [{ name: "http", containerPort: 80, protocol: "TCP" }],
    },
    {
      name: "a named target that another port defines",
      ports: [
        { name: "http", port: 80, targetPort: 8080 },
        { name: "alt", port: 81, targetPort: "http" },
      ],
      want: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    },
    {
      name: "two ports with one target",
      ports: [
        { name: "a", port: 80, targetPort: 8080 },
        { name: "b", port: 81, targetPort: 8080 },
      ],
      want: [{ name: "a", containerPort: 8080, protocol: "TCP" }],
    },
    {
      name: "a name that a container may not have",
      ports: [{ name: "a-name-longer-than-fifteen", port: 80 }],
      want: [{ containerPort: 80, protocol: "TCP" }],
    },
    {
      name: "a name of fifteen characters",
      ports: [{ name: "fifteen-letters", port: 80 }],
      want: [{ name: "fifteen-letters", containerPort: 80, protocol: "TCP" }],
    },
    ...["-web", "web-", "We", "123", "a_b"].map((name) => ({
      name: `${name} is no name in a container`,
      ports: [{ name, port: 80 }],
      want: [{ containerPort: 80, protocol: "TCP" }],
    })),
    {
      name: "a name with several dashes",
      ports: [{ name: "a-bcd-ef", port: 80 }],
      want: [{ name: "a-bcd-ef", containerPort: 80, protocol: "TCP" }],
    },
    {
      name: "a number for each protocol",
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53 },
      ],
      want: [
        { name: "dns", containerPort: 53, protocol: "UDP" },
        { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
      ],
    },
    {
      name: "one name for one number",
      ports: [
        { name: "a", port: 80 },
        { name: "a", port: 81 },
      ],
      want: [
        { name: "a", containerPort: 80, protocol: "TCP" },
        { containerPort: 81, protocol: "TCP" },
      ],
    },
    {
      name: "a name that was taken away may be another's",
      ports: [
        { name: "web", port: 80 },
        { name: "b", port: 80, targetPort: "http" },
        { name: "c", port: 81, targetPort: "web" },
      ],
      want: [
        { name: "http", containerPort: 80, protocol: "TCP" },
        { name: "web", containerPort: 81, protocol: "TCP" },
      ],
    },
    { name: "none without a number", ports: [{ name: "a" }, { name: "b", targetPort: "x" }], want: undefined },
    {
      name: "a named target on a number that has a name",
      ports: [
        { name: "a", port: 80, targetPort: 8080 },
        { name: "b", port: 8080, targetPort: "web" },
      ],
      want: [{ name: "web", containerPort: 8080, protocol: "TCP" }],
    },
  ])("container ports: $name", ({ ports, want }) =>
    expect(container({ image: "i", ports })["ports"]).toStrictEqual(want),
  );
});
