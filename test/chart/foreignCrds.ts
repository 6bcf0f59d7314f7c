import type { KubeObject } from "../../src/apis/index.ts";

/**
 * CRDs of the Prometheus operator and of cert-manager, with as much of their published schemas as the chart writes: a field that is
 * misspelled or of the wrong type is refused, as the real ones would.
 */
type Schema = Record<string, unknown>;

const text: Schema = { type: "string" };
const labels: Schema = { type: "object", additionalProperties: text };
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
});
const list = (items: Schema): Schema => ({ type: "array", items });
const duration: Schema = {
  type: "string",
  pattern: "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
};

function crd(group: string, version: string, kind: string, spec: Schema): KubeObject {
  const singular = kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, singular, plural: `${singular}s`, listKind: `${kind}List` },
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema: object({ spec }, ["spec"]) } },
      ],
    },
  };
}

const issuerReference = object({ name: text, kind: text, group: text }, ["name"]);

export const FOREIGN_CRDS: readonly KubeObject[] = [
  crd(
    "monitoring.coreos.com",
    "v1",
    "ServiceMonitor",
    object(
      {
        selector: object({ matchLabels: labels }),
        endpoints: list(object({ port: text, path: text, interval: duration, honorLabels: { type: "boolean" } })),
      },
      ["endpoints", "selector"],
    ),
  ),
  crd(
    "monitoring.coreos.com",
    "v1",
    "PrometheusRule",
    object({
      groups: list(
        object(
          {
            name: { type: "string", minLength: 1 },
            interval: duration,
            rules: list(
              object(
                {
                  alert: text,
                  record: text,
                  expr: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
                  for: duration,
                  labels,
                  annotations: labels,
                },
                ["expr"],
              ),
            ),
          },
          ["name"],
        ),
      ),
    }),
  ),
  crd(
    "cert-manager.io",
    "v1",
    "Certificate",
    object(
      {
        secretName: text,
        dnsNames: list(text),
        duration: text,
        renewBefore: text,
        isCA: { type: "boolean" },
        commonName: { type: "string", maxLength: 64 },
        privateKey: object({
          algorithm: { type: "string", enum: ["RSA", "ECDSA", "Ed25519"] },
          size: { type: "integer" },
          rotationPolicy: { type: "string", enum: ["Never", "Always"] },
        }),
        issuerRef: issuerReference,
      },
      ["issuerRef", "secretName"],
    ),
  ),
  crd(
    "cert-manager.io",
    "v1",
    "Issuer",
    object({
      selfSigned: object({ crlDistributionPoints: list(text) }),
      ca: object({ secretName: text }, ["secretName"]),
    }),
  ),
];
