import { writeFile } from "node:fs/promises";
import type { Step } from "../../src/sandbox/fields/testing/replay.ts";
import { gadgetCrd } from "../../src/sandbox/fields/testing/gadget.ts";
import type { Json } from "../../src/sandbox/types.ts";
import { eventually, startControlPlane } from "../envtest/index.ts";

/**
 * Writes src/sandbox/fields/testdata/answers.ndjson: what a real API server makes of sequences of writes by several field managers. Run it after a change of
 * the server's version: `node test/conformance/recordFields.ts`.
 */

type Request = Omit<Step, "status" | "answer">;

const CONTENT_TYPES: Record<Step["write"], string> = {
  apply: "application/apply-patch+yaml",
  force: "application/apply-patch+yaml",
  create: "application/json",
  replace: "application/json",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

type Write = [
  name: string,
  write: Step["write"],
  manager: string,
  body: Json,
  subresource?: string | undefined,
  version?: string,
];

function sequence(resource: string, ...writes: Write[]): Request[] {
  return writes.map(([name, write, manager, body, subresource, version]) => ({
    name,
    resource: version === undefined ? resource : `${version}/${resource.slice(resource.lastIndexOf("/") + 1)}`,
    ...(subresource === undefined ? {} : { subresource }),
    write,
    manager,
    body,
  }));
}

const configMap = (data: Json | undefined, metadata: Record<string, Json> = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "sample", ...metadata },
  ...(data === undefined ? {} : { data }),
});

const configMaps = sequence(
  "v1/configmaps",
  [
    "an apply creates",
    "apply",
    "one",
    configMap({ x: "1", y: "2" }, { labels: { app: "a" }, annotations: { n: "1" } }),
  ],
  ["a second manager agrees with a part", "apply", "two", configMap({ x: "1" })],
  ["the same once more", "apply", "two", configMap({ x: "1" })],
  ["a conflict of two fields", "apply", "two", configMap({ x: "9", y: "9" })],
  ["force takes them over", "force", "two", configMap({ x: "9", y: "9" })],
  ["a dropped field that somebody else holds stays", "apply", "one", configMap({ z: "3" }, { labels: { app: "a" } })],
  ["a merge patch takes what it changes", "merge", "three", { data: { y: "8", w: null, q: "4" } }],
  ["a field dropped by its only owner goes", "apply", "one", configMap({}, { labels: { app: "a" } })],
  ["a conflict with an updater", "apply", "one", configMap({ y: "7" }, { labels: { app: "a" } })],
  ["an apply of nothing gives up all", "apply", "one", configMap(undefined)],
  ["a JSON patch", "json", "four", [{ op: "add", path: "/metadata/labels", value: { tier: "x" } }]],
  ["a replace", "replace", "five", configMap({ x: "9", only: "1" })],
  ["null in a configuration", "apply", "one", configMap({ x: null, a: "1" })],
  ["finalizers are a set", "apply", "one", configMap({ a: "1" }, { finalizers: ["x.example.com/one"] })],
  ["two managers of a set", "apply", "two", configMap({ x: "9" }, { finalizers: ["x.example.com/two"] })],
  ["one leaves the set", "apply", "one", configMap({ a: "1" })],
  ["an unknown field", "apply", "one", { ...(configMap({}) as object), spec: { a: 1 } }],
  ["a wrong type", "apply", "one", configMap({ a: 1 })],
  ["another kind", "apply", "one", { apiVersion: "v1", kind: "Secret", metadata: { name: "sample" } }],
  ["managedFields in a configuration", "apply", "one", configMap({}, { managedFields: [] })],
  ["an empty list resets all", "merge", "six", { metadata: { managedFields: [] } }],
  ["what is not tracked stays so", "merge", "six", { data: { m: "1" } }],
  ["the first apply after that", "apply", "one", configMap({ m: "1", n: "2" })],
  [
    "managedFields of a submission count",
    "merge",
    "seven",
    {
      data: { r: "1" },
      metadata: {
        managedFields: [
          {
            manager: "given",
            operation: "Apply",
            apiVersion: "v1",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:data": { "f:m": {} } },
          },
        ],
      },
    },
  ],
  [
    "broken ones do not",
    "merge",
    "seven",
    { data: { r: "2" }, metadata: { managedFields: [{ manager: "x", operation: "Nothing" }] } },
  ],
  ...Array.from({ length: 12 }, (_, i): Write => [`updater ${i}`, "merge", `u${i}`, { data: { [`k${i}`]: "1" } }]),
);

const lastApplied = (data: Json): Record<string, Json> => ({
  annotations: {
    "kubectl.kubernetes.io/last-applied-configuration": `${JSON.stringify(configMap(data, { namespace: "default" }))}\n`,
  },
});

const fromClientSide = sequence(
  "v1/configmaps",
  [
    "kubectl apply",
    "create",
    "kubectl-client-side-apply",
    configMap({ a: "1", b: "<2>" }, lastApplied({ a: "1", b: "<2>" })),
  ],
  ["kubectl apply --server-side takes over", "apply", "kubectl", configMap({ a: "1", b: "5" })],
  ["another manager may not", "apply", "other", configMap({ a: "7" })],
  ["a field that differs from the annotation", "merge", "editor", { data: { a: "4" } }],
  ["is in conflict", "apply", "kubectl", configMap({ a: "6", b: "5" })],
);

const container = (more: Record<string, Json> = {}): Json => ({ name: "web", image: "nginx:1", ...more });
const deployment = (spec: Record<string, Json>, containers: Json[], metadata: Record<string, Json> = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "sample", ...metadata },
  spec: {
    ...spec,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers } },
  },
});
const env = (...names: string[]): Json => names.map((name) => ({ name, value: name }));

const deployments = sequence(
  "apps/v1/deployments",
  [
    "a create",
    "create",
    "kubectl-create",
    deployment({ replicas: 1 }, [container({ ports: [{ containerPort: 80 }], resources: { limits: { cpu: "1" } } })]),
  ],
  ["an apply over it", "apply", "one", deployment({ replicas: 1 }, [container({ env: env("A", "B", "C") })])],
  [
    "a port with a default key",
    "apply",
    "one",
    deployment({}, [
      container({ env: env("A", "C"), ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP" }] }),
    ]),
  ],
  ["scaled by a patch", "merge", "kubectl-patch", { spec: { replicas: 3 } }],
  [
    "set image",
    "strategic",
    "kubectl-set",
    { spec: { template: { spec: { containers: [{ name: "web", image: "nginx:2" }] } } } },
  ],
  ["which is a conflict", "apply", "one", deployment({ replicas: 2 }, [container({ env: env("A", "C") })])],
  ["forced", "force", "one", deployment({ replicas: 2 }, [container({ env: env("C", "A", "D") })])],
  [
    "quantities that are not canonical",
    "apply",
    "one",
    deployment({ replicas: 2 }, [container({ resources: { requests: { cpu: 0.5, memory: "1024Mi" } } })]),
  ],
  [
    "once more",
    "apply",
    "one",
    deployment({ replicas: 2 }, [container({ resources: { requests: { cpu: 0.5, memory: "1024Mi" } } })]),
  ],
  [
    "a second container by another manager",
    "apply",
    "two",
    deployment({}, [{ name: "side", image: "busybox", env: env("S") }]),
  ],
  [
    "an env removed by a JSON patch",
    "json",
    "editor",
    [{ op: "remove", path: "/spec/template/spec/containers/1/resources" }],
  ],
  [
    "resources dropped and a container added",
    "force",
    "one",
    deployment({ replicas: 2, strategy: { rollingUpdate: { maxSurge: 1 } } }, [
      container(),
      { name: "other", image: "x" },
    ]),
  ],
  [
    "a status",
    "merge",
    "controller",
    { status: { replicas: 1, conditions: [{ type: "Available", status: "True", reason: "r", message: "m" }] } },
    "status",
  ],
  [
    "an applied status",
    "apply",
    "one",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "sample", labels: { ignored: "x" } },
      status: { readyReplicas: 1, conditions: [{ type: "Progressing", status: "True", reason: "r", message: "m" }] },
    },
    "status",
  ],
  [
    "a status in the object itself",
    "merge",
    "cheat",
    { status: { replicas: 9 }, metadata: { annotations: { a: "1" } } },
  ],
  ["duplicates", "apply", "one", deployment({}, [container(), container()])],
);

const service = (ports: Json[], spec: Record<string, Json> = {}): Json => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "sample" },
  spec: { ...spec, ports },
});

const services = sequence(
  "v1/services",
  ["a create", "create", "kubectl", service([{ port: 80, name: "http" }], { selector: { app: "web" } })],
  [
    "an apply",
    "apply",
    "one",
    service(
      [
        { port: 80, name: "http", targetPort: "web" },
        { port: 443, name: "https" },
      ],
      { selector: { app: "web" } },
    ),
  ],
  [
    "forced",
    "force",
    "one",
    service(
      [
        { port: 80, name: "http", targetPort: "web" },
        { port: 443, name: "https" },
      ],
      { selector: { app: "web" } },
    ),
  ],
  ["the same port with another protocol", "apply", "two", service([{ port: 80, protocol: "UDP", name: "quic" }])],
  ["a port dropped", "apply", "one", service([{ port: 443, name: "https" }], { selector: { app: "web" } })],
  [
    "a selector is one leaf",
    "apply",
    "two",
    service([{ port: 80, protocol: "UDP", name: "quic" }], { selector: { app: "other" } }),
  ],
  [
    "a strategic merge patch",
    "strategic",
    "editor",
    { spec: { ports: [{ port: 443, targetPort: 8443 }], type: "NodePort" } },
  ],
  [
    "an applied node port",
    "force",
    "one",
    service([{ port: 443, name: "https", nodePort: 30443 }], { type: "NodePort" }),
  ],
);

const pods = sequence(
  "v1/pods",
  [
    "a create",
    "create",
    "kubectl",
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "sample", labels: { a: "b" } },
      spec: { automountServiceAccountToken: false, containers: [container({ env: env("A") })] },
    },
  ],
  [
    "a status by the kubelet",
    "strategic",
    "kubelet",
    {
      status: {
        conditions: [
          { type: "Ready", status: "False" },
          { type: "Initialized", status: "True" },
        ],
        phase: "Pending",
        podIPs: [{ ip: "10.0.0.1" }],
        podIP: "10.0.0.1",
      },
    },
    "status",
  ],
  [
    "a condition changes",
    "strategic",
    "kubelet",
    { status: { conditions: [{ type: "Ready", status: "True" }], phase: "Running" } },
    "status",
  ],
  ["labels by another", "merge", "labeler", { metadata: { labels: { c: "d" } } }],
  [
    "an apply of a condition",
    "apply",
    "gate",
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "sample" },
      status: { conditions: [{ type: "x.example.com/gate", status: "True" }] },
    },
    "status",
  ],
  [
    "an image",
    "apply",
    "one",
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "sample", labels: { a: "b" } },
      spec: { containers: [{ name: "web", image: "nginx:2" }] },
    },
  ],
);

const GADGET = "fields.example.com";
const gadget = (spec: Json | undefined, version = "v1", more: Record<string, Json> = {}): Json => ({
  apiVersion: `${GADGET}/${version}`,
  kind: "Gadget",
  metadata: { name: "sample" },
  ...(spec === undefined ? {} : { spec }),
  ...more,
});

const gadgets = sequence(
  `${GADGET}/v1/gadgets`,
  [
    "a create",
    "create",
    "creator",
    gadget({ size: 1, parts: [{ name: "a", note: "x" }], tags: ["t"], selector: { a: "b" }, limits: { cpu: 1 } }),
  ],
  [
    "an apply",
    "apply",
    "one",
    gadget({ parts: [{ name: "b", labels: { x: "1" } }, { name: "a" }], tags: ["u", "t"], args: ["1", "2"] }),
  ],
  [
    "two keys, one with a default",
    "apply",
    "two",
    gadget({ endpoints: [{ port: 80 }, { port: 80, protocol: "UDP", path: "/" }] }),
  ],
  [
    "another version",
    "apply",
    "three",
    gadget({ size: 1, limits: { memory: "1Gi" } }, "v1beta1"),
    undefined,
    `${GADGET}/v1beta1`,
  ],
  [
    "a manager changes its version and drops",
    "apply",
    "one",
    gadget({ parts: [{ name: "a" }], tags: ["t"] }, "v1beta1"),
    undefined,
    `${GADGET}/v1beta1`,
  ],
  ["an update in another version", "merge", "creator", { spec: { size: 2 } }, undefined, `${GADGET}/v1beta1`],
  [
    "unknown fields that are kept",
    "apply",
    "one",
    gadget({ parts: [{ name: "a" }], extra: { deep: { x: 1, list: [{ y: 1 }] }, s: "t" } }),
  ],
  ["changed inside", "merge", "editor", { spec: { extra: { deep: { x: 2 } } } }],
  ["dropped inside", "apply", "one", gadget({ parts: [{ name: "a" }], extra: { deep: {}, s: "t" } })],
  [
    "an embedded object",
    "apply",
    "two",
    gadget({
      template: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "x", labels: { a: "b" }, finalizers: ["f.example.com/x"] },
        spec: { any: [1] },
      },
    }),
  ],
  ["empty things", "apply", "four", gadget({ limits: {}, tags: [], args: [], nested: { deep: {} }, selector: {} })],
  [
    "null things",
    "apply",
    "four",
    gadget({ limits: null, tags: null, args: null, nested: null, selector: null, size: null }),
  ],
  ["kinds change in an untyped field", "merge", "editor", { spec: { extra: { deep: "text", s: { now: "map" } } } }],
  ["an undeclared field", "apply", "one", gadget({ unknown: 1 })],
  ["an undeclared field in an item", "apply", "one", gadget({ parts: [{ name: "a", unknown: 1 }] })],
  ["a set with duplicates", "apply", "one", gadget({ tags: ["a", "a"] })],
  ["a set with objects", "apply", "one", gadget({ tags: [{ a: 1 }] })],
  ["a status", "apply", "controller", gadget(undefined, "v1", { status: { phase: "Up" } }), "status"],
  ["a status in the object itself", "apply", "controller", gadget({ size: 2 }, "v1", { status: { phase: "Down" } })],
  [
    "a spec in a status",
    "force",
    "controller",
    gadget({ size: 9 }, "v1", { status: { phase: "Up", count: 1 } }),
    "status",
  ],
  [
    "an update of the status in another version",
    "merge",
    "other",
    { status: { phase: "Gone" }, spec: { size: 7 } },
    "status",
    `${GADGET}/v1beta1`,
  ],
  [
    "an order of its own",
    "force",
    "order",
    gadget({ parts: [{ name: "z" }, { name: "a", note: "1" }, { name: "b" }] }),
  ],
  [
    "the other way round",
    "force",
    "order",
    gadget({ parts: [{ name: "b" }, { name: "z" }, { name: "y" }, { name: "a", note: "1" }] }),
  ],
  ["all of it goes", "apply", "order", gadget({})],
);

const sequences: Record<string, Request[]> = { configMaps, fromClientSide, deployments, services, pods, gadgets };

await using plane = await startControlPlane({ name: "fields", controllerManager: false });
const { api } = plane;
await api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", gadgetCrd);
await eventually(() => api.list(`/apis/${GADGET}/v1beta1/namespaces/default/gadgets`));

const lines: string[] = [];
for (const [sequence, requests] of Object.entries(sequences)) {
  const namespace = sequence.toLowerCase();
  await api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } };
  await api.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, account);
  for (const request of requests) {
    const line = JSON.stringify({ sequence, ...(await send(namespace, request)) });
    // Each sequence has a namespace of its own; what is written down does not show it.
    lines.push(line.replaceAll(`"namespace":"${namespace}"`, '"namespace":"default"'));
  }
}
await writeFile(new URL("../../src/sandbox/fields/testdata/answers.ndjson", import.meta.url), `${lines.join("\n")}\n`);

async function send(namespace: string, request: Request): Promise<Step> {
  const { resource, write, manager, body, subresource } = request;
  const version = resource.slice(0, resource.lastIndexOf("/"));
  const plural = resource.slice(resource.lastIndexOf("/") + 1);
  const collection = `${version === "v1" ? "/api/v1" : `/apis/${version}`}/namespaces/${namespace}/${plural}`;
  const path =
    write === "create" ? collection : `${collection}/sample${subresource === undefined ? "" : `/${subresource}`}`;
  const method = write === "create" ? "POST" : write === "replace" ? "PUT" : "PATCH";
  const force = write === "force" ? "&force=true" : "";
  const text = JSON.stringify(body).replaceAll('\\"namespace\\":\\"default\\"', `\\"namespace\\":\\"${namespace}\\"`);
  const answer = await api.request<Record<string, unknown>>(method, `${path}?fieldManager=${manager}${force}`, text, {
    contentType: CONTENT_TYPES[write],
  });
  return { ...request, status: answer.status, answer: answer.body };
}
