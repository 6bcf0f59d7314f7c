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

test("an application becomes more than a Deployment and a Service only where it asks for a way in", () => {
  expect(demoApplicationKind.becomesMore?.(app({ image: "i", ports: [{ port: 80 }] }))).toBe(false);
  expect(demoApplicationKind.becomesMore?.(app({ image: "i", ingress: { host: "a.com" } }))).toBe(true);
});
