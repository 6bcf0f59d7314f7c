import { describe, expect, test } from "vitest";
import { clusterRole, operator, serviceAccount } from "../../../test/builders/index.ts";
import { inFull, type KubeObject } from "../../apis/index.ts";
import { scopeProblem as judged, termsWithin } from "./bundleScope.ts";
import { namespaceTerms } from "../podSecurity/index.ts";

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

  test("is one of the core group alone", () => {
    const other = { ...inside(serviceAccount("own")), apiVersion: "example.com/v1" };
    expect(allows(false, "shop", "own", [other])).toBe(false);
    expect(allows(false, "shop", "own", [{ ...inside(serviceAccount("own")), kind: "Secret" }])).toBe(false);
    expect(allows(false, "shop", "own", [serviceAccount("own")])).toBe(false);
  });
});
