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

  test.each<{ name: string; ports: object[]; ingress: object; want: unknown }>([
    {
      name: "the first TCP port unless it says another",
      ports: [{ port: 53, protocol: "UDP" }, { port: 80 }, { port: 81, protocol: "TCP" }],
      ingress: {},
      want: { number: 80 },
    },
    { name: "a port by its number", ports: [{ port: 80 }, { port: 81 }], ingress: { port: 81 }, want: { number: 81 } },
    {
      name: "a port by its name",
      ports: [{ port: 80 }, { name: "web", port: 81 }],
      ingress: { port: "web" },
      want: { name: "web" },
    },
  ])("an Ingress leads to $name", ({ ports, ingress, want }) => {
    const rendered = demoApplicationKind.render(app({ image: "i", ports, ingress: { host: "a.com", ...ingress } }));
    expect(rendered[2]?.["spec"]).toEqual({
      rules: [
        {
          host: "a.com",
          http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: want } } }] },
        },
      ],
    });
  });

  test.each([
    { name: "no ports", ports: [] },
    { name: "no TCP port", ports: [{ port: 53, protocol: "UDP" }] },
  ])("nothing leads to an application with $name, whatever was let through", ({ ports }) => {
    const rendered = demoApplicationKind.render(app({ image: "i", ports, ingress: { host: "a.com" } }));
    expect(rendered.map(({ kind }) => kind)).not.toContain("Ingress");
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

  test("an application without a namespace has objects without one", () => {
    const [deployment] = demoApplicationKind.render(app({ image: "i" }, { namespace: undefined }));
    expect(deployment?.metadata).toStrictEqual({ name: "web", labels });
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
  expect(found({ ingress: { host: "a.com" } })).toEqual([]);
});

describe("dependencies that are named twice", () => {
  const secret = (optional: boolean) => ({ name: "s", key: "k", optional });
  const optionalOf = (...optional: boolean[]) =>
    demoApplicationKind
      .dependencies(app({ env: optional.map((one) => ({ name: "A", valueFrom: { secretKeyRef: secret(one) } })) }))
      .map((dependency) => dependency.optional);

  test("are optional only when they are so each time", () => {
    expect(optionalOf(true, true)).toEqual([true]);
    expect(optionalOf(true, false)).toEqual([false]);
    expect(optionalOf(false, true)).toEqual([false]);
  });

  test("are read by pods when they are so once, whichever comes first", () => {
    const volume = { name: "v", secret: { secretName: "s" } };
    const found = demoApplicationKind.dependencies(app({ imagePullSecrets: [{ name: "s" }], volumes: [volume] }));
    expect(found.map(({ readByPods }) => readByPods)).toEqual([true]);
  });
});

test("a Secret may have the name of the ConfigMap that every namespace has, and a volume names its ConfigMap", () => {
  const found = demoApplicationKind.dependencies(
    app(
      {
        env: [{ name: "A", valueFrom: { secretKeyRef: { name: "kube-root-ca.crt", key: "k" } } }],
        volumes: [
          { name: "c", configMap: { name: "cm", optional: true } },
          { name: "d", configMap: {} },
        ],
      },
      { namespace: undefined },
    ),
  );
  expect(found).toStrictEqual([
    { ref: { apiVersion: "v1", kind: "ConfigMap", name: "cm" }, optional: true, readByPods: true },
    { ref: { apiVersion: "v1", kind: "Secret", name: "kube-root-ca.crt" }, optional: false, readByPods: true },
  ]);
});

test("what is no number of replicas is the default", () => {
  expect(demoApplicationKind.replicas(app({ replica: Number.NaN }))).toBe(1);
  expect(demoApplicationKind.replicas(app({ replica: "3" }))).toBe(1);
});

test("replicas default to one", () => {
  expect(demoApplicationKind.replicas(app({ image: "i" }))).toBe(1);
  expect(demoApplicationKind.replicas(app({ image: "i", replica: 0 }))).toBe(0);
  expect(demoApplicationKind.podSelector(app({}))).toBe("app=web");
});
