import { describe, expect, test } from "vitest";
import { bundle, clusterRole, operator, serviceAccount } from "../../../test/builders/index.ts";
import { inFull, type KubeObject } from "../../apis/index.ts";
import { manifestsProblem, scopeProblem as judged, termsWithin } from "./bundleScope.ts";
import { type NamespaceTerms, namespaceTerms } from "../podSecurity/index.ts";

const KINDS = "federation.paas.cmft.com/allowed-bundle-kinds";
const NAMESPACES = "federation.paas.cmft.com/allowed-bundle-namespaces";
const terms = (annotations: Record<string, string> = {}, name = "shop") =>
  namespaceTerms({ name, annotations }, false, {
    elsewhere: (other) =>
      namespaceTerms(
        { name: other, annotations: { "federation.paas.cmft.com/allowed-service-accounts": "robot" } },
        false,
      ),
  });
const inside = (object: KubeObject, namespace = "shop"): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
});
const role = inside({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules: [] });
const scopeProblem = (...given: Parameters<typeof judged>) => {
  const problem = judged(...given);
  return problem && inFull(problem);
};
const command = "kubectl annotate --overwrite namespace shop";

describe("what a bundle may not bring is said with what to do", () => {
  test("of kinds", () => {
    expect(scopeProblem([clusterRole("r")], terms())).toEqual({
      reason: "NotAllowed",
      message: `ClusterRole r: kinds not allowed to bundles of shop: ClusterRole; an administrator allows it: ${command} ${KINDS}=ClusterRole`,
    });
  });

  test("of namespaces", () => {
    expect(scopeProblem([inside(serviceAccount("a"), "bank")], terms())).toEqual({
      reason: "NotAllowed",
      message: `ServiceAccount bank/a: namespaces not allowed to bundles of shop: bank; an administrator allows it: ${command} ${NAMESPACES}=bank`,
    });
  });

  test("of both, each once and in order, with the first object", () => {
    const objects = [
      inside(serviceAccount("fine")),
      inside(role, "vault"),
      inside(serviceAccount("a"), "bank"),
      clusterRole("r"),
      clusterRole("s"),
    ];
    expect(scopeProblem(objects, terms())?.message).toBe(
      `Role vault/r: kinds not allowed to bundles of shop: ClusterRole, Role; an administrator allows it: ${command} ${KINDS}=ClusterRole,Role ${NAMESPACES}=bank,vault`,
    );
  });

  test("and nothing where all is allowed", () => {
    const all = terms({ [KINDS]: "ClusterRole,Role", [NAMESPACES]: "bank" });
    expect(
      scopeProblem([clusterRole("r"), role, inside(role, "bank"), inside(serviceAccount("a"))], all),
    ).toBeUndefined();
    expect(scopeProblem([], terms())).toBeUndefined();
    expect(scopeProblem([inside(role, "bank")], terms({ [NAMESPACES]: "bank" }))?.message).toContain(`${KINDS}=Role`);
    expect(scopeProblem([inside(role, "bank")], terms({ [KINDS]: "Role" }))?.message).toContain(`${NAMESPACES}=bank`);
  });

  test("and with it what is allowed already, since the annotation is written whole", () => {
    const objects = [clusterRole("r"), role, inside(serviceAccount("a"), "bank"), inside(role, "kube-system")];
    const { message } = scopeProblem(objects, terms({ [KINDS]: "Role", [NAMESPACES]: "bank" })) ?? {};
    expect(message).toContain(`${KINDS}=ClusterRole,Role ${NAMESPACES}=bank,kube-system/Role`);
  });

  test("but for Meridian's own namespace, which nobody allows", () => {
    expect(scopeProblem([clusterRole("r"), inside(serviceAccount("a"), "meridian-system")], terms())).toEqual({
      reason: "ProtectedNamespace",
      message: "ServiceAccount meridian-system/a: nothing is written into the namespace meridian-system of members",
    });
  });
});

describe("manifests that cannot be sent", () => {
  test("are named by their field", () => {
    expect(manifestsProblem(bundle("b", [serviceAccount("a")]))).toBeUndefined();
    const bad = bundle("b", [{ ...serviceAccount("a"), status: {} }]);
    const problem = manifestsProblem(bad);
    expect(problem?.reason).toBe("InvalidManifest");
    expect(problem?.message).toMatch(/^spec\.manifests\[0\]\S* \S/);
  });
});

describe("the Pod Security level of an object of a bundle", () => {
  const labels = (enforce: string) => ({ "pod-security.kubernetes.io/enforce": enforce });
  test.each<[home: string, there: string, want: string]>([
    ["baseline", "privileged", "baseline"],
    ["privileged", "baseline", "baseline"],
    ["restricted", "baseline", "restricted"],
    ["privileged", "restricted", "restricted"],
    ["privileged", "privileged", "privileged"],
  ])("of %s in a namespace of %s is %s", (home, there, want) => {
    const elsewhere = (name: string) => namespaceTerms({ name, labels: labels(there) }, false);
    const own = namespaceTerms({ name: "shop", labels: labels(home) }, false, { elsewhere });
    const { of } = termsWithin([], own, false);
    expect(of?.(inside(operator("op"))).security.level).toBe(home);
    expect(of?.({ ...operator("op"), metadata: { name: "op", namespace: "bank" } }).security.level).toBe(want);
  });

  test("is that of the newer version where both are the same", () => {
    const versioned = (name: string, version: string): NamespaceTerms =>
      namespaceTerms(
        { name, labels: { ...labels("restricted"), "pod-security.kubernetes.io/enforce-version": version } },
        false,
        { elsewhere: (other) => versioned(other, "v1.20") },
      );
    const { of } = termsWithin([], versioned("shop", "v1.30"), false);
    expect(of?.({ ...operator("op"), metadata: { name: "op", namespace: "bank" } }).security.minor).toBe(30);
  });
});

describe("a service account that the bundle brings", () => {
  const objects = [inside(serviceAccount("own"))];
  const pod = (namespace?: string): KubeObject => {
    const { namespace: _, ...metadata } = operator("op").metadata;
    return { ...operator("op"), metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
  };
  const allows = (adopts: boolean, namespace: string | undefined, name: string, given = objects): boolean | undefined =>
    termsWithin(given, terms(), adopts).of?.(pod(namespace)).allowsServiceAccount(name);

  test("may run its pods in the account's namespace", () => {
    expect([allows(false, "shop", "own"), allows(false, undefined, "own"), allows(false, "bank", "own")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(allows(false, "shop", "other")).toBe(false);
  });

  test("may not where strangers are taken over", () => expect(allows(true, "shop", "own")).toBe(false));

  test("is one of the core group alone", () => {
    const other = { ...inside(serviceAccount("own")), apiVersion: "example.com/v1" };
    expect(allows(false, "shop", "own", [other])).toBe(false);
    expect(allows(false, "shop", "own", [{ ...inside(serviceAccount("own")), kind: "Secret" }])).toBe(false);
    expect(allows(false, "shop", "own", [serviceAccount("own")])).toBe(false);
  });

  test("stands beside what the namespace of the object allows", () => {
    expect([allows(false, "bank", "robot"), allows(false, "shop", "robot")]).toEqual([true, false]);
    const { of, namespace } = termsWithin(objects, terms(), false);
    expect(namespace).toBe("shop");
    expect(of?.(pod("bank")).namespace).toBe("bank");
    expect(of?.(pod("bank"))).toBe(of?.(pod("bank")));
  });
});
