import { describe, expect, test } from "vitest";
import type { ResourceType } from "../../runtime/index.ts";
import {
  checkBounded,
  consequences,
  nameOfKind,
  oneByOne,
  resolveHubKinds,
  resolveKinds,
  rightsToGiveRights,
} from "./grantedKinds.ts";

const type = (group: string, kind: string, plural: string, namespaced = true): ResourceType => ({
  group,
  version: "v1",
  kind,
  plural,
  namespaced,
});
const RBAC = "rbac.authorization.k8s.io";
const served = [
  type("", "ServiceAccount", "serviceaccounts"),
  type("", "Service", "services"),
  type("serving.knative.dev", "Service", "services"),
  type("", "Endpoints", "endpoints"),
  type("discovery.k8s.io", "EndpointSlice", "endpointslices"),
  type("networking.k8s.io", "Ingress", "ingresses"),
  type("extensions.example.com", "Ingress", "ingresses"),
  type("mysql.presslabs.org", "MysqlCluster", "mysqlclusters"),
  type("mysql.presslabs.org", "MysqlCluster", "mysqlclusters"),
  type("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", false),
  type(RBAC, "ClusterRole", "clusterroles", false),
  type(RBAC, "Role", "roles"),
  type(RBAC, "RoleBinding", "rolebindings"),
];
const resolve = (...names: string[]) => resolveKinds(names, served, "shanghai-1");

const namesOf = (...names: string[]) => resolve(...names).map(nameOfKind);

describe("the kinds of join", () => {
  test.each([
    ["mysqlclusters.mysql.presslabs.org", "mysqlclusters.mysql.presslabs.org"],
    ["MysqlCluster", "mysqlclusters.mysql.presslabs.org"],
    ["Ingress.networking.k8s.io", "ingresses.networking.k8s.io"],
    // Kubernetes' own goes before one of that name in another group.
    ["Service", "services"],
    ["certificates.cert-manager.io", "certificates.cert-manager.io"],
    ["*", "*"],
  ])("%s is %s", (name, want) => expect(namesOf(name)).toEqual([want]));

  test("are each there once, in order", () => {
    const want = ["mysqlclusters.mysql.presslabs.org", `roles.${RBAC}`];
    expect(namesOf("Role", "mysqlclusters.mysql.presslabs.org", "MysqlCluster", "Role")).toEqual(want);
  });

  test.each([
    ["Ingress", "Ingress is several kinds: give one of ingresses.networking.k8s.io, ingresses.extensions"],
    ["Certificate", "neither shanghai-1 nor the hub serves a kind Certificate"],
    ["Certificate.cert-manager.io", "give its plural and group"],
    ["Endpoints", "--kinds endpoints: leave it out, no policy places objects of this kind: "],
  ])("%s is refused", (name, says) => expect(() => resolve(name)).toThrow(says));

  test("that * stands for are those that are served, but for what is never placed and what gives power", () => {
    const powerful = [
      type("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "bindings", false),
      type("apiregistration.k8s.io", "APIService", "apiservices", false),
      type("certificates.k8s.io", "ClusterTrustBundle", "clustertrustbundles", false),
      type("", "Namespace", "namespaces", false),
    ];
    const all = resolveKinds(["*"], [...served, ...powerful], "shanghai-1");
    expect([...new Set(oneByOne(all).map(nameOfKind))]).toEqual([
      "serviceaccounts",
      "services",
      "services.serving.knative.dev",
      "ingresses.networking.k8s.io",
      "ingresses.extensions.example.com",
      "mysqlclusters.mysql.presslabs.org",
    ]);
    expect(namesOf("*", "Role")).toEqual(["*", `roles.${RBAC}`]);
    expect(oneByOne(resolve("*", "Role")).map(nameOfKind)).toContain(`roles.${RBAC}`);
  });
});

test("the kinds of install are those that the hub serves, and those of a group whose CRDs are still to come", () => {
  const kind = (group: string, plural: string, status = false) => ({ group, plural, status });
  const named = [kind("", "services"), kind("cert-manager.io", "certificates"), kind("*", "*")];
  const twice = [kind("", "mysqlclusters", true), kind("mysql.presslabs.org", "mysqlclusters")];
  expect(resolveHubKinds([...named, ...twice], served)).toEqual([
    ...named,
    kind("mysql.presslabs.org", "mysqlclusters", true),
  ]);
  expect(() => resolveHubKinds([kind("", "nosuch")], served)).toThrow("the hub serves no kind nosuch; give its plural");
});

test.each([
  ["has the kinds of its namespaces", resolve("Role", "certificates.cert-manager.io"), undefined],
  [
    "has no cluster-scoped kind",
    resolve("ClusterRole"),
    `--kinds clusterroles.${RBAC} needs rights in the whole cluster`,
  ],
  ["has not every kind", resolve("*"), "--kinds '*' needs rights"],
])("an account that is bounded to namespaces %s", (_, kinds, says) => {
  const check = expect(() => checkBounded(kinds, ["bank"]));
  if (says === undefined) check.not.toThrow();
  else check.toThrow(says);
  expect(() => checkBounded(kinds, undefined)).not.toThrow();
});

describe("the right to give rights", () => {
  test("comes with the kinds of RBAC alone, and only with those that were named", () => {
    const rule = (verb: string, ...resources: string[]) => ({ apiGroups: [RBAC], resources, verbs: [verb] });
    expect(rightsToGiveRights(resolve("MysqlCluster", "*"))).toEqual([]);
    expect(rightsToGiveRights(resolve("Role"))).toEqual([rule("escalate", "roles")]);
    const want = [rule("escalate", "clusterroles"), rule("bind", "clusterroles", "roles")];
    expect(rightsToGiveRights(resolve("ClusterRole", "RoleBinding"))).toEqual(want);
  });

  test("is told to whoever grants it, as is everything", () => {
    expect(consequences(resolve("MysqlCluster"))).toEqual([]);
    expect(consequences(resolve("*", "Role"))).toEqual([
      expect.stringMatching(/every kind that .* serve now, but for those that give power: .*join --renew adds/),
      expect.stringContaining(`roles.${RBAC}: whoever may place these on the hub can become administrator`),
    ]);
  });

  test("of definitions comes with a word on the objects that they define, unless all kinds are granted", () => {
    const objects = expect.stringContaining("grant the kinds that it defines too") as string;
    expect(consequences(resolve("CustomResourceDefinition", "MysqlCluster"))).toContainEqual(objects);
    expect(consequences(resolve("CustomResourceDefinition", "*"))).not.toContainEqual(objects);
  });
});
