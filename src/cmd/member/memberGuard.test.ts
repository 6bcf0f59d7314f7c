import { Environment, EvaluationError } from "@marcbachmann/cel-js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memberAccess } from "./memberAccess.ts";
import { accessGuard, userOf } from "./memberGuard.ts";

const access = memberAccess("0f3c1d2e-4b5a-6978-8796-a5b4c3d2e1f0", "meridian-system");

interface PolicySpec {
  failurePolicy: string;
  matchConditions: { expression: string }[];
  matchConstraints: unknown;
  variables: { name: string; expression: string }[];
  validations: { expression: string; message: string; reason: string }[];
}

const [policy, binding] = accessGuard({ ...access, protectedNamespaces: ["vault", "kube-flannel", "vault"] }, "uid-1");
const spec = policy?.["spec"] as PolicySpec;

describe("the guard of an account", () => {
  test("is about that account alone, and about everything that it writes", () => {
    expect(userOf(access)).toBe("system:serviceaccount:meridian-system:meridian-0f3c1d2e");
    expect(spec.matchConditions[0]?.expression).toBe(`request.userInfo.username == "${userOf(access)}"`);
    expect(spec.matchConstraints).toEqual({
      resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"], scope: "*" }],
    });
  });

  test("refuses when it cannot judge, and is enforced", () => {
    expect(spec.failurePolicy).toBe("Fail");
    expect(binding?.["spec"]).toEqual({ policyName: access.name, validationActions: ["Deny"] });
  });

  test("names the protected namespaces once", () => {
    expect(spec.validations[0]?.expression).toContain('variables.place in ["meridian-system","vault"]');
    expect(spec.validations[0]?.expression).toContain('startsWith("kube-")');
  });

  test("keeps an account that is bounded to namespaces in them", () => {
    const [bounded] = accessGuard({ ...access, namespaces: ["bank", "shop"] }, "uid-1");
    const { validations = [] } = (bounded?.["spec"] ?? {}) as Partial<PolicySpec>;
    const said = validations.map(({ message }) => message);
    const more = said.filter((message) => spec.validations.every((other) => other.message !== message));
    expect(more).toEqual(["a hub writes only into the namespaces that were granted to it"]);
    const rule = validations.find(({ message }) => message === more[0]);
    expect(rule?.expression).toContain('variables.place in ["bank","shop"]');
  });

  test("lets the account write a kind that gives power where that kind was granted by name", () => {
    const powers = (kinds: { group: string; plural: string; namespaced: boolean | undefined }[]) =>
      (accessGuard({ ...access, kinds }, "uid-1")[0]?.["spec"] as PolicySpec | undefined)?.validations.find(
        ({ message }) => message.includes("gives rights"),
      )?.expression;
    const any = { group: "*", plural: "*", namespaced: undefined };
    const crds = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions", namespaced: false };
    expect(powers([any])).toBe(powers([]));
    expect(powers([crds])).toContain('in ["apiextensions.k8s.io/customresourcedefinitions"]');
    expect(powers([])).not.toContain("customresourcedefinitions");
  });

  test("uses only variables that come before", () => {
    const known = new Set<string>();
    const usedBy = (expression: string): string[] =>
      [...expression.matchAll(/variables\.(\w+)/g)].map(([, name = ""]) => name);
    for (const { name, expression } of spec.variables) {
      for (const used of usedBy(expression)) expect(known).toContain(used);
      known.add(name);
    }
    for (const { expression } of spec.validations) for (const used of usedBy(expression)) expect(known).toContain(used);
  });

  test("goes with the ClusterRole, and carries the hub's name", () => {
    for (const object of [policy, binding]) {
      expect(object?.metadata).toEqual({
        name: access.name,
        labels: { "federation.paas.cmft.com/joined-to": access.hubId },
        ownerReferences: [
          { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: access.name, uid: "uid-1" },
        ],
      });
    }
  });
});

describe("everyday writes", () => {
  const HUB = access.hubId;
  const environment = new Environment({ homogeneousAggregateLiterals: false });
  for (const name of ["request", "object", "oldObject", "variables"]) environment.registerVariable(name, "dyn");
  /** What cannot be evaluated is refused. */
  const evaluate = (expression: string, context: object): unknown => {
    try {
      return environment.parse(expression)(context);
    } catch (error) {
      if (error instanceof EvaluationError) return "refused";
      throw error;
    }
  };

  /** Whether the policy looks at the write any further, and the refusals that it then comes to. */
  function judged(of: PolicySpec, write: object): { isEveryday: boolean; refusals: string[] } {
    const isEveryday = evaluate(of.matchConditions[1]?.expression ?? "", write) === false;
    const variables: Record<string, unknown> = {};
    for (const { name, expression } of of.variables) variables[name] = evaluate(expression, { ...write, variables });
    const refusals = of.validations.flatMap(({ expression, message }) =>
      evaluate(expression, { ...write, variables }) === true ? [] : [message],
    );
    return { isEveryday, refusals };
  }

  const MANAGED_BY = "federation.paas.cmft.com/managed-by";
  const configMap = (labels?: Record<string, string>) => ({
    metadata: { name: "a", ...(labels === undefined ? {} : { labels }) },
  });
  const ours = configMap({ [MANAGED_BY]: HUB });
  const request = (operation: string, more: object = {}) => ({
    operation,
    resource: { group: "", version: "v1", resource: "configmaps" },
    namespace: "shop",
    name: "a",
    ...more,
  });

  test.each([
    ["creates", { request: request("CREATE"), object: ours, oldObject: null }],
    ["updates", { request: request("UPDATE", { subResource: "" }), object: ours, oldObject: ours }],
    ["deletes", { request: request("DELETE"), object: null, oldObject: ours }],
  ])("are what Meridian %s", (_, write) => {
    expect(judged(spec, write)).toEqual({ isEveryday: true, refusals: [] });
  });

  const over = "a hub writes nothing over what belongs to the cluster, to another hub or to a controller";
  const theirs = (metadata: object) => ({ metadata: { name: "a", ...metadata } });
  const applied = [{ manager: "meridian", operation: "Apply" }];
  const AUTOUPDATED = { "apf.kubernetes.io/autoupdate-spec": "true" };
  const named = (resource: string, name: string) => ({ resource: { group: "", version: "v1", resource }, name });

  test.each<[what: string, oldObject: object, refusals: string[], of?: object]>([
    ["what is nobody's", theirs({}), []],
    ["what has a label of another hub that never wrote it", theirs({ labels: { [MANAGED_BY]: "another" } }), []],
    ["what another hub wrote", theirs({ labels: { [MANAGED_BY]: "another" }, managedFields: applied }), [over]],
    ["what was let go", theirs({ managedFields: applied }), []],
    ["what a controller made", theirs({ ownerReferences: [{ kind: "ReplicaSet", controller: true }] }), [over]],
    ["what has an owner that is no controller", theirs({ ownerReferences: [{ kind: "Deployment" }] }), []],
    ["what join made", theirs({ labels: { "federation.paas.cmft.com/joined-to": HUB } }), [over]],
    ["the Service of the API server", theirs({}), [over], named("services", "kubernetes")],
    ["the namespace that every cluster has", theirs({}), [over], named("namespaces", "default")],
    ["a namespace of others", theirs({}), [over], named("namespaces", "foreign")],
    ["the account that every namespace has", theirs({}), [over], named("serviceaccounts", "default")],
    ["what Kubernetes brings", theirs({}), [over], named("configmaps", "system:a")],
    ["a priority that Kubernetes brings", theirs({}), [over], named("priorityclasses", "system-node-critical")],
    ["what the API server keeps as it is", theirs({ annotations: AUTOUPDATED }), [over], named("flowschemas", "x")],
  ])("is no write that takes over %s, and that is judged", (_, oldObject, refusals, of = {}) => {
    expect(judged(spec, { request: request("UPDATE", of), object: ours, oldObject })).toEqual({
      isEveryday: false,
      refusals,
    });
  });

  test.each<[what: string, operation: string, object: object | null, oldObject: object, refused: boolean]>([
    ["label a namespace that it made", "UPDATE", ours, ours, false],
    ["let go of a namespace that it made", "UPDATE", theirs({}), ours, false],
    ["delete a namespace that it made", "DELETE", null, ours, false],
    ["label a namespace of others", "UPDATE", ours, theirs({}), true],
    ["delete a namespace of others", "DELETE", null, theirs({}), true],
    ["delete a namespace of another hub", "DELETE", null, theirs({ labels: { [MANAGED_BY]: "another" } }), true],
  ])("the account and a namespace: %s (%s)", (_, operation, object, oldObject, refused) => {
    const of = { ...named("namespaces", "a"), namespace: "a" };
    expect(judged(spec, { request: request(operation, of), object, oldObject }).refusals.length > 0).toBe(refused);
  });

  const labels = fc.option(fc.record({ [MANAGED_BY]: fc.constantFrom(HUB, "another") }, { requiredKeys: [] }), {
    nil: undefined,
  });
  const object = fc.option(fc.oneof(labels.map(configMap), fc.constant({})), { nil: null });
  const write = fc.record({
    request: fc.record(
      {
        operation: fc.constantFrom("CREATE", "UPDATE", "DELETE", "CONNECT"),
        resource: fc.record({
          group: fc.constantFrom("", "apps", "rbac.authorization.k8s.io", "apiextensions.k8s.io"),
          resource: fc.constantFrom("configmaps", "secrets", "namespaces", "serviceaccounts", "roles"),
        }),
        namespace: fc.constantFrom("", "shop", "bank", "vault", "kube-system", "meridian-system"),
        name: fc.constantFrom("a", access.name),
        subResource: fc.constantFrom("", "", "token", "status"),
      },
      { requiredKeys: ["operation", "resource", "name"] },
    ),
    object,
    oldObject: object,
  });

  test.each<[string, Partial<typeof access>]>([
    ["a whole cluster", {}],
    ["some namespaces", { namespaces: ["shop", "vault"] }],
  ])("are refused by no rule for %s", (_, more) => {
    const of = accessGuard({ ...access, protectedNamespaces: ["vault"], ...more }, "uid-1")[0]?.["spec"] as PolicySpec;
    fc.assert(
      fc.property(write, (one) => {
        const { isEveryday, refusals } = judged(of, one);
        if (isEveryday) expect(refusals).toEqual([]);
      }),
    );
  });

  describe("in a namespace of Kubernetes", () => {
    const RBAC = "rbac.authorization.k8s.io";
    const kinds = [{ group: RBAC, plural: "roles", namespaced: true }];
    const refusalsOf = (more: Partial<typeof access>, namespace: string, resource: string, group = RBAC): string[] => {
      const of = accessGuard({ ...access, kinds, ...more }, "uid-1")[0]?.["spec"] as PolicySpec;
      const write = request("CREATE", { namespace, resource: { group, version: "v1", resource } });
      return judged(of, { request: write, object: ours, oldObject: null }).refusals;
    };
    const allowProtected = [`kube-system/roles.${RBAC}`, "kube-system/configmaps"];

    test("are those of one kind in one namespace, as join has allowed it", () => {
      expect(refusalsOf({ allowProtected }, "kube-system", "roles")).toEqual([]);
      expect(refusalsOf({ allowProtected }, "kube-system", "configmaps", "")).toEqual([]);
      expect(refusalsOf({ allowProtected }, "kube-public", "roles")).not.toEqual([]);
      expect(refusalsOf({ allowProtected }, "kube-system", "services", "")).not.toEqual([]);
      expect(refusalsOf({ allowProtected }, "kube-system", "rolebindings")).not.toEqual([]);
      expect(refusalsOf({ allowProtected }, access.namespace, "configmaps", "")).not.toEqual([]);
      expect(refusalsOf({}, "kube-system", "roles")).not.toEqual([]);
      const protectedNamespaces = ["kube-system"];
      expect(refusalsOf({ allowProtected, protectedNamespaces }, "kube-system", "roles")).not.toEqual([]);
    });
  });
});
