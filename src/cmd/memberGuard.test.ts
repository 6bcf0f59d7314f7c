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

const [policy, binding] = accessGuard(access, "uid-1", ["vault", "kube-flannel", "vault"]);
const spec = policy?.["spec"] as PolicySpec;

describe("the guard of an account", () => {
  test("is about that account alone, and about everything that it writes", () => {
    expect(userOf(access)).toBe("system:serviceaccount:meridian-system:meridian-0f3c1d2e");
    expect(spec.matchConditions.map(({ expression }) => expression)).toEqual([
      `request.userInfo.username == "${userOf(access)}"`,
    ]);
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

  test("says of each refusal what it is, as forbidden", () => {
    for (const { message, reason } of spec.validations) {
      expect(message).toMatch(/^a hub writes /);
      expect(reason).toBe("Forbidden");
    }
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
