import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { demoApplicationKind } from "./demoapplication.ts";

function app(spec: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "web", namespace: "default", ...metadata },
    spec,
  };
}

function service(ports: object[], serviceType?: string): unknown {
  return demoApplicationKind.render(
    app({ image: "i", replica: 1, ports, ...(serviceType === undefined ? {} : { serviceType }) }),
  )[1]?.["spec"];
}

function container(spec: object): Record<string, unknown> {
  const [deployment] = demoApplicationKind.render(app(spec));
  const podSpec = deployment?.["spec"] as { template: { spec: { containers: Record<string, unknown>[] } } } | undefined;
  return podSpec?.template.spec.containers[0] ?? {};
}

const labels = { app: "web" };

describe("render", () => {
  test("the sample as published", () => {
    const [deployment, svc, ...more] = demoApplicationKind.render(
      app({ replica: 2, image: "nginx:latest", ports: [{ port: 80, targetPort: 80, nodePort: 30002 }] }),
    );
    expect(more).toEqual([]);
    expect(deployment).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default", labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: "web", image: "nginx:latest", ports: [{ containerPort: 80, protocol: "TCP" }] }],
          },
        },
      },
    });
    expect(svc).toEqual({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "default", labels },
      spec: {
        type: "NodePort",
        selector: labels,
        ports: [{ protocol: "TCP", port: 80, targetPort: 80, nodePort: 30002 }],
      },
    });
  });

  test("no ports, no Service", () => {
    expect(demoApplicationKind.render(app({ image: "i", replica: 1 }))).toHaveLength(1);
    expect(demoApplicationKind.render(app({ image: "i", replica: 1, ports: [] }))).toHaveLength(1);
  });

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
  ])("Service: $name", ({ ports, type, want }) => expect(service(ports, type)).toMatchObject(want));

  test.each<{ name: string; ports: object[]; want: object[] }>([
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
      name: "a named target on a number that has a name",
      ports: [
        { name: "a", port: 80, targetPort: 8080 },
        { name: "b", port: 8080, targetPort: "web" },
      ],
      want: [{ name: "web", containerPort: 8080, protocol: "TCP" }],
    },
  ])("container ports: $name", ({ ports, want }) => expect(container({ image: "i", ports })["ports"]).toEqual(want));

  test("what a server would drop is not there to begin with", () => {
    const spec = {
      image: "i",
      replica: 1,
      command: [],
      env: [
        { name: "A", value: "", valueFrom: null },
        { name: "B", value: "b" },
      ],
      envFrom: undefined,
      resources: {},
      livenessProbe: { exec: { command: [] } },
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "c", configMap: { name: "x", items: [] } },
      ],
    };
    const [deployment] = demoApplicationKind.render(app(spec));
    expect(deployment).toHaveProperty("spec.template.spec", {
      containers: [
        {
          name: "web",
          image: "i",
          env: [
            { name: "A", value: "" },
            { name: "B", value: "b" },
          ],
        },
      ],
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "c", configMap: { name: "x" } },
      ],
    });
  });

  test("the application's labels and annotations travel, without those of the hub's object, and not onto pods", () => {
    const [deployment] = demoApplicationKind.render(
      app(
        { image: "i", replica: 1 },
        {
          labels: { tier: "web", app: "mine", "federation.paas.cmft.com/managed-by": "x" },
          annotations: {
            note: "n",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "paas.cmft.com/v1-fields": "{}",
          },
          finalizers: ["f"],
          uid: "u",
        },
      ),
    );
    expect(deployment?.metadata).toEqual({
      name: "web",
      namespace: "default",
      labels: { tier: "web", app: "web" },
      annotations: { note: "n" },
    });
    expect(deployment).toHaveProperty("spec.template.metadata", { labels });
  });
});

describe("dependencies", () => {
  test("each ConfigMap and Secret once, with what is known of it", () => {
    const found = demoApplicationKind.dependencies(
      app({
        image: "i",
        env: [
          { name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } },
          { name: "B", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } },
          { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        envFrom: [{ secretRef: { name: "s" } }, { configMapRef: { name: "o", optional: true } }],
        volumes: [
          { name: "1", secret: { secretName: "vs" } },
          {
            name: "2",
            projected: {
              sources: [
                { configMap: { name: "pc" } },
                { secret: { name: "ps" } },
                { configMap: { name: "kube-root-ca.crt" } },
              ],
            },
          },
          { name: "3", emptyDir: {} },
        ],
        imagePullSecrets: [{ name: "pull" }, { name: "vs" }],
      }),
    );
    expect(
      found.map(
        ({ ref, optional, readByPods }) => `${ref.kind}/${ref.namespace}/${ref.name} ${optional} ${readByPods}`,
      ),
    ).toEqual([
      "ConfigMap/default/c false true",
      "ConfigMap/default/o true true",
      "ConfigMap/default/pc false true",
      "Secret/default/ps false true",
      "Secret/default/pull false false",
      "Secret/default/s false true",
      "Secret/default/vs false true",
    ]);
  });
});

test("replicas default to one", () => {
  expect(demoApplicationKind.replicas(app({ image: "i" }))).toBe(1);
  expect(demoApplicationKind.replicas(app({ image: "i", replica: 0 }))).toBe(0);
  expect(demoApplicationKind.podSelector(app({}))).toBe("app=web");
});
