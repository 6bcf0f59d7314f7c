import { describe, expect, test } from "vitest";
import { demoApplicationKind } from "./demoapplication.ts";
import { app, container, labels } from "../testing/demoApplication.ts";

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

  test("an application that asks for a way in becomes an Ingress too", () => {
    const [, , ingress, ...more] = demoApplicationKind.render(
      app(
        {
          replica: 1,
          image: "i",
          ports: [{ port: 80 }],
          ingress: {
            host: "shop.example.com",
            path: "/",
            pathType: "Prefix",
            tlsSecretName: "shop-tls",
            className: "nginx",
          },
        },
        { labels: { team: "shop" }, annotations: { "cert-manager.io/issuer": "letsencrypt" } },
      ),
    );
    expect(more).toEqual([]);
    expect(ingress).toEqual({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: {
        name: "web",
        namespace: "default",
        labels: { team: "shop", app: "web" },
        annotations: { "cert-manager.io/issuer": "letsencrypt" },
      },
      spec: {
        ingressClassName: "nginx",
        tls: [{ hosts: ["shop.example.com"], secretName: "shop-tls" }],
        rules: [
          {
            host: "shop.example.com",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
            },
          },
        ],
      },
    });
  });

  test.each([{ name: "no ports", ports: [] }])(
    "nothing leads to an application with $name, whatever was let through",
    ({ ports }) => {
      const rendered = demoApplicationKind.render(app({ image: "i", ports, ingress: { host: "a.com" } }));
      expect(rendered.map(({ kind }) => kind)).not.toContain("Ingress");
    },
  );

  test("what a container has under the same name is passed on as it is", () => {
    const fields = {
      image: "i",
      command: ["run"],
      args: ["-v"],
      env: [{ name: "A", value: "1" }],
      envFrom: [{ secretRef: { name: "s" } }],
      resources: { limits: { cpu: "1" } },
      livenessProbe: { tcpSocket: { port: 80 } },
      readinessProbe: { tcpSocket: { port: 80 } },
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    };
    expect(container({ ...fields, replica: 1 })).toStrictEqual({ name: "web", ...fields });
    const [deployment] = demoApplicationKind.render(app({ image: "i", imagePullSecrets: [{ name: "p" }] }));
    expect(deployment).toHaveProperty("spec.template.spec.imagePullSecrets", [{ name: "p" }]);
  });

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

test("the certificate of the ingress goes along, and restarts no pod", () => {
  const ingress = { host: "a.com", tlsSecretName: "tls" };
  const found = (more: object) =>
    demoApplicationKind.dependencies(app({ ports: [{ port: 80 }], ingress, ...more })).map(({ ref, ...rest }) => ({
      name: ref.name,
      ...rest,
    }));
  expect(found({})).toEqual([{ name: "tls", optional: false, readByPods: false }]);
  expect(found({ imagePullSecrets: [{ name: "pull" }] })).toEqual([
    { name: "pull", optional: false, readByPods: false },
    { name: "tls", optional: false, readByPods: false },
  ]);
  expect(found({ envFrom: [{ secretRef: { name: "tls", optional: true } }] })).toEqual([
    { name: "tls", optional: false, readByPods: true },
  ]);
  expect(found({ ingress: { host: "a.com" }, volumes: [{ name: "v", secret: { secretName: "s" } }] })).toEqual([
    { name: "s", optional: false, readByPods: true },
  ]);
});

test("replicas default to one", () => {
  expect(demoApplicationKind.replicas(app({ image: "i" }))).toBe(1);
  expect(demoApplicationKind.replicas(app({ image: "i", replica: 0 }))).toBe(0);
  expect(demoApplicationKind.replicas(app({ replica: Number.NaN }))).toBe(1);
  expect(demoApplicationKind.replicas(app({ replica: "3" }))).toBe(1);
  expect(demoApplicationKind.podSelector(app({}))).toBe("app=web");
});

test("an application becomes more than a Deployment and a Service only where it asks for a way in", () => {
  expect(demoApplicationKind.becomesMore?.(app({ image: "i", ports: [{ port: 80 }] }))).toBe(false);
  expect(demoApplicationKind.becomesMore?.(app({ image: "i", ingress: { host: "a.com" } }))).toBe(true);
});

function service(ports: object[], serviceType?: string): unknown {
  return demoApplicationKind.render(
    app({ image: "i", replica: 1, ports, ...(serviceType === undefined ? {} : { serviceType }) }),
  )[1]?.["spec"];
}

describe("render", () => {
  test.each<{ name: string; ports: object[]; type?: string; want: object }>([
    {
      name: "ClusterIP drops node ports",
      type: "ClusterIP",
      ports: [{ port: 80, nodePort: 30002 }],
      want: { type: "ClusterIP", ports: [{ protocol: "TCP", port: 80 }] },
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
    { name: "ClusterIP for a type that is none", type: "Other", ports: [{ port: 80 }], want: { type: "ClusterIP" } },
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
  ])("Service: $name", ({ ports, type, want }) => expect(service(ports, type)).toMatchObject(want));

  test.each<{ name: string; ports: object[]; want: object[] | undefined }>([
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
    ...["web-", "We", "123"].map((name) => ({
      name: `${name} is no name in a container`,
      ports: [{ name, port: 80 }],
      want: [{ containerPort: 80, protocol: "TCP" }],
    })),
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
