import { describe, expect, test } from "vitest";
import { demoApplicationKind } from "./demoapplication.ts";
import { app } from "./testing.ts";

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
