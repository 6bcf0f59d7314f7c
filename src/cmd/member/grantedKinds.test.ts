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

describe("the kinds of join", () => {
  test.each([
    { name: "mysqlclusters.mysql.presslabs.org", want: "mysqlclusters.mysql.presslabs.org" },
    { name: "MysqlCluster.mysql.presslabs.org", want: "mysqlclusters.mysql.presslabs.org" },
    { name: "MysqlCluster", want: "mysqlclusters.mysql.presslabs.org" },
    { name: "Ingress.networking.k8s.io", want: "ingresses.networking.k8s.io" },
    { name: "serviceaccounts", want: "serviceaccounts" },
    // Kubernetes' own goes before one of that name in another group.
    { name: "Service", want: "services" },
    { name: "certificates.cert-manager.io", want: "certificates.cert-manager.io" },
    { name: "*", want: "*" },
  ])("$name is $want", ({ name, want }) => expect(resolve(name).map(nameOfKind)).toEqual([want]));

  test("are each there once, in order", () => {
    expect(resolve("Role", "mysqlclusters.mysql.presslabs.org", "MysqlCluster", "Role").map(nameOfKind)).toEqual([
      "mysqlclusters.mysql.presslabs.org",
      `roles.${RBAC}`,
    ]);
  });

  test.each([
    {
      name: "Ingress",
      says: "Ingress is several kinds: give one of ingresses.networking.k8s.io, ingresses.extensions",
    },
    { name: "Certificate", says: "neither shanghai-1 nor the hub serves a kind Certificate" },
    { name: "Certificate.cert-manager.io", says: "give its plural and group" },
    { name: "Endpoints", says: "--kinds endpoints: leave it out, no policy places objects of this kind: " },
    { name: "endpointslices.discovery.k8s.io", says: "--kinds endpointslices.discovery.k8s.io: leave it out" },
  ])("$name is refused", ({ name, says }) => expect(() => resolve(name)).toThrow(says));
});

describe("all kinds", () => {
  test("are those that are served, but for what is never placed and what gives power", () => {
    const powerful = [
      type(
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
        false,
      ),
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
  });

  test("are recorded as such, and those that give power beside them by name", () => {
    const kinds = resolve("*", "Role");
    expect(kinds.map(nameOfKind)).toEqual(["*", `roles.${RBAC}`]);
    expect(oneByOne(kinds).map(nameOfKind)).toContain(`roles.${RBAC}`);
    expect(oneByOne(kinds).map(nameOfKind)).not.toContain("*");
  });
});

describe("the kinds of install", () => {
  const kind = (group: string, plural: string, status = false) => ({ group, plural, status });

  test("are those that the hub serves, and those of a group whose CRDs are still to come", () => {
    const wanted = [
      kind("", "services"),
      kind("", "mysqlclusters", true),
      kind("mysql.presslabs.org", "mysqlclusters"),
      kind("cert-manager.io", "certificates"),
      kind("*", "*"),
    ];
    expect(resolveHubKinds(wanted, served)).toEqual([
      kind("", "services"),
      kind("mysql.presslabs.org", "mysqlclusters", true),
      kind("cert-manager.io", "certificates"),
      kind("*", "*"),
    ]);
  });

  test("are refused where nobody knows them", () => {
    expect(() => resolveHubKinds([kind("", "nosuch")], served)).toThrow(
      "the hub serves no kind nosuch; give its plural and group",
    );
  });

  test("are refused where no policy places them", () => {
    expect(() => resolveHubKinds([kind("", "endpoints")], served)).toThrow("--kinds endpoints: leave it out");
  });
});

describe("an account that is bounded to namespaces", () => {
  test.each([
    {
      name: "has the kinds of its namespaces",
      kinds: resolve("Role", "certificates.cert-manager.io"),
      says: undefined,
    },
    {
      name: "has no cluster-scoped kind",
      kinds: resolve("ClusterRole"),
      says: `--kinds clusterroles.${RBAC} needs rights in the whole cluster`,
    },
    { name: "has not every kind", kinds: resolve("*"), says: "--kinds '*' needs rights" },
  ])("$name", ({ kinds, says }) => {
    const check = () => checkBounded(kinds, ["bank"]);
    if (says === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(says);
    expect(() => checkBounded(kinds, undefined)).not.toThrow();
  });
});

describe("the right to give rights", () => {
  test("comes with the kinds of RBAC alone, and only with those that were named", () => {
    expect(rightsToGiveRights(resolve("MysqlCluster", "*"))).toEqual([]);
    expect(rightsToGiveRights(resolve("Role"))).toEqual([
      { apiGroups: [RBAC], resources: ["roles"], verbs: ["escalate"] },
    ]);
    expect(rightsToGiveRights(resolve("ClusterRole", "RoleBinding"))).toEqual([
      { apiGroups: [RBAC], resources: ["clusterroles"], verbs: ["escalate"] },
      { apiGroups: [RBAC], resources: ["clusterroles", "roles"], verbs: ["bind"] },
    ]);
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
