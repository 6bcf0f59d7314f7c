import fc from "fast-check";
import type { Writable } from "./randomWrites.ts";

/** What random writers want of four kinds: few names and values, so that they meet. */

const few = (...values: unknown[]) => fc.constantFrom(...values);
const oneOf = (...values: Record<string, unknown>[]) => fc.constantFrom(...values);
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) => fc.record(fields, { requiredKeys: [] });
/** Up to so many entries with different keys, in any order. */
const keyed = (key: string, keys: unknown[], entry: Record<string, fc.Arbitrary<unknown>>, maxLength = 3) =>
  fc.uniqueArray(fc.record({ [key]: few(...keys), ...entry }, { requiredKeys: [key] }), {
    maxLength,
    selector: (item) => (item as Record<string, unknown>)[key],
  });

const metadata = some({
  labels: some({ a: few("1", "2"), b: few("1", "2") }),
  annotations: some({ "example.com/c": few("1", "2"), d: few("1") }),
  finalizers: fc.uniqueArray(few("example.com/e", "example.com/f"), { minLength: 1, maxLength: 2 }),
});

const configMaps: Writable = {
  resource: "configmaps",
  base: {},
  wishes: some({
    metadata,
    data: some({ x: few("1", "2"), y: few("1", "2"), z: few("1", "2") }),
    binaryData: some({ w: few("YQ==", "Yg==") }),
  }),
  operations: fc.oneof(
    fc.record({
      op: few("add", "replace", "remove"),
      path: few("/data/x", "/data/y", "/metadata/labels/a", "/data"),
      value: few("1", "2"),
    }),
    fc.record({
      op: few("add"),
      path: few("/data", "/metadata/labels"),
      value: some({ x: few("1", "2"), q: few("1") }),
    }),
  ),
  directives: some({
    data: few({ $patch: "delete" }, { $patch: "replace", y: "3" }, { x: null }),
    metadata: few({ "$deleteFromPrimitiveList/finalizers": ["example.com/e"] }, { labels: { $patch: "delete" } }),
  }),
};

const port = { name: few("http", "https"), protocol: few("TCP", "UDP"), targetPort: few(80, "web") };
const services: Writable = {
  resource: "services",
  base: { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } },
  wishes: some({
    metadata,
    spec: some({
      ports: keyed("port", [80, 81, 443], port),
      selector: some({ app: few("web", "db"), tier: few("x") }),
      sessionAffinity: few("ClientIP", "None"),
      publishNotReadyAddresses: few(true),
      internalTrafficPolicy: few("Local", "Cluster"),
    }),
  }),
  operations: fc.record({
    op: few("add", "replace", "remove"),
    path: few("/spec/ports/0", "/spec/ports/1", "/spec/ports/-", "/spec/selector/tier", "/spec/sessionAffinity"),
    value: few({ port: 82, name: "new" }, { port: 80 }, "ClientIP"),
  }),
  directives: some({
    spec: some({
      ports: few([{ port: 80, $patch: "delete" }], [{ port: 443, name: "tls" }, { $patch: "replace" }]),
      "$setElementOrder/ports": few([{ port: 443 }, { port: 80 }]),
      selector: few({ $patch: "replace", app: "other" }, null),
    }),
  }),
  statuses: some({
    conditions: fc.array(
      few({ type: "Ready", status: "True", reason: "R", message: "", lastTransitionTime: "2020-01-01T00:00:00Z" }),
      { maxLength: 1 },
    ),
  }),
};

const container = {
  image: few("nginx:1", "nginx:2", "nginx"),
  args: few(["a"], ["a", "b"], []),
  env: keyed("name", ["A", "B", "C"], { value: few("1", "2") }),
  ports: keyed("containerPort", [80, 81], { name: few("http"), protocol: few("TCP", "UDP") }, 2),
  resources: some({ limits: some({ cpu: few("1", "500m", 0.5), memory: few("1Gi", "1024Mi") }) }),
  volumeMounts: keyed("mountPath", ["/a", "/b"], { name: few("tmp"), readOnly: few(true) }, 2),
};
const template = (spec: object) => ({ spec: { template: { spec } } });
const deployments: Writable = {
  resource: "deployments",
  base: {
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "app", image: "nginx:1" }], volumes: [{ name: "tmp", emptyDir: {} }] },
      },
    },
  },
  wishes: some({
    metadata,
    spec: some({
      replicas: few(0, 1, 2),
      paused: few(true, false),
      minReadySeconds: few(0, 5),
      strategy: few(
        { type: "Recreate" },
        { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
        { rollingUpdate: { maxUnavailable: "50%" } },
      ),
      template: some({
        metadata: some({
          labels: some({ app: few("web"), v: few("1", "2") }),
          annotations: some({ r: few("1", "2") }),
        }),
        spec: some({
          containers: keyed("name", ["app", "sidecar"], container, 2),
          volumes: keyed("name", ["tmp", "conf"], { emptyDir: few({}) }, 2),
          nodeSelector: some({ zone: few("a", "b") }),
          tolerations: fc.array(few({ key: "a", operator: "Exists" }, { key: "b", operator: "Exists" }), {
            maxLength: 2,
          }),
          serviceAccountName: few("one", "two"),
          terminationGracePeriodSeconds: few(0, 30),
        }),
      }),
    }),
  }),
  operations: fc.oneof(
    fc.record({
      op: few("add", "replace", "remove"),
      path: few(
        "/spec/replicas",
        "/spec/paused",
        "/spec/template/spec/containers/1",
        "/spec/template/spec/containers/0/env/0",
        "/spec/template/spec/containers/0/args",
      ),
      value: few(1, 2),
    }),
    fc.record({
      op: few("add"),
      path: few("/spec/template/spec/containers/-", "/spec/template/spec/containers/0"),
      value: few({ name: "sidecar", image: "envoy" }, { name: "third", image: "third" }),
    }),
    fc.record({
      op: few("replace", "test"),
      path: few("/spec/template/spec/containers/0/image"),
      value: few("nginx:1", "nginx:2"),
    }),
  ),
  directives: fc.oneof(
    oneOf(
      template({ containers: [{ name: "sidecar", $patch: "delete" }] }),
      template({ containers: [{ name: "only", image: "only" }, { $patch: "replace" }] }),
      template({ "$setElementOrder/containers": [{ name: "sidecar" }, { name: "app" }] }),
      template({ volumes: [{ name: "tmp", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] }),
      template({ containers: [{ name: "app", env: [{ name: "A", $patch: "delete" }] }] }),
      { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
      { spec: { strategy: { $patch: "delete" } } },
    ),
  ),
  statuses: some({
    replicas: few(2, 3),
    readyReplicas: few(1, 2),
    observedGeneration: few(1),
    conditions: keyed("type", ["Available", "Progressing"], { status: few("True", "False") }, 2),
  }),
};

const widgets: Writable = {
  resource: "widgets",
  base: { spec: {} },
  wishes: some({
    metadata,
    spec: some({
      size: few(1, 2, 200),
      color: few("red", "green", "pink"),
      note: few("x", null),
      tags: fc.uniqueArray(few("a", "b", "c"), { maxLength: 3 }),
      args: few(["a"], ["a", "b"], []),
      plain: few([{ x: 1 }], [{ x: 1 }, { x: 2 }]),
      parts: keyed("name", ["a", "b", "c"], {
        count: few(1, 2),
        note: few("n", "m"),
        labels: some({ p: few("1", "2"), q: few("1") }),
        steps: few(["s"], ["s", "t"]),
      }),
      endpoints: keyed("port", [80, 81], { protocol: few("TCP", "UDP"), path: few("/", "/x") }),
      limits: some({ cpu: few(1, "1"), memory: few("1Gi") }),
      selector: some({ a: few("1", "2"), b: few("1") }),
      extra: some({ a: some({ b: few(1, 2), c: few([1], [1, 2]) }), d: few("x", true) }),
      nested: some({ mode: few("auto", "manual"), deep: some({ level: few(1, 2), label: few("x") }) }),
      low: few(1, 5),
      high: few(3, 9),
    }),
  }),
  operations: fc.oneof(
    fc.record({
      op: few("add", "replace", "remove"),
      path: few("/spec/size", "/spec/tags/0", "/spec/tags/-", "/spec/parts/0/note", "/spec/extra/a"),
      value: few(1, 3, "b", "c"),
    }),
    fc.record({
      op: few("add", "replace", "remove"),
      path: few("/spec/parts/0", "/spec/parts/-", "/spec/nested"),
      value: few({ name: "c", count: 7 }, { name: "d" }, {}),
    }),
  ),
  statuses: some({
    phase: few("A", "B"),
    replicas: few(1, 2),
    conditions: keyed("type", ["Ready", "Synced"], { status: few("True", "False"), reason: few("R", "S") }, 2),
  }),
};

export const writables: readonly Writable[] = [configMaps, services, deployments, widgets];
