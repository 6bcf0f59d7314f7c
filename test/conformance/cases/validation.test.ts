import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { create } from "../framework/requests.ts";

const named = (name: string, object: object) => ({ metadata: { name }, ...object });

/** One object that the server refuses. */
const refused = (plural: string, object: object, saying: string) => [
  create(plural, named("x", object), { gives: 422, saying }),
];
const bad = (spec: Record<string, unknown>, saying: string) => refused("deployments", deployment(spec), saying);
const badContainer = (fields: Record<string, unknown>, saying: string) =>
  refused("deployments", deployment({}, fields), saying);
const badPodSpec = (fields: object, saying: string) =>
  bad(
    {
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }], ...fields } },
    },
    saying,
  );

conformance("validation of Deployments", {
  "an empty spec": refused("deployments", { spec: {} }, "spec.selector: Required value"),
  "no spec at all": refused("deployments", {}, "spec.template.spec.containers: Required value"),
  "negative replicas": bad({ replicas: -1 }, "must be greater than or equal to 0"),
  "a selector that does not match the template": bad(
    { selector: { matchLabels: { b: "c" } } },
    "`selector` does not match template `labels`",
  ),
  "an empty selector": bad({ selector: {} }, "empty selector is invalid"),
  "an unknown operator in a selector": bad(
    { selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "a", operator: "Like", values: ["x"] }] } },
    "not a valid selector operator",
  ),
  "an unknown strategy": bad({ strategy: { type: "Fast" } }, "Unsupported value"),
  "a strategy that recreates and rolls": bad(
    { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
    "may not be specified when strategy `type` is 'Recreate'",
  ),
  "neither surge nor unavailability": bad(
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
    "may not be 0 when `maxSurge` is 0",
  ),
  "a percentage that is none": bad(
    { strategy: { rollingUpdate: { maxSurge: "many" } } },
    "a valid percent string must be",
  ),
  "a deadline before the pods are ready": bad(
    { minReadySeconds: 10, progressDeadlineSeconds: 5 },
    "must be greater than minReadySeconds",
  ),
  "no containers": bad(
    { template: { metadata: { labels: { app: "web" } }, spec: { containers: [] } } },
    "Required value",
  ),
  "another restart policy": bad(
    {
      template: {
        metadata: { labels: { app: "web" } },
        spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] },
      },
    },
    'supported values: "Always"',
  ),
  "no image": badContainer({ image: "" }, "image: Required value"),
  "an image with a space is taken in a template": [
    create("deployments", named("x", deployment({}, { image: " nginx" }))),
  ],
  "a bad container name": badContainer({ name: "A_b" }, "RFC 1123 label"),
  "an unknown pull policy": badContainer({ imagePullPolicy: "Sometimes" }, "Unsupported value"),
  "a port that is too large": badContainer({ ports: [{ containerPort: 70_000 }] }, "must be between 1 and 65535"),
  "a port without a number": badContainer({ ports: [{ name: "http" }] }, "containerPort: Required value"),
  "an unknown protocol": badContainer({ ports: [{ containerPort: 1, protocol: "ICMP" }] }, "Unsupported value"),
  "two ports of one name": badContainer(
    {
      ports: [
        { containerPort: 1, name: "a" },
        { containerPort: 2, name: "a" },
      ],
    },
    "Duplicate value",
  ),
  "a port name that is too long": badContainer(
    { ports: [{ containerPort: 1, name: "abcdefghijklmnopq" }] },
    "must be no more than 15 characters",
  ),
  "an environment variable without a name": badContainer({ env: [{ value: "x" }] }, "env[0].name: Required value"),
  "an environment variable with two sources": badContainer(
    { env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
    "may not be specified when `value` is not empty",
  ),
  "an environment variable from a field that is not there": badContainer(
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.frob" } } }] },
    "fieldPath",
  ),
  "a mount of a volume that is not there": badContainer(
    { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    "Not found",
  ),
  "a negative quantity": badContainer({ resources: { limits: { cpu: "-1" } } }, "must be greater than or equal to 0"),
  "a request above the limit": badContainer(
    { resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } },
    "must be less than or equal to cpu limit of 1",
  ),
  "an unknown resource": badContainer({ resources: { limits: { frobs: "1" } } }, "must be a standard resource"),
  "a probe without an action": badContainer({ livenessProbe: {} }, "must specify a handler type"),
  "a probe with two actions": badContainer(
    { livenessProbe: { exec: { command: ["a"] }, httpGet: { port: 80 } } },
    "may not specify more than 1 handler type",
  ),
  "a probe that counts wrongly": badContainer(
    { livenessProbe: { exec: { command: ["a"] }, successThreshold: 3 } },
    "must be 1",
  ),
  "two containers of one name": badPodSpec(
    {
      containers: [
        { name: "a", image: "a" },
        { name: "a", image: "b" },
      ],
    },
    "Duplicate value",
  ),
  "two volumes of one name": badPodSpec({ volumes: [{ name: "v" }, { name: "v" }] }, "Duplicate value"),
  "a volume of two kinds": badPodSpec(
    { volumes: [{ name: "v", emptyDir: {}, configMap: { name: "c" } }] },
    "may not specify more than 1 volume type",
  ),
  "a bad node selector": badPodSpec({ nodeSelector: { "a b": "c" } }, "nodeSelector"),
  "a toleration with a value for existence": badPodSpec(
    { tolerations: [{ key: "a", operator: "Exists", value: "x" }] },
    "value must be empty when `operator` is 'Exists'",
  ),
  "an unknown DNS policy": badPodSpec({ dnsPolicy: "Mine" }, "Unsupported value"),
  "a bad service account name": badPodSpec({ serviceAccountName: "A b" }, "serviceAccountName"),
  "a quantity that cannot be read is a bad request": [
    create("deployments", named("x", deployment({}, { resources: { limits: { cpu: "lots" } } })), {
      gives: 400,
      saying: "quantities must match the regular expression",
    }),
  ],
});
