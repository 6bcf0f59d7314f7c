import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import {
  apply,
  create,
  edit,
  get,
  jsonPatch,
  mergePatch,
  remove,
  type Cases,
  type Step,
} from "../framework/requests.ts";
import { type Fields, webhook, webhookWords } from "../framework/webhooks.ts";

const words = webhookWords();

const configured = (plural: string, ...hooks: Fields[]): Step =>
  create(plural, { metadata: { name: "{ns}" }, webhooks: hooks }, { see: () => "configured" });
const mutating = (...hooks: Fields[]) => configured("mutatingwebhookconfigurations", ...hooks);
const validating = (...hooks: Fields[]) => configured("validatingwebhookconfigurations", ...hooks);
const configMap = (name: string, data: Fields = { x: "1" }, labels: Fields = {}) => ({
  metadata: { name, labels },
  data,
});
/** Waits until the server calls the webhooks: before, a dry run passes untouched. */
const inForce = (gives: number, saying = ""): Step =>
  create("configmaps", configMap("probe"), { dryRun: "All", until: true, gives, saying, see: () => "in force" });

/** Text that only the webhook's warning contains. */
const SEEN = '"subResource":"scale"';

const denied: Cases = {
  "that allow let the request pass": [
    validating(webhook("/warn")),
    inForce(201, "be careful"),
    create("configmaps", configMap("a")),
  ],
  "that refuse say why": [
    validating(webhook("/deny")),
    inForce(400),
    create("configmaps", configMap("a"), {
      gives: 400,
      saying: 'admission webhook "hook.example.com" denied the request: not today',
    }),
  ],
  "that refuse may choose code and reason": [
    validating(webhook("/deny-status")),
    inForce(422),
    create("configmaps", configMap("a"), { gives: 422, saying: "unwelcome" }),
  ],
  "that refuse without a word": [
    validating(webhook("/deny-silently")),
    inForce(400),
    create("configmaps", configMap("a"), { gives: 400, saying: "without explanation" }),
  ],
  "see operations, objects and options": [
    validating(webhook("/echo")),
    inForce(201, "CREATE"),
    create("configmaps", configMap("a"), { manager: "tool", saying: "CREATE" }),
    edit("configmaps/a", { data: { x: "2" } }, { saying: "UPDATE" }),
    mergePatch("configmaps/a", { data: { y: "2" } }, { dryRun: "All", saying: '"dryRun":true' }),
    apply("configmaps/b", { data: { x: "1" } }, { gives: 201, saying: "CREATE" }),
    remove("configmaps/a", { propagationPolicy: "Background" }, { saying: "DELETE" }),
  ],
  "are asked for the operations that they name only": [
    validating(
      webhook("/deny", {
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["DELETE"] }],
      }),
    ),
    create("configmaps", configMap("a")),
    remove("configmaps/a", undefined, { dryRun: "All", until: true, gives: 400 }),
    edit("configmaps/a", { data: { x: "2" } }),
  ],
  "are asked for objects with their labels only": [
    validating(webhook("/deny", { objectSelector: { matchLabels: { guarded: "yes" } } })),
    create("configmaps", configMap("probe", {}, { guarded: "yes" }), { dryRun: "All", until: true, gives: 400 }),
    create("configmaps", configMap("a")),
    edit("configmaps/a", { metadata: { labels: { guarded: "yes" } } }, { gives: 400 }),
  ],
  "are asked when their conditions hold only": [
    validating(webhook("/deny", { matchConditions: [{ name: "x-is-1", expression: "object.data.x == '1'" }] })),
    inForce(400),
    create("configmaps", configMap("a", { x: "2" })),
  ],
  "of subresources are asked for those": [
    validating(
      webhook("/deny", {
        rules: [{ apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments/scale"], operations: ["UPDATE"] }],
      }),
    ),
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    mergePatch("deployments/web/scale", { spec: { replicas: 2 } }, { dryRun: "All", until: true, gives: 400 }),
    mergePatch("deployments/web", { spec: { replicas: 3 } }),
  ],
  "of bindings and evictions see those": [
    validating(
      webhook("/echo", {
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps", "pods/*"], operations: ["CREATE"] }],
      }),
    ),
    create("serviceaccounts", { metadata: { name: "default" } }, { see: () => "created" }),
    create(
      "pods",
      { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "nginx" }] } },
      { see: () => "made" },
    ),
    inForce(201, "CREATE"),
    create(
      "pods/a/binding",
      { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n" } },
      { saying: "binding" },
    ),
    create(
      "pods/a/eviction",
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } },
      { saying: "eviction" },
    ),
  ],
  "of a scale see a Scale": [
    validating(
      webhook("/echo", {
        rules: [{ apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments/scale"], operations: ["*"] }],
      }),
    ),
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    mergePatch("deployments/web/scale", { spec: { replicas: 2 } }, { dryRun: "All", until: true, saying: SEEN }),
    mergePatch("deployments/web/scale", { spec: { replicas: 2 } }, { saying: SEEN }),
  ],
  "of another version are asked for all versions": [
    validating(
      webhook("/deny", {
        rules: [
          {
            apiGroups: ["conformance.example.com"],
            apiVersions: ["v1beta1"],
            resources: ["widgets"],
            operations: ["*"],
          },
        ],
      }),
    ),
    create("widgets", { metadata: { name: "probe" } }, { dryRun: "All", until: true, gives: 400 }),
  ],
  "of another version that match exactly are not": [
    validating(
      webhook("/deny", {
        matchPolicy: "Exact",
        rules: [
          {
            apiGroups: ["conformance.example.com"],
            apiVersions: ["v1beta1"],
            resources: ["widgets"],
            operations: ["*"],
          },
        ],
      }),
      webhook("/deny", { name: "other.example.com" }),
    ),
    inForce(400),
    create("widgets", { metadata: { name: "w" } }),
  ],
  "that answer nonsense fail the request": [
    validating(webhook("/nonsense")),
    inForce(500, "failed calling webhook"),
    create("configmaps", configMap("a"), { gives: 500, see: () => "failed" }),
  ],
  "that answer nonsense are ignored when told so": [
    validating(webhook("/nonsense", { failurePolicy: "Ignore" }), webhook("/warn", { name: "warn.example.com" })),
    inForce(201, "be careful"),
    create("configmaps", configMap("a")),
  ],
  "that are not there fail the request": [
    validating(webhook("/gone", { clientConfig: { url: "https://127.0.0.1:1/x", caBundle: "{ca}" } })),
    inForce(500, "connection refused"),
    create("configmaps", configMap("a"), { gives: 500, saying: "connection refused", see: () => "refused" }),
  ],
  "with side effects are not asked in a dry run": [
    validating(
      webhook("/warn", { sideEffects: "NoneOnDryRun" }),
      webhook("/deny", { name: "deny.example.com", matchConditions: [{ name: "never", expression: "false" }] }),
    ),
    inForce(201, "be careful"),
  ],
};

const mutated: Cases = {
  "that patch change the object before it is stored": [
    mutating(webhook("/label")),
    create("configmaps", configMap("probe"), { dryRun: "All", until: true, saying: "hooked", see: () => "in force" }),
    create("configmaps", configMap("a")),
    get("configmaps/a"),
  ],
  "give what they change to who asked": [
    mutating(webhook("/label")),
    create("configmaps", configMap("probe"), { dryRun: "All", until: true, saying: "hooked", see: () => "in force" }),
    apply("configmaps/a", { data: { x: "1" } }, { gives: 201 }),
    apply("configmaps/a", { data: { x: "1" } }),
    jsonPatch("configmaps/a", [{ op: "remove", path: "/metadata/labels/hooked" }]),
  ],
  "that refuse": [
    mutating(webhook("/deny")),
    inForce(400),
    create("configmaps", configMap("a"), { gives: 400, saying: "denied the request" }),
  ],
  "that patch what is invalid": [
    mutating(webhook("/break")),
    inForce(422),
    create("configmaps", configMap("a"), { gives: 422, saying: "a valid config key" }),
  ],
  "are asked one after the other, in the order of their configuration": [
    mutating(webhook("/append/1"), webhook("/append/2", { name: "second.example.com" })),
    create("configmaps", configMap("probe"), {
      dryRun: "All",
      until: true,
      saying: '"trail":"12"',
      see: () => "in force",
    }),
    create("configmaps", configMap("a")),
  ],
  "are asked again when a later one changed the object": [
    mutating(
      webhook("/append/1", { reinvocationPolicy: "IfNeeded" }),
      webhook("/append/2", { name: "second.example.com" }),
    ),
    create("configmaps", configMap("probe"), {
      dryRun: "All",
      until: true,
      saying: '"trail":"121"',
      see: () => "in force",
    }),
    create("configmaps", configMap("a")),
  ],
  "come before validation by the others": [
    mutating(webhook("/label")),
    validating(webhook("/deny", { objectSelector: { matchLabels: { hooked: "yes" } } })),
    inForce(400),
    create("configmaps", configMap("a"), { gives: 400 }),
  ],
  "of custom resources see defaults": [
    mutating(
      webhook("/echo", {
        rules: [
          {
            apiGroups: ["conformance.example.com"],
            apiVersions: ["*"],
            resources: ["widgets"],
            operations: ["CREATE"],
          },
        ],
      }),
    ),
    create(
      "widgets",
      { metadata: { name: "probe" } },
      { dryRun: "All", until: true, saying: "CREATE", see: () => "in force" },
    ),
    create("widgets", { metadata: { name: "w" }, spec: { color: "red" } }),
  ],
};

conformance("validating webhooks", denied, { words });
conformance("mutating webhooks", mutated, { words });
