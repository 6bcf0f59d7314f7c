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

  const path = (...nonResourceURLs: string[]): PolicyRule => ({ verbs: ["get"], nonResourceURLs });
  const pods = rule(["pods"]);
  const named = rule(["pods"], { resourceNames: ["a"] });
  const everyGroup = rule(["pods"], { apiGroups: ["*"] });

  test.each<[name: string, rule: PolicyRule, asked: Attributes, allows: boolean]>([
    ["its own resource", pods, ask("get", "pods"), true],
    ["no other verb", pods, ask("list", "pods"), false],
    ["no other group", pods, ask("get", "pods", { group: "x" }), false],
    ["no subresource of it", pods, ask("get", "pods/log"), false],
    ["a subresource by name", rule(["pods/log"]), ask("get", "pods/log"), true],
    ["a subresource of anything", rule(["*/scale"]), ask("get", "pods/scale"), true],
    ["all subresources with a star", rule(["*"]), ask("get", "pods/log"), true],
    ["every verb with a star", rule(["pods"], { verbs: ["*"] }), ask("patch", "pods"), true],
    ["every group with a star", everyGroup, ask("get", "pods", { group: "metrics" }), true],
    ["the named object", named, ask("get", "pods", { name: "a" }), true],
    ["no unnamed request when it is for names", named, ask("get", "pods"), false],
    ["a path", path("/metrics"), url("/metrics"), true],
    ["paths below", path("/api/*"), url("/api/v1"), true],
    ["no path beside", path("/api/*"), url("/apis"), false],
    ["no path for resources", rule(["*"], { apiGroups: ["*"] }), url("/metrics"), false],
  ])("allows %s", (_, given, asked, allows) => expect(ruleAllows(given, asked)).toBe(allows));
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

  const inTeam = { namespace: "team" };
  const readers = 'allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to';

  test.each<[name: string, who: UserInfo, asked: Attributes, want: boolean, reason?: string]>([
    ["follows a cluster-wide binding", person("ann"), ask("list", "pods"), true, `${readers} User "ann"`],
    ["knows groups", person("zoe", "staff"), ask("get", "pods", inTeam), true, `${readers} Group "staff"`],
    [
      "knows service accounts",
      serviceAccount("team", "robot"),
      ask("get", "pods"),
      true,
      'allowed by ClusterRoleBinding "accounts" of ClusterRole "reader" to ServiceAccount "robot/team"',
    ],
    [
      "takes the binding's namespace for a service account without one",
      serviceAccount("team", "here"),
      ask("get", "pods", inTeam),
      true,
      'allowed by RoleBinding "local/team" of ClusterRole "reader" to ServiceAccount "here/"',
    ],
    ["keeps a binding in its namespace", person("bob"), ask("get", "pods", { namespace: "other" }), false],
    ["keeps a binding from the whole cluster", person("bob"), ask("get", "pods"), false],
    [
      "follows a Role",
      person("bob"),
      ask("create", "pods", inTeam),
      true,
      'allowed by RoleBinding "writers/team" of Role "writer" to User "bob"',
    ],
    [
      "lets a binding in a namespace allow reading that namespace",
      person("bob"),
      ask("get", "namespaces", { name: "team" }),
      true,
      'allowed by RoleBinding "own/team" of ClusterRole "namespace-reader" to User "bob"',
    ],
    [
      "names a binding to nothing",
      person("carl"),
      ask("get", "pods", inTeam),
      false,
      'clusterrole.rbac.authorization.k8s.io "gone" not found',
    ],
    ["lets masters do everything", person("root", "system:masters"), url("/anything"), true],
  ])("%s", (_, who, asked, allowed, reason) => {
    expect(authorize(who, asked, roles)).toEqual({ allowed, reason: reason === undefined ? "" : `RBAC: ${reason}` });
  });
});
