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

conformance("authorization", [
  {
    name: "who has no role is told what is not allowed",
    steps: [
      ...me(),
      get("configmaps", { ...forbidden, saying: 'cannot list resource "configmaps" in API group "" in the namespace' }),
      get("configmaps/a", { ...forbidden, saying: 'cannot get resource "configmaps"' }),
    ],
  },
  {
    name: "each verb has its own refusal",
    steps: [
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
  },
  {
    name: "a role allows what it names",
    steps: [
      ...me(rule(["configmaps"], ["list", "create"])),
      granted("configmaps"),
      create("configmaps", named("a"), { token }),
      get("configmaps/a", forbidden),
    ],
  },
  {
    name: "a role may name objects",
    steps: [
      ...me(rule(["configmaps"], ["get", "update"], { resourceNames: ["a"] })),
      create("configmaps", named("a")),
      granted("configmaps/a"),
      get("configmaps/b", forbidden),
      update("configmaps/a", { data: { x: "1" } }, { token }),
    ],
  },
  {
    name: "a role may allow everything",
    steps: [
      ...me({ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }),
      granted("configmaps"),
      create("widgets", named("w"), { token }),
      mergePatch("widgets/w/status", { status: { phase: "x" } }, { token, see: at("status") }),
      get("/api/v1/namespaces/default/configmaps", forbidden),
    ],
  },
  {
    name: "a subresource is allowed by its own name",
    steps: [
      ...me(rule(["deployments/scale"], ["get"])),
      get("deployments/none/scale", { token, until: true, gives: 404 }),
      get("deployments/none", forbidden),
    ],
  },
  {
    name: "an apply that creates needs the right to create",
    steps: [
      ...me(rule(["configmaps"], ["get", "patch"])),
      get("configmaps/none", { token, until: true, gives: 404 }),
      apply("configmaps/a", { data: { x: "1" } }, { token, gives: 403, saying: "create" }),
      create("configmaps", named("b")),
      apply("configmaps/b", { data: { x: "1" } }, { token }),
    ],
  },
  {
    name: "the role view reads and writes nothing",
    steps: [
      ...me(),
      bound("view"),
      granted("configmaps"),
      get("secrets", forbidden),
      create("configmaps", named("a"), forbidden),
    ],
  },
  {
    name: "the role edit writes and grants nothing",
    steps: [
      ...me(),
      bound("edit"),
      granted("configmaps"),
      create("configmaps", named("a"), { token }),
      get("secrets", { token }),
      create("roles", named("r", { rules: [] }), forbidden),
    ],
  },
  {
    name: "the role admin grants what it has",
    steps: [
      ...me(),
      bound("admin"),
      granted("roles"),
      create("roles", named("r", { rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }] }), {
        token,
      }),
      create("roles", named("s", { rules: [{ apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] }] }), {
        ...forbidden,
        saying: "is attempting to grant RBAC permissions not currently held",
      }),
    ],
  },
  {
    name: "nobody binds a role with more rights than their own",
    steps: [
      ...me(rule(["rolebindings"], ["create", "list"])),
      granted("rolebindings"),
      create("rolebindings", named("b", { roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" }, subjects }), {
        ...forbidden,
        saying: "attempting to grant RBAC permissions not currently held",
      }),
    ],
  },
  {
    name: "who may bind a role may bind it",
    steps: [
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
  },
  {
    name: "a deleted binding takes the rights away",
    steps: [
      ...me(rule(["configmaps"], ["list"])),
      granted("configmaps"),
      remove("rolebindings/mine", undefined, { see: () => "removed" }),
      get("configmaps", { token, until: true, gives: 403 }),
    ],
  },
  {
    name: "a deleted ServiceAccount's token is worth nothing",
    steps: [
      ...me(),
      get("configmaps", forbidden),
      remove("serviceaccounts/me", undefined, { see: () => "removed" }),
      get("configmaps", { token, until: true, gives: 401 }),
    ],
  },
  {
    name: "rules of a subject are reviewed",
    steps: [
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
  },
  {
    name: "a review says what a role allows",
    steps: [
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
  },
  {
    name: "a group of all ServiceAccounts may be bound",
    steps: [
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
  },
  {
    name: "a cluster role that is aggregated",
    steps: [
      create("clusterroles", {
        metadata: { name: "{ns}" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "{ns}" } }] },
        rules: [],
      }),
      get("clusterroles/{ns}"),
    ],
  },
  {
    name: "a writer's name stands in managed fields, not their account",
    steps: [
      ...me(rule(["configmaps"], ["list", "create", "update", "get", "patch"])),
      granted("configmaps"),
      create("configmaps", named("a", { data: { x: "1" } }), { token, manager: "tool" }),
      jsonPatch("configmaps/a", [{ op: "add", path: "/data/y", value: "1" }], { token }),
      edit("configmaps/a", { data: { z: "1" } }, { token }),
    ],
  },
]);
