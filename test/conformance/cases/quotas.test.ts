import { conformance } from "../framework/conformance.ts";
import { create, get, mergePatch, remove, type Cases, type Step } from "../framework/requests.ts";

type Fields = Record<string, unknown>;

/** A quota with status.used, which the case sets because a server without controllers does not count. */
const counted = (hard: Fields, used: Fields, spec: Fields = {}): Step[] => [
  // A pod needs the ServiceAccount.
  create("serviceaccounts", { metadata: { name: "default" } }, { see: () => "created" }),
  create("resourcequotas", { metadata: { name: "few" }, spec: { hard, ...spec } }),
  mergePatch("resourcequotas/few/status", { status: { hard, used } }),
];
const pod = (name: string, ...resources: Fields[]) => ({
  metadata: { name },
  spec: { containers: resources.map((one, index) => ({ name: `c${index}`, image: "nginx", resources: one })) },
});
const service = (name: string, spec: Fields = {}) => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], selector: { app: name }, ...spec },
});
/** A server takes note of a quota a moment later. */
const inForce = (resource: string, object: Fields): Step =>
  create(resource, object, { dryRun: "All", until: true, gives: 403, saying: "exceeded quota" });
const withoutOwners = (answer: unknown) => {
  const { status, spec } = answer as { status: unknown; spec: unknown };
  return { status, spec };
};

const cases: Cases = {
  "refuse what is one too many": [
    ...counted({ configmaps: "1" }, { configmaps: "1" }),
    inForce("configmaps", { metadata: { name: "probe" } }),
    create("configmaps", { metadata: { name: "a" } }, { gives: 403, saying: "exceeded quota: few" }),
    create("secrets", { metadata: { name: "a" } }),
  ],
  "refuse before anybody looks whether it is there already": [
    create("configmaps", { metadata: { name: "a" } }),
    ...counted({ configmaps: "1" }, { configmaps: "1" }),
    inForce("configmaps", { metadata: { name: "probe" } }),
    create("configmaps", { metadata: { name: "a" } }, { gives: 403, saying: "exceeded quota: few" }),
    mergePatch("configmaps/a", { data: { x: "1" } }),
  ],
  "note what is used": [
    ...counted({ configmaps: "2", "count/configmaps": "5" }, { configmaps: "1", "count/configmaps": "1" }),
    mergePatch("resourcequotas/few/status", { status: { used: { configmaps: "2" } } }),
    inForce("configmaps", { metadata: { name: "probe" } }),
    mergePatch("resourcequotas/few/status", { status: { used: { configmaps: "1" } } }),
    create("configmaps", { metadata: { name: "probe" } }, { dryRun: "All", until: true }),
    create("configmaps", { metadata: { name: "a" } }),
    create("configmaps", { metadata: { name: "b" } }, { gives: 403 }),
    get("resourcequotas/few", { see: withoutOwners }),
  ],
  "count kinds of any group": [
    ...counted({ "count/deployments.apps": "0" }, { "count/deployments.apps": "0" }),
    inForce("deployments", {
      metadata: { name: "probe" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
      },
    }),
  ],
  "count Services, their node ports and their balancers, also when they change": [
    ...counted(
      { services: "5", "services.nodeports": "1", "services.loadbalancers": "0" },
      { services: "0", "services.nodeports": "0", "services.loadbalancers": "0" },
    ),
    inForce("services", service("probe", { type: "LoadBalancer" })),
    create(
      "services",
      service("many", { type: "NodePort", ports: [1, 2].map((port) => ({ port, name: `p${port}` })) }),
      { gives: 403, saying: "services.nodeports=2" },
    ),
    create("services", service("plain")),
    mergePatch(
      "services/plain",
      { spec: { type: "LoadBalancer" } },
      { gives: 403, saying: "services.loadbalancers=1" },
    ),
  ],
  "add up what containers ask for": [
    ...counted(
      { pods: "10", "requests.cpu": "1", "limits.memory": "1Gi" },
      { pods: "1", "requests.cpu": "700m", "limits.memory": "1023Mi" },
    ),
    inForce("pods", pod("probe", { requests: { cpu: "2" }, limits: { memory: "1Mi" } })),
    create(
      "pods",
      pod(
        "a",
        { requests: { cpu: "200m" }, limits: { memory: "1Mi" } },
        { requests: { cpu: "0.2" }, limits: { memory: "2Mi" } },
      ),
      { gives: 403, saying: "limits.memory=3Mi,requests.cpu=400m" },
    ),
    create("pods", pod("a", { requests: { cpu: "100m" }, limits: { memory: "1Mi" } }), { see: () => "created" }),
    get("resourcequotas/few", { see: withoutOwners }),
    create("pods", pod("b", {}, { requests: { cpu: "1m" } }), { gives: 403, saying: "must specify" }),
    remove("pods/a", undefined, { see: () => "deleted" }),
  ],
  "of pods without requests leave others alone": [
    ...counted({ pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] }),
    inForce("pods", pod("probe", {})),
    create("pods", pod("a", { requests: { cpu: "1m" } }), { see: () => "created" }),
  ],
  "that have not been counted say so": [
    ...counted({ secrets: "5" }, {}),
    create(
      "secrets",
      { metadata: { name: "a" } },
      { dryRun: "All", until: true, gives: 403, saying: "status unknown" },
    ),
  ],
};

const bad = (spec: Fields, saying: string) => [
  create("resourcequotas", { metadata: { name: "few" }, spec }, { gives: 422, saying }),
];

conformance("resource quotas", cases);
conformance("validation of resource quotas", {
  "limits what there is": bad({ hard: { things: "1" } }, "must be a standard resource for quota"),
  "limits by a name": bad({ hard: { "a b": "1" } }, "spec.hard[a b]"),
  "limits to nothing at least": bad(
    { hard: { pods: "-1", "requests.cpu": "-1" } },
    "must be greater than or equal to 0",
  ),
  "counts in whole numbers": bad({ hard: { pods: "500m" } }, "must be an integer"),
  "has no scopes that exclude each other": bad(
    { hard: { pods: "1" }, scopes: ["BestEffort", "NotBestEffort"] },
    "conflicting",
  ),
  "has scopes that there are": bad({ hard: { pods: "1" }, scopes: ["Cheap"] }, "unsupported scope"),
  "keeps its scopes": [
    create("resourcequotas", { metadata: { name: "few" }, spec: { hard: { pods: "1" }, scopes: ["BestEffort"] } }),
    mergePatch("resourcequotas/few", { spec: { scopes: ["Terminating"] } }, { gives: 422, saying: "immutable" }),
    mergePatch("resourcequotas/few", { spec: { hard: { pods: "2" } } }),
  ],
  "limits by class of storage and to hugepages": [
    create("resourcequotas", {
      metadata: { name: "few" },
      spec: {
        hard: {
          "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
          "requests.hugepages-2Mi": "1Gi",
          "requests.example.com/gpu": "1",
          "count/widgets.conformance.example.com": "1",
        },
      },
    }),
  ],
});
