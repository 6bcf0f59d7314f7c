import { conformance } from "../framework/conformance.ts";
import { at } from "../framework/objects.ts";
import {
  apply,
  create,
  edit,
  get,
  jsonPatch,
  mergePatch,
  remove,
  request,
  update,
  watch,
  type Step,
} from "../framework/requests.ts";

const named = (name: string, object: object = {}) => ({ metadata: { name }, ...object });
const rbac = "rbac.authorization.k8s.io";
const rule = (resources: string[], verbs: string[], more: object = {}) => ({
  apiGroups: ["", "apps", rbac],
  resources,
  verbs,
  ...more,
});
const subjects = [{ kind: "ServiceAccount", name: "me", namespace: "{ns}" }];

/** A ServiceAccount `me` with these rules in the namespace; `{me}` is its token. */
const me = (...rules: object[]): Step[] => [
  create("serviceaccounts", named("me")),
  create("serviceaccounts/me/token", { spec: {} }, { keep: { me: "status.token" }, see: () => "kept" }),
  ...(rules.length === 0
    ? []
    : [
        create("roles", named("mine", { rules })),
        create("rolebindings", named("mine", { roleRef: { apiGroup: rbac, kind: "Role", name: "mine" }, subjects })),
      ]),
];
const bound = (role: string): Step =>
  create("rolebindings", named(role, { roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role }, subjects }));
const token = "{me}";
const forbidden = { token, gives: 403 };
/** The grant takes effect a moment after it was written. */
const granted = (path: string): Step => get(path, { token, until: true, see: () => "granted" });

conformance("authorization", {
  "who has no role is told what is not allowed": [
    ...me(),
    get("configmaps", { ...forbidden, saying: 'cannot list resource "configmaps" in API group "" in the namespace' }),
    get("configmaps/a", { ...forbidden, saying: 'cannot get resource "configmaps"' }),
  ],
  "each verb has its own refusal": [
    ...me(),
    create("configmaps", named("a"), { ...forbidden, saying: "cannot create" }),
    update("deployments/a", {}, { ...forbidden, saying: "cannot update" }),
    mergePatch("deployments/a", {}, { ...forbidden, saying: "cannot patch" }),
    remove("configmaps/a", undefined, { ...forbidden, saying: "cannot delete" }),
    request("DELETE", "configmaps", undefined, { ...forbidden, saying: "cannot deletecollection" }),
    watch("configmaps", 0, { ...forbidden, saying: "cannot watch" }),
    get("/api/v1/configmaps", { ...forbidden, saying: "at the cluster scope" }),
    get("deployments/a/scale", { ...forbidden, saying: 'cannot get resource "deployments/scale"' }),
    get("nodes", { ...forbidden, saying: "at the cluster scope" }),
    get("/metrics", { ...forbidden, saying: 'cannot get path "/metrics"' }),
  ],
  "a role allows what it names": [
    ...me(rule(["configmaps"], ["list", "create"])),
    granted("configmaps"),
    create("configmaps", named("a"), { token }),
    get("configmaps/a", forbidden),
  ],
  "a role may name objects": [
    ...me(rule(["configmaps"], ["get", "update"], { resourceNames: ["a"] })),
    create("configmaps", named("a")),
    granted("configmaps/a"),
    get("configmaps/b", forbidden),
    update("configmaps/a", { data: { x: "1" } }, { token }),
  ],
  "a role may allow everything": [
    ...me({ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }),
    granted("configmaps"),
    create("widgets", named("w"), { token }),
    mergePatch("widgets/w/status", { status: { phase: "x" } }, { token, see: at("status") }),
    get("/api/v1/namespaces/default/configmaps", forbidden),
  ],
  "a subresource is allowed by its own name": [
    ...me(rule(["deployments/scale"], ["get"])),
    get("deployments/none/scale", { token, until: true, gives: 404 }),
    get("deployments/none", forbidden),
  ],
  "an apply that creates needs the right to create": [
    ...me(rule(["configmaps"], ["get", "patch"])),
    get("configmaps/none", { token, until: true, gives: 404 }),
    apply("configmaps/a", { data: { x: "1" } }, { token, gives: 403, saying: "create" }),
    create("configmaps", named("b")),
    apply("configmaps/b", { data: { x: "1" } }, { token }),
  ],
  "the role view reads and writes nothing": [
    ...me(),
    bound("view"),
    granted("configmaps"),
    get("secrets", forbidden),
    create("configmaps", named("a"), forbidden),
  ],
  "the role edit writes and grants nothing": [
    ...me(),
    bound("edit"),
    granted("configmaps"),
    create("configmaps", named("a"), { token }),
    get("secrets", { token }),
    create("roles", named("r", { rules: [] }), forbidden),
  ],
  "the role admin grants what it has": [
    ...me(),
    bound("admin"),
    granted("roles"),
    create("roles", named("r", { rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }] }), { token }),
    create("roles", named("s", { rules: [{ apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] }] }), {
      ...forbidden,
      saying: "is attempting to grant RBAC permissions not currently held",
    }),
  ],
  "nobody binds a role with more rights than their own": [
    ...me(rule(["rolebindings"], ["create", "list"])),
    granted("rolebindings"),
    create("rolebindings", named("b", { roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" }, subjects }), {
      ...forbidden,
      saying: "attempting to grant RBAC permissions not currently held",
    }),
  ],
  "who may bind a role may bind it": [
    ...me(rule(["rolebindings"], ["create", "list"]), rule(["clusterroles"], ["bind"], { resourceNames: ["view"] }), {
      apiGroups: [rbac],
      resources: ["clusterroles"],
      verbs: ["bind"],
      resourceNames: ["view"],
    }),
    granted("rolebindings"),
    create("rolebindings", named("b", { roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" }, subjects }), {
      token,
    }),
  ],
  "a deleted binding takes the rights away": [
    ...me(rule(["configmaps"], ["list"])),
    granted("configmaps"),
    remove("rolebindings/mine", undefined, { see: () => "removed" }),
    get("configmaps", { token, until: true, gives: 403 }),
  ],
  "a deleted ServiceAccount's token is worth nothing": [
    ...me(),
    get("configmaps", forbidden),
    remove("serviceaccounts/me", undefined, { see: () => "removed" }),
    get("configmaps", { token, until: true, gives: 401 }),
  ],
  "rules of a subject are reviewed": [
    ...me(rule(["configmaps"], ["list"])),
    granted("configmaps"),
    create(
      "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
      { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace: "{ns}" } },
      {
        token,
        see: (answer) =>
          (answer as { status: { resourceRules: { resources: string[] }[] } }).status.resourceRules.filter(
            ({ resources }) => resources.includes("configmaps"),
          ),
      },
    ),
  ],
  "a review says what a role allows": [
    ...me(rule(["configmaps"], ["list"])),
    granted("configmaps"),
    ...["list", "get"].map((verb) =>
      create(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SelfSubjectAccessReview",
          spec: { resourceAttributes: { namespace: "{ns}", verb, resource: "configmaps" } },
        },
        { token, see: at("status") },
      ),
    ),
  ],
  "a group of all ServiceAccounts may be bound": [
    ...me(),
    create("roles", named("r", { rules: [rule(["configmaps"], ["list"])] })),
    create(
      "rolebindings",
      named("b", {
        roleRef: { apiGroup: rbac, kind: "Role", name: "r" },
        subjects: [{ kind: "Group", name: "system:serviceaccounts:{ns}", apiGroup: rbac }],
      }),
    ),
    granted("configmaps"),
  ],
  "a cluster role that is aggregated": [
    create("clusterroles", {
      metadata: { name: "{ns}" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "{ns}" } }] },
      rules: [],
    }),
    get("clusterroles/{ns}"),
  ],
  "a writer's name stands in managed fields, not their account": [
    ...me(rule(["configmaps"], ["list", "create", "update", "get", "patch"])),
    granted("configmaps"),
    create("configmaps", named("a", { data: { x: "1" } }), { token, manager: "tool" }),
    jsonPatch("configmaps/a", [{ op: "add", path: "/data/y", value: "1" }], { token }),
    edit("configmaps/a", { data: { z: "1" } }, { token }),
  ],
});
