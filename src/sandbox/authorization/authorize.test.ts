import { describe, expect, test } from "vitest";
import type { UserInfo } from "../types.ts";
import { type Attributes, authorize } from "./index.ts";
import { ruleAllows } from "./rules.ts";
import {
  clusterRole,
  role,
  user,
  clusterBinding,
  binding,
  person,
  serviceAccount,
  url,
  source,
  ask,
} from "./testing/roles.ts";
import type { PolicyRule } from "./types.ts";

describe("a rule", () => {
  const rule = (resources: string[], more: PolicyRule = {}): PolicyRule => ({
    verbs: ["get"],
    apiGroups: [""],
    resources,
    ...more,
  });

  test.each<{ name: string; rule: PolicyRule; asked: Attributes; allows: boolean }>([
    { name: "its own resource", rule: rule(["pods"]), asked: ask("get", "pods"), allows: true },
    { name: "no other verb", rule: rule(["pods"]), asked: ask("list", "pods"), allows: false },
    { name: "no other group", rule: rule(["pods"]), asked: ask("get", "pods", { group: "x" }), allows: false },
    { name: "no subresource of it", rule: rule(["pods"]), asked: ask("get", "pods/log"), allows: false },
    { name: "a subresource by name", rule: rule(["pods/log"]), asked: ask("get", "pods/log"), allows: true },
    { name: "a subresource of anything", rule: rule(["*/scale"]), asked: ask("get", "pods/scale"), allows: true },
    { name: "all subresources with a star", rule: rule(["*"]), asked: ask("get", "pods/log"), allows: true },
    {
      name: "every verb with a star",
      rule: rule(["pods"], { verbs: ["*"] }),
      asked: ask("patch", "pods"),
      allows: true,
    },
    {
      name: "every group with a star",
      rule: rule(["pods"], { apiGroups: ["*"] }),
      asked: ask("get", "pods", { group: "metrics" }),
      allows: true,
    },
    {
      name: "the named object",
      rule: rule(["pods"], { resourceNames: ["a"] }),
      asked: ask("get", "pods", { name: "a" }),
      allows: true,
    },
    {
      name: "no unnamed request when it is for names",
      rule: rule(["pods"], { resourceNames: ["a"] }),
      asked: ask("get", "pods"),
      allows: false,
    },
    { name: "a path", rule: { verbs: ["get"], nonResourceURLs: ["/metrics"] }, asked: url("/metrics"), allows: true },
    { name: "paths below", rule: { verbs: ["get"], nonResourceURLs: ["/api/*"] }, asked: url("/api/v1"), allows: true },
    {
      name: "no path beside",
      rule: { verbs: ["get"], nonResourceURLs: ["/api/*"] },
      asked: url("/apis"),
      allows: false,
    },
    { name: "no path for resources", rule: rule(["*"], { apiGroups: ["*"] }), asked: url("/metrics"), allows: false },
  ])("allows $name", ({ rule: given, asked, allows }) => expect(ruleAllows(given, asked)).toBe(allows));
});

describe("the decision", () => {
  const roles = source(
    clusterRole("reader", { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] }),
    clusterRole("namespace-reader", { verbs: ["get"], apiGroups: [""], resources: ["namespaces"] }),
    role("team", "writer", { verbs: ["create"], apiGroups: [""], resources: ["pods"] }),
    clusterBinding("readers", "reader", user("ann"), { kind: "Group", name: "staff" }),
    clusterBinding("accounts", "reader", { kind: "ServiceAccount", name: "robot", namespace: "team" }),
    binding("team", "local", "ClusterRole", "reader", user("bob"), { kind: "ServiceAccount", name: "here" }),
    binding("team", "writers", "Role", "writer", user("bob")),
    binding("team", "own", "ClusterRole", "namespace-reader", user("bob")),
    binding("team", "broken", "ClusterRole", "gone", user("carl")),
  );

  test.each<{ name: string; who: UserInfo; asked: Attributes; want: boolean; reason: string }>([
    {
      name: "follows a cluster-wide binding everywhere",
      who: person("ann"),
      asked: ask("list", "pods"),
      want: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to User "ann"',
    },
    {
      name: "knows groups",
      who: person("zoe", "staff"),
      asked: ask("get", "pods", { namespace: "team" }),
      want: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "staff"',
    },
    {
      name: "knows service accounts",
      who: serviceAccount("team", "robot"),
      asked: ask("get", "pods"),
      want: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "accounts" of ClusterRole "reader" to ServiceAccount "robot/team"',
    },
    {
      name: "takes the binding's namespace for a service account without one",
      who: serviceAccount("team", "here"),
      asked: ask("get", "pods", { namespace: "team" }),
      want: true,
      reason: 'RBAC: allowed by RoleBinding "local/team" of ClusterRole "reader" to ServiceAccount "here/"',
    },
    {
      name: "keeps a binding in its namespace",
      who: person("bob"),
      asked: ask("get", "pods", { namespace: "other" }),
      want: false,
      reason: "",
    },
    { name: "keeps it from the whole cluster", who: person("bob"), asked: ask("get", "pods"), want: false, reason: "" },
    {
      name: "follows a Role",
      who: person("bob"),
      asked: ask("create", "pods", { namespace: "team" }),
      want: true,
      reason: 'RBAC: allowed by RoleBinding "writers/team" of Role "writer" to User "bob"',
    },
    {
      name: "lets a binding in a namespace allow reading that namespace",
      who: person("bob"),
      asked: ask("get", "namespaces", { name: "team" }),
      want: true,
      reason: 'RBAC: allowed by RoleBinding "own/team" of ClusterRole "namespace-reader" to User "bob"',
    },
    {
      name: "names a binding to nothing",
      who: person("carl"),
      asked: ask("get", "pods", { namespace: "team" }),
      want: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    },
    {
      name: "lets masters do everything",
      who: person("root", "system:masters"),
      asked: url("/anything"),
      want: true,
      reason: "",
    },
  ])("$name", ({ who, asked, want, reason }) => {
    expect(authorize(who, asked, roles)).toEqual({ allowed: want, reason });
  });
});
