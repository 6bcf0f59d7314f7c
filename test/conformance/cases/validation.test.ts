import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { create, type Case } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });

/** One object that the server refuses. */
const refused = (plural: string, name: string, object: object, saying: string): Case => ({
  name,
  steps: [create(plural, named("x", object), { gives: 422, saying })],
});
const badContainer = (name: string, fields: Record<string, unknown>, saying: string) =>
  refused("deployments", name, deployment({}, fields), saying);
const badPodSpec = (name: string, fields: object, saying: string) =>
  refused(
    "deployments",
    name,
    deployment({
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }], ...fields } },
    }),
    saying,
  );

conformance("validation of Deployments", [
  refused("deployments", "an empty spec", { spec: {} }, "spec.selector: Required value"),
  refused("deployments", "no spec at all", {}, "spec.template.spec.containers: Required value"),
  refused("deployments", "negative replicas", deployment({ replicas: -1 }), "must be greater than or equal to 0"),
  refused(
    "deployments",
    "a selector that does not match the template",
    deployment({ selector: { matchLabels: { b: "c" } } }),
    "`selector` does not match template `labels`",
  ),
  refused("deployments", "an empty selector", deployment({ selector: {} }), "empty selector is invalid"),
  refused(
    "deployments",
    "an unknown operator in a selector",
    deployment({
      selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "a", operator: "Like", values: ["x"] }] },
    }),
    "not a valid selector operator",
  ),
  refused("deployments", "an unknown strategy", deployment({ strategy: { type: "Fast" } }), "Unsupported value"),
  refused(
    "deployments",
    "a strategy that recreates and rolls",
    deployment({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
    "may not be specified when strategy `type` is 'Recreate'",
  ),
  refused(
    "deployments",
    "neither surge nor unavailability",
    deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    "may not be 0 when `maxSurge` is 0",
  ),
  refused(
    "deployments",
    "a percentage that is none",
    deployment({ strategy: { rollingUpdate: { maxSurge: "many" } } }),
    "a valid percent string must be",
  ),
  refused(
    "deployments",
    "a deadline before the pods are ready",
    deployment({ minReadySeconds: 10, progressDeadlineSeconds: 5 }),
    "must be greater than minReadySeconds",
  ),
  refused(
    "deployments",
    "no containers",
    deployment({ template: { metadata: { labels: { app: "web" } }, spec: { containers: [] } } }),
    "Required value",
  ),
  refused(
    "deployments",
    "another restart policy",
    deployment({
      template: {
        metadata: { labels: { app: "web" } },
        spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] },
      },
    }),
    'supported values: "Always"',
  ),
  badContainer("no image", { image: "" }, "image: Required value"),
  {
    name: "an image with a space is taken in a template",
    steps: [create("deployments", named("x", deployment({}, { image: " nginx" })))],
  },
  badContainer("a bad container name", { name: "A_b" }, "RFC 1123 label"),
  badContainer("an unknown pull policy", { imagePullPolicy: "Sometimes" }, "Unsupported value"),
  badContainer("a port that is too large", { ports: [{ containerPort: 70_000 }] }, "must be between 1 and 65535"),
  badContainer("a port without a number", { ports: [{ name: "http" }] }, "containerPort: Required value"),
  badContainer("an unknown protocol", { ports: [{ containerPort: 1, protocol: "ICMP" }] }, "Unsupported value"),
  badContainer(
    "two ports of one name",
    {
      ports: [
        { containerPort: 1, name: "a" },
        { containerPort: 2, name: "a" },
      ],
    },
    "Duplicate value",
  ),
  badContainer(
    "a port name that is too long",
    { ports: [{ containerPort: 1, name: "abcdefghijklmnopq" }] },
    "must be no more than 15 characters",
  ),
  badContainer("an environment variable without a name", { env: [{ value: "x" }] }, "env[0].name: Required value"),
  badContainer(
    "an environment variable with two sources",
    { env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
    "may not be specified when `value` is not empty",
  ),
  badContainer(
    "an environment variable from a field that is not there",
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.frob" } } }] },
    "fieldPath",
  ),
  badContainer(
    "a mount of a volume that is not there",
    { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    "Not found",
  ),
  badContainer("a negative quantity", { resources: { limits: { cpu: "-1" } } }, "must be greater than or equal to 0"),
  badContainer(
    "a request above the limit",
    { resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } },
    "must be less than or equal to cpu limit of 1",
  ),
  badContainer("an unknown resource", { resources: { limits: { frobs: "1" } } }, "must be a standard resource"),
  badContainer("a probe without an action", { livenessProbe: {} }, "must specify a handler type"),
  badContainer(
    "a probe with two actions",
    { livenessProbe: { exec: { command: ["a"] }, httpGet: { port: 80 } } },
    "may not specify more than 1 handler type",
  ),
  badContainer(
    "a probe that counts wrongly",
    { livenessProbe: { exec: { command: ["a"] }, successThreshold: 3 } },
    "must be 1",
  ),
  badPodSpec(
    "two containers of one name",
    {
      containers: [
        { name: "a", image: "a" },
        { name: "a", image: "b" },
      ],
    },
    "Duplicate value",
  ),
  badPodSpec("two volumes of one name", { volumes: [{ name: "v" }, { name: "v" }] }, "Duplicate value"),
  badPodSpec(
    "a volume of two kinds",
    { volumes: [{ name: "v", emptyDir: {}, configMap: { name: "c" } }] },
    "may not specify more than 1 volume type",
  ),
  badPodSpec("a bad node selector", { nodeSelector: { "a b": "c" } }, "nodeSelector"),
  badPodSpec(
    "a toleration with a value for existence",
    { tolerations: [{ key: "a", operator: "Exists", value: "x" }] },
    "value must be empty when `operator` is 'Exists'",
  ),
  badPodSpec("an unknown DNS policy", { dnsPolicy: "Mine" }, "Unsupported value"),
  badPodSpec("a bad service account name", { serviceAccountName: "A b" }, "serviceAccountName"),
  {
    name: "a quantity that cannot be read is a bad request",
    steps: [
      create("deployments", named("x", deployment({}, { resources: { limits: { cpu: "lots" } } })), {
        gives: 400,
        saying: "quantities must match the regular expression",
      }),
    ],
  },
]);
