import { fc } from "@fast-check/vitest";
import { CONVERSION_ANNOTATION, type KubeObject } from "../index.ts";

/**
 * Random DemoApplications that the schema accepts, every field of it used. JSON-safe: what JSON cannot say never comes
 * in a request.
 */

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);
const key = fc.constantFrom("a", "tier", "example.com/owner", "paas.cmft.com/other", "constructor");
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const quantity = fc.constantFrom<string | number>("1", "200m", "64Mi", 3);

function record(fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []): fc.Arbitrary<unknown> {
  return fc.record(fields, { requiredKeys });
}

/** A list-map: no two entries of the same key. */
function listMap(entry: fc.Arbitrary<unknown>, ...keys: string[]): fc.Arbitrary<unknown[]> {
  const keyOf = (value: unknown): string =>
    JSON.stringify(keys.map((field) => (value as Record<string, unknown>)[field]));
  return fc.uniqueArray(entry, { selector: keyOf, maxLength: 3 });
}

const port = record(
  {
    port: fc.integer({ min: 1, max: 65_535 }),
    protocol: fc.constantFrom("TCP", "UDP", "SCTP"),
    targetPort: fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom("http", "web")),
    appProtocol: fc.constantFrom("http", "kubernetes.io/h2c"),
  },
  ["port", "protocol"],
);

const reference = record({ name, optional: fc.boolean() }, ["name"]);
const keyReference = record({ name, key: fc.constantFrom("user", "tls.crt"), optional: fc.boolean() }, ["name", "key"]);

const variable = fc
  .tuple(
    name,
    fc.oneof(
      record({ value: text }, ["value"]),
      fc
        .oneof(
          record({ configMapKeyRef: keyReference }, ["configMapKeyRef"]),
          record({ secretKeyRef: keyReference }, ["secretKeyRef"]),
          fc.constant({ fieldRef: { fieldPath: "metadata.name" } }),
        )
        .map((valueFrom) => ({ valueFrom })),
      fc.constant({}),
    ),
  )
  .map(([own, rest]) => ({ name: own, ...(rest as object) }));

const probe = fc.oneof(
  record(
    {
      httpGet: record({ port: fc.constantFrom<string | number>(8080, "http"), path: fc.constant("/ready") }, ["port"]),
    },
    ["httpGet"],
  ),
  record({ tcpSocket: fc.constant({ port: 5432 }), periodSeconds: fc.integer({ min: 1, max: 60 }) }, ["tcpSocket"]),
  record({ exec: fc.constant({ command: ["true"] }), failureThreshold: fc.integer({ min: 1, max: 9 }) }, ["exec"]),
);

const volumeSource = fc.oneof(
  fc.constant({ emptyDir: {} }),
  record({ configMap: fc.constant({ name: "settings", items: [{ key: "a", path: "b/c" }] }) }, ["configMap"]),
  record({ secret: fc.constant({ secretName: "keys", defaultMode: 256 }) }, ["secret"]),
);

const volumes = listMap(
  fc.tuple(name, volumeSource).map(([own, source]) => ({ name: own, ...(source as object) })),
  "name",
);

const additions = record({
  command: fc.array(text, { maxLength: 3 }),
  args: fc.array(text, { maxLength: 3 }),
  serviceType: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
  env: listMap(variable, "name"),
  envFrom: fc.array(
    fc.oneof(
      record({ configMapRef: reference, prefix: text }, ["configMapRef"]),
      record({ secretRef: reference }, ["secretRef"]),
    ),
    { maxLength: 2 },
  ),
  resources: record({
    requests: fc.dictionary(name, quantity, { maxKeys: 2, noNullPrototype: true }),
  }),
  livenessProbe: probe,
  readinessProbe: probe,
  imagePullSecrets: listMap(record({ name }, ["name"]), "name"),
});

const ingress = record(
  {
    host: fc.constantFrom("shop.example.com", "*.example.com"),
    path: fc.constantFrom("/", "/shop"),
    pathType: fc.constantFrom("Prefix", "Exact"),
    tlsSecretName: name,
    className: name,
  },
  ["host", "path", "pathType"],
);

const basics = record(
  {
    image: fc.constantFrom("nginx", "nginx:1.27", "registry.example.com:5000/team/web@sha256:" + "0".repeat(64)),
    replica: fc.integer({ min: 0, max: 1000 }),
    ports: listMap(port, "port", "protocol"),
  },
  ["image", "replica"],
);

const annotationsWith = (own: fc.Arbitrary<string>): fc.Arbitrary<Record<string, string>> =>
  fc.dictionary(own, text, { minKeys: 1, maxKeys: 3, noNullPrototype: true });

function metadata(annotationKey: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return record(
    {
      name,
      namespace: name,
      uid: fc.uuid(),
      resourceVersion: fc.nat().map(String),
      generation: fc.nat(),
      labels: fc.dictionary(key, name, { maxKeys: 2, noNullPrototype: true }),
      annotations: annotationsWith(annotationKey),
      finalizers: fc.array(fc.constant("example.com/mine"), { maxLength: 1 }),
    },
    ["name"],
  );
}

const status = record({
  observedGeneration: fc.nat(),
  availableClusters: fc.constantFrom("0/1", "2/2"),
  replicas: fc.constant({ desired: 1, updated: 1, ready: 1, available: 1 }),
});

/** In v1; some have the conversion's annotation themselves, with anything in it. */
export function anyApplication(): fc.Arbitrary<KubeObject> {
  const parts = fc.tuple(basics, additions, volumes, fc.boolean(), fc.option(ingress));
  const whole = parts.map(([basic, more, given, mounted, way]) => {
    const mounts = (given as { name: string }[]).map((one) => ({ name: one.name, mountPath: `/data/${one.name}` }));
    const { ports = [] } = basic as { ports?: { protocol?: string }[] };
    const leads = way !== null && ports.some(({ protocol = "TCP" }) => protocol === "TCP");
    return {
      ...(basic as object),
      ...(more as object),
      ...(leads ? { ingress: way } : {}),
      ...(given.length === 0 ? {} : { volumes: given }),
      ...(mounted && mounts.length > 0 ? { volumeMounts: mounts } : {}),
    };
  });
  const meta = metadata(fc.oneof(key, fc.constant(CONVERSION_ANNOTATION)));
  return fc
    .record({ meta, spec: whole, status: fc.option(status, { nil: undefined }) })
    .map(({ meta: own, spec, status: seen }) => ({
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: own as KubeObject["metadata"],
      spec,
      ...(seen === undefined ? {} : { status: seen }),
    }));
}
