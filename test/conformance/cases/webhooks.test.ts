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
  type Case,
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
/** A server takes note of a configuration a moment later: until then a dry run passes untouched. */
const inForce = (gives: number, saying = ""): Step =>
  create("configmaps", configMap("probe"), { dryRun: "All", until: true, gives, saying, see: () => "in force" });

/** In the warning of the webhook, and nowhere else in the answer. */
const SEEN = '"subResource":"scale"';

const denied: Case[] = [
  {
    name: "that allow let the request pass",
    steps: [validating(webhook("/warn")), inForce(201, "be careful"), create("configmaps", configMap("a"))],
  },
  {
    name: "that refuse say why",
    steps: [
      validating(webhook("/deny")),
      inForce(400),
      create("configmaps", configMap("a"), {
        gives: 400,
        saying: 'admission webhook "hook.example.com" denied the request: not today',
      }),
    ],
  },
  {
    name: "that refuse may choose code and reason",
    steps: [
      validating(webhook("/deny-status")),
      inForce(422),
      create("configmaps", configMap("a"), { gives: 422, saying: "unwelcome" }),
    ],
  },
  {
    name: "that refuse without a word",
    steps: [
      validating(webhook("/deny-silently")),
      inForce(400),
      create("configmaps", configMap("a"), { gives: 400, saying: "without explanation" }),
    ],
  },
  {
    name: "see operations, objects and options",
    steps: [
      validating(webhook("/echo")),
      inForce(201, "CREATE"),
      create("configmaps", configMap("a"), { manager: "tool", saying: "CREATE" }),
      edit("configmaps/a", { data: { x: "2" } }, { saying: "UPDATE" }),
      mergePatch("configmaps/a", { data: { y: "2" } }, { dryRun: "All", saying: '"dryRun":true' }),
      apply("configmaps/b", { data: { x: "1" } }, { gives: 201, saying: "CREATE" }),
      remove("configmaps/a", { propagationPolicy: "Background" }, { saying: "DELETE" }),
    ],
  },
  {
    name: "are asked for the operations that they name only",
    steps: [
      validating(
        webhook("/deny", {
          rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["DELETE"] }],
        }),
      ),
      create("configmaps", configMap("a")),
      remove("configmaps/a", undefined, { dryRun: "All", until: true, gives: 400 }),
      edit("configmaps/a", { data: { x: "2" } }),
    ],
  },
  {
    name: "are asked for objects with their labels only",
    steps: [
      validating(webhook("/deny", { objectSelector: { matchLabels: { guarded: "yes" } } })),
      create("configmaps", configMap("probe", {}, { guarded: "yes" }), { dryRun: "All", until: true, gives: 400 }),
      create("configmaps", configMap("a")),
      edit("configmaps/a", { metadata: { labels: { guarded: "yes" } } }, { gives: 400 }),
    ],
  },
  {
    name: "are asked when their conditions hold only",
    steps: [
      validating(webhook("/deny", { matchConditions: [{ name: "x-is-1", expression: "object.data.x == '1'" }] })),
      inForce(400),
      create("configmaps", configMap("a", { x: "2" })),
    ],
  },
  {
    name: "of subresources are asked for those",
    steps: [
      validating(
        webhook("/deny", {
          rules: [
            { apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments/scale"], operations: ["UPDATE"] },
          ],
        }),
      ),
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      mergePatch("deployments/web/scale", { spec: { replicas: 2 } }, { dryRun: "All", until: true, gives: 400 }),
      mergePatch("deployments/web", { spec: { replicas: 3 } }),
    ],
  },
  {
    name: "of bindings and evictions see those",
    steps: [
      validating(
        webhook("/echo", {
          rules: [
            { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps", "pods/*"], operations: ["CREATE"] },
          ],
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
  },
  {
    name: "of a scale see a Scale",
    steps: [
      validating(
        webhook("/echo", {
          rules: [{ apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments/scale"], operations: ["*"] }],
        }),
      ),
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      mergePatch("deployments/web/scale", { spec: { replicas: 2 } }, { dryRun: "All", until: true, saying: SEEN }),
      mergePatch("deployments/web/scale", { spec: { replicas: 2 } }, { saying: SEEN }),
    ],
  },
  {
    name: "of another version are asked for all versions",
    steps: [
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
  },
  {
    name: "of another version that match exactly are not",
    steps: [
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
  },
  {
    name: "that answer nonsense fail the request",
    steps: [
      validating(webhook("/nonsense")),
      inForce(500, "failed calling webhook"),
      create("configmaps", configMap("a"), { gives: 500, see: () => "failed" }),
    ],
  },
  {
    name: "that answer nonsense are ignored when told so",
    steps: [
      validating(webhook("/nonsense", { failurePolicy: "Ignore" }), webhook("/warn", { name: "warn.example.com" })),
      inForce(201, "be careful"),
      create("configmaps", configMap("a")),
    ],
  },
  {
    name: "that are not there fail the request",
    steps: [
      validating(webhook("/gone", { clientConfig: { url: "https://127.0.0.1:1/x", caBundle: "{ca}" } })),
      inForce(500, "connection refused"),
      create("configmaps", configMap("a"), { gives: 500, saying: "connection refused", see: () => "refused" }),
    ],
  },
  {
    name: "with side effects are not asked in a dry run",
    steps: [
      validating(
        webhook("/warn", { sideEffects: "NoneOnDryRun" }),
        webhook("/deny", { name: "deny.example.com", matchConditions: [{ name: "never", expression: "false" }] }),
      ),
      inForce(201, "be careful"),
    ],
  },
];

const mutated: Case[] = [
  {
    name: "that patch change the object before it is stored",
    steps: [
      mutating(webhook("/label")),
      create("configmaps", configMap("probe"), { dryRun: "All", until: true, saying: "hooked", see: () => "in force" }),
      create("configmaps", configMap("a")),
      get("configmaps/a"),
    ],
  },
  {
    name: "give what they change to who asked",
    steps: [
      mutating(webhook("/label")),
      create("configmaps", configMap("probe"), { dryRun: "All", until: true, saying: "hooked", see: () => "in force" }),
      apply("configmaps/a", { data: { x: "1" } }, { gives: 201 }),
      apply("configmaps/a", { data: { x: "1" } }),
      jsonPatch("configmaps/a", [{ op: "remove", path: "/metadata/labels/hooked" }]),
    ],
  },
  {
    name: "that refuse",
    steps: [
      mutating(webhook("/deny")),
      inForce(400),
      create("configmaps", configMap("a"), { gives: 400, saying: "denied the request" }),
    ],
  },
  {
    name: "that patch what is invalid",
    steps: [
      mutating(webhook("/break")),
      inForce(422),
      create("configmaps", configMap("a"), { gives: 422, saying: "a valid config key" }),
    ],
  },
  {
    name: "are asked one after the other, in the order of their configuration",
    steps: [
      mutating(webhook("/append/1"), webhook("/append/2", { name: "second.example.com" })),
      create("configmaps", configMap("probe"), {
        dryRun: "All",
        until: true,
        saying: '"trail":"12"',
        see: () => "in force",
      }),
      create("configmaps", configMap("a")),
    ],
  },
  {
    name: "are asked again when a later one changed the object",
    steps: [
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
  },
  {
    name: "come before validation by the others",
    steps: [
      mutating(webhook("/label")),
      validating(webhook("/deny", { objectSelector: { matchLabels: { hooked: "yes" } } })),
      inForce(400),
      create("configmaps", configMap("a"), { gives: 400 }),
    ],
  },
  {
    name: "of custom resources see defaults",
    steps: [
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
  },
];

conformance("validating webhooks", denied, { words });
conformance("mutating webhooks", mutated, { words });
