import { describe, expect, test } from "vitest";
import { accessAccount, accessClusterRole, accessDependents, accessNamespace, memberAccess } from "./memberAccess.ts";

const hubId = "0f3c1d2e-4b5a-6978-8796-a5b4c3d2e1f0";
const access = memberAccess(hubId, "meridian-system");

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const owners = { clusterRole: "uid-1", account: "uid-2" };
const role = accessDependents(access, owners).find(({ kind }) => kind === "Role");
const rules = accessClusterRole(access)["rules"] as Rule[];
const ownRules = role?.["rules"] as Rule[];

/** What the rules allow with one verb, as `group/resource`, with the names it is limited to. */
function allowed(verb: string): string[] {
  return [...rules, ...ownRules]
    .filter(({ verbs }) => verbs.includes(verb))
    .flatMap(({ apiGroups, resources, resourceNames }) =>
      apiGroups.flatMap((group) =>
        resources.map(
          (resource) => `${group}/${resource}${resourceNames === undefined ? "" : ` [${resourceNames.join()}]`}`,
        ),
      ),
    )
    .sort();
}

describe("the rights on a member", () => {
  test("never contain a wildcard", () => {
    expect(JSON.stringify([rules, ownRules])).not.toContain("*");
  });

  test("allow to write what Meridian propagates, and its own account, and nothing else", () => {
    expect(allowed("create")).toEqual([
      "/configmaps",
      "/namespaces",
      "/secrets",
      "/serviceaccounts/token [meridian-0f3c1d2e]",
      "/services",
      "apps/deployments",
    ]);
    expect(allowed("patch")).toEqual(["/configmaps", "/namespaces", "/secrets", "/services", "apps/deployments"]);
    expect(allowed("delete")).toEqual([
      "/configmaps",
      "/namespaces",
      "/namespaces [meridian-system]",
      "/secrets",
      "/serviceaccounts [meridian-0f3c1d2e]",
      "/services",
      "apps/deployments",
      "rbac.authorization.k8s.io/clusterroles [meridian-0f3c1d2e]",
    ]);
  });

  test("allow no escalation: neither roles nor bindings nor impersonation", () => {
    const verbs = new Set([...rules, ...ownRules].flatMap((rule) => rule.verbs));
    expect([...verbs].sort()).toEqual(["create", "delete", "get", "list", "patch", "watch"]);
    for (const verb of ["create", "patch"]) expect(allowed(verb).some((what) => what.includes("rbac"))).toBe(false);
  });

  test("allow tokens only in the namespace of the account, by a Role", () => {
    expect(JSON.stringify(rules)).not.toContain("serviceaccounts/token");
    expect(ownRules[0]).toEqual({
      apiGroups: [""],
      resources: ["serviceaccounts/token"],
      resourceNames: ["meridian-0f3c1d2e"],
      verbs: ["create"],
    });
  });
});

describe("the objects on a member", () => {
  test("contain the hub in name and label, so that two hubs can share a member", () => {
    const other = memberAccess("99999999-4b5a-6978-8796-a5b4c3d2e1f0", "meridian-system");
    expect(other.name).not.toBe(access.name);
    for (const object of [
      accessNamespace(access),
      accessClusterRole(access),
      accessAccount(access),
      ...accessDependents(access, owners),
    ]) {
      expect(object.metadata.labels).toEqual({ "federation.paas.cmft.com/joined-to": hubId });
    }
  });

  test("hang on the ClusterRole, or on the account where they are the last rights of an account that removes itself", () => {
    const hangsOn = accessDependents(access, owners).map(({ kind, metadata }) => [
      kind,
      ...(metadata.ownerReferences ?? []).map(({ kind: owner, uid }) => `${owner} ${uid}`),
    ]);
    expect(hangsOn).toEqual([
      ["Role", "ServiceAccount uid-2"],
      ["RoleBinding", "ServiceAccount uid-2"],
      ["ClusterRoleBinding", "ClusterRole uid-1"],
    ]);
    expect(accessAccount(access).metadata.ownerReferences).toBeUndefined();
  });

  test("bind the roles to the one service account", () => {
    const bindings = accessDependents(access, owners).filter(({ kind }) => kind.endsWith("Binding"));
    expect(bindings.map(({ kind }) => kind)).toEqual(["RoleBinding", "ClusterRoleBinding"]);
    for (const binding of bindings) {
      expect(binding["subjects"]).toEqual([
        { kind: "ServiceAccount", namespace: "meridian-system", name: access.name },
      ]);
    }
  });
});
