import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import {
  accessAccount,
  accessClusterRole,
  accessDependents,
  accessNamespace,
  memberAccess,
  rememberedBy,
} from "./memberAccess.ts";
import type { PolicyRule } from "../workload/index.ts";

const hubId = "0f3c1d2e-4b5a-6978-8796-a5b4c3d2e1f0";
const access = memberAccess(hubId, "meridian-system");

const RBAC = "rbac.authorization.k8s.io";
const onNamespaces = { apiGroups: [""], resources: ["namespaces"] };
const owners = { clusterRole: "uid-1", account: "uid-2" };
const role = accessDependents(access, owners).find(({ kind }) => kind === "Role");
const rules = accessClusterRole(access)["rules"] as PolicyRule[];
const ownRules = role?.["rules"] as PolicyRule[];

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
  test("contain no wildcard, and no verb that gives rights", () => {
    expect(JSON.stringify([rules, ownRules])).not.toContain("*");
    const verbs = new Set([...rules, ...ownRules].flatMap((rule) => rule.verbs));
    expect([...verbs].sort()).toEqual(["create", "delete", "get", "list", "patch", "watch"]);
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

  test("allow tokens only in the namespace of the account, by a Role", () => {
    expect(JSON.stringify(rules)).not.toContain("serviceaccounts/token");
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
    const subjects = [{ kind: "ServiceAccount", namespace: "meridian-system", name: access.name }];
    expect(bindings).toMatchObject([{ subjects }, { subjects }]);
  });
});

describe("the rights on a member that is joined for some namespaces", () => {
  const bounded = memberAccess(hubId, "meridian-system", { namespaces: ["bank", "shop"] });
  const objects = accessDependents(bounded, owners);
  const clusterRules = accessClusterRole(bounded)["rules"] as PolicyRule[];
  const rulesIn = (namespace: string): PolicyRule[] =>
    objects
      .filter(({ kind, metadata }) => kind === "Role" && metadata.namespace === namespace)
      .flatMap((object) => object["rules"] as PolicyRule[]);

  test("are cluster-wide for the identity of the cluster and the end of the account, and for nothing else", () => {
    expect(clusterRules).toEqual([
      { ...onNamespaces, resourceNames: ["kube-system"], verbs: ["get", "list"] },
      { apiGroups: [RBAC], resources: ["clusterroles"], resourceNames: [bounded.name], verbs: ["delete"] },
    ]);
  });

  test("are the same in each of the namespaces as an unbounded account has, but on namespaces and nodes", () => {
    const given = new Set(["namespaces", "nodes"]);
    expect(rulesIn("bank")).toEqual(rulesIn("shop"));
    for (const rule of rulesIn("bank")) {
      expect(rules).toContainEqual(rule);
      for (const resource of rule.resources) expect(given.has(resource)).toBe(false);
    }
    const resources = rulesIn("bank").flatMap((rule) => rule.resources);
    expect(resources).toEqual(expect.arrayContaining(["configmaps", "deployments", "pods", "secrets", "services"]));
  });

  test("are bound in each of them to the one account, and go with the ClusterRole", () => {
    for (const namespace of ["bank", "shop"]) {
      const there = objects.filter(({ metadata }) => metadata.namespace === namespace);
      expect(there.map(({ kind }) => kind)).toEqual(["Role", "RoleBinding"]);
      for (const { metadata } of there) expect(metadata.ownerReferences?.[0]).toMatchObject({ uid: "uid-1" });
      expect(there[1]).toMatchObject({
        roleRef: { kind: "Role", name: bounded.name },
        subjects: [{ kind: "ServiceAccount", namespace: "meridian-system", name: bounded.name }],
      });
    }
  });

  test("let the account see in its own namespace whether anything else is there, and write nothing", () => {
    const own = rulesIn("meridian-system");
    const writing = own.filter(({ verbs }) => verbs.some((verb) => !["get", "list"].includes(verb)));
    const want = ["serviceaccounts/token", "serviceaccounts", "namespaces"];
    expect(writing.flatMap(({ resources }) => resources)).toEqual(want);
    expect(own).toContainEqual({ ...onNamespaces, resourceNames: ["meridian-system"], verbs: ["get"] });
  });
});

describe("the rights on kinds that were granted by name", () => {
  const database = { group: "mysql.presslabs.org", plural: "mysqlclusters", namespaced: true };
  const clusterRoles = { group: RBAC, plural: "clusterroles", namespaced: false };
  const verbs = ["get", "list", "watch", "create", "patch", "delete"];
  const onDatabases = { apiGroups: ["mysql.presslabs.org"], resources: ["mysqlclusters"], verbs };

  test("are those on every other kind, and nothing beside", () => {
    const more = accessClusterRole(memberAccess(hubId, "meridian-system", { kinds: [database] }));
    const added = (more["rules"] as PolicyRule[]).filter(
      (rule) => !rules.some((other) => JSON.stringify(other) === JSON.stringify(rule)),
    );
    expect(added).toEqual([onDatabases]);
    expect(more.metadata.annotations?.["federation.paas.cmft.com/kinds"]).toBe("mysqlclusters.mysql.presslabs.org");
  });

  test("are in the Roles where the account is bounded to namespaces", () => {
    const bounded = memberAccess(hubId, "meridian-system", { namespaces: ["bank"], kinds: [database] });
    expect(JSON.stringify(accessClusterRole(bounded)["rules"])).not.toContain("mysqlclusters");
    const there = accessDependents(bounded, owners).find(({ metadata }) => metadata.namespace === "bank");
    expect(there?.["rules"]).toContainEqual(onDatabases);
  });

  test("are those of all kinds only where that is said, kind by kind, without the right to give rights", () => {
    const any = { group: "*", plural: "*", namespaced: undefined, all: [database] };
    const more = accessClusterRole(memberAccess(hubId, "meridian-system", { kinds: [any] }));
    const role = more["rules"] as PolicyRule[];
    expect(role).toContainEqual(onDatabases);
    // A right on every group is one on the policies and bindings that bound the account.
    expect(JSON.stringify(role)).not.toContain('"*"');
    expect(more.metadata.annotations).toEqual({ "federation.paas.cmft.com/kinds": "*" });
    expect(new Set(role.flatMap((rule) => rule.verbs))).toEqual(new Set(verbs));
  });

  test("of RBAC bring the right to give rights along", () => {
    const role = accessClusterRole(memberAccess(hubId, "meridian-system", { kinds: [clusterRoles] }));
    expect(role["rules"]).toContainEqual({ apiGroups: [RBAC], resources: ["clusterroles"], verbs: ["escalate"] });
  });
});

test("what people asked for is remembered, for a later join that does not say it again", () => {
  const kinds = [
    { group: "", plural: "pods", namespaced: true },
    { group: "*", plural: "*", namespaced: undefined },
  ];
  const asked = {
    protectedNamespaces: ["vault", "db"],
    allowProtected: [`kube-system/roles.${RBAC}`],
    reads: ["pods/log"],
  };
  const role = accessClusterRole(memberAccess(hubId, "meridian-system", { ...asked, kinds }));
  expect(rememberedBy(role)).toEqual({ ...asked, kinds: ["pods", "*"] });
  const nothing = { kinds: [], protectedNamespaces: [], allowProtected: [], reads: [] };
  expect(rememberedBy(accessClusterRole(access))).toEqual(nothing);
  expect(accessClusterRole(access).metadata).not.toHaveProperty("annotations");
  expect(rememberedBy(undefined)).toEqual(nothing);
});

describe("logs of pods", () => {
  const LOGS = { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] };
  const rulesOf = (objects: readonly KubeObject[]): unknown[] =>
    objects.flatMap((one) => (one["rules"] ?? []) as unknown[]);

  test("may be read only if that was asked for", () => {
    const plain = [accessClusterRole(access), ...accessDependents(access, owners)];
    expect(JSON.stringify(rulesOf(plain))).not.toContain("pods/log");
    const asked = memberAccess(hubId, "meridian-system", { reads: ["pods/log"] });
    expect(accessClusterRole(asked)["rules"]).toContainEqual(LOGS);
  });

  test("may be read only in granted namespaces, with what leads to the pods", () => {
    const bounded = memberAccess(hubId, "meridian-system", { namespaces: ["shop"], reads: ["pods/log"] });
    expect(accessClusterRole(bounded)["rules"]).not.toContainEqual(LOGS);
    const roles = accessDependents(bounded, owners).filter(({ kind }) => kind === "Role");
    const [shop, own] = [roles.find(inNamespace("shop")), roles.find(inNamespace("meridian-system"))];
    expect(shop?.["rules"]).toEqual(
      expect.arrayContaining([LOGS, { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["list"] }]),
    );
    expect(own?.["rules"]).not.toContainEqual(LOGS);
  });
});

function inNamespace(namespace: string): (object: KubeObject) => boolean {
  return ({ metadata }) => metadata.namespace === namespace;
}
