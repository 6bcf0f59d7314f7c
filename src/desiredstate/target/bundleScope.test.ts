import { describe, expect, test } from "vitest";
import { bundle, clusterRole, definition, operator, serviceAccount, widget } from "../../../test/builders/index.ts";
import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  ALLOWED_BUNDLE_NAMESPACES_ANNOTATION,
  fullMessage,
  type KubeObject,
  type PlacementSpec,
} from "../../apis/index.ts";
import { namespaceTerms } from "../podSecurity/index.ts";
import { at, clusterPlacement, hub, NOW, overrides, placement, snapshot } from "../testing/builders.ts";
import { computeTarget } from "./target.ts";
import type { Target } from "../types.ts";

const SELECTS = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
const selects = (spec: Partial<PlacementSpec> = {}): Partial<PlacementSpec> => ({
  resourceSelectors: [SELECTS],
  ...spec,
});

function targetOf(
  manifests: readonly KubeObject[],
  annotations: Record<string, string> = {},
  more: object = {},
): Target {
  const elsewhere = (name: string) =>
    namespaceTerms({ name, labels: { "pod-security.kubernetes.io/enforce": "restricted" } }, false);
  const terms = namespaceTerms({ name: "default", annotations }, false, { elsewhere });
  const object = bundle("op", manifests, { uid: "b" });
  return computeTarget(snapshot({ object, placements: [placement("p", selects())], terms, ...more }), NOW);
}

const problemOf = (target: Target) => target.clusters[0]?.problem;
const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules: [] };

describe("a tenant's bundle", () => {
  test("may bring objects of its own namespace, and run pods as a service account that it brings", () => {
    const target = targetOf([serviceAccount("op"), operator("op"), widget("w")]);
    expect(problemOf(target)).toBeUndefined();
    expect(target.clusters[0]?.objects.map(({ ref, phase }) => [ref.kind, ref.namespace, phase])).toEqual([
      ["ServiceAccount", "default", 1],
      ["Deployment", "default", 2],
      ["Widget", "default", 4],
    ]);
  });

  test.each<{ name: string; manifests: KubeObject[]; reason: string; says: string }>([
    {
      name: "a cluster-scoped object",
      manifests: [clusterRole("r")],
      reason: "NotAllowed",
      says: "allowed-bundle-kinds",
    },
    { name: "rights in its own namespace", manifests: [role], reason: "NotAllowed", says: "allowed-bundle-kinds" },
    {
      name: "an object in another namespace",
      manifests: [{ ...serviceAccount("a"), metadata: { name: "a", namespace: "bank" } }],
      reason: "NotAllowed",
      says: "allowed-bundle-namespaces",
    },
    {
      name: "an object in Meridian's own namespace",
      manifests: [{ ...serviceAccount("a"), metadata: { name: "a", namespace: "meridian-system" } }],
      reason: "ProtectedNamespace",
      says: "meridian-system",
    },
    {
      name: "pods of a service account of the member's",
      manifests: [operator("op", "prometheus")],
      reason: "NotAllowed",
      says: "serviceAccountName must not be prometheus",
    },
    {
      name: "something that cannot be sent",
      manifests: [{ ...role, status: {} } as KubeObject],
      reason: "InvalidManifest",
      says: "status",
    },
  ])("may not bring $name", ({ manifests, reason, says }) => {
    const target = targetOf(manifests);
    expect(problemOf(target)).toMatchObject({ reason });
    expect(fullMessage(problemOf(target)?.message ?? "")).toContain(says);
    expect(target.clusters[0]?.objects).toEqual([]);
  });

  test("is not let through by a ClusterPlacement: that says where objects run, and not what they may be", () => {
    const target = targetOf([clusterRole("r")], {}, { placements: [clusterPlacement("all", selects())] });
    expect(problemOf(target)).toMatchObject({ reason: "NotAllowed" });
  });

  test("may bring what the annotations of its namespace name, and no more", () => {
    const kinds = { [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "ClusterRole, Role" };
    expect(problemOf(targetOf([clusterRole("r"), role], kinds))).toBeUndefined();
    expect(problemOf(targetOf([definition()], kinds))).toMatchObject({ reason: "NotAllowed" });
    expect(problemOf(targetOf([definition()], { [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "*" }))).toBeUndefined();
    const account = { ...serviceAccount("a"), metadata: { name: "a", namespace: "bank" } };
    expect(problemOf(targetOf([account], { [ALLOWED_BUNDLE_NAMESPACES_ANNOTATION]: "bank" }))).toBeUndefined();
  });

  test("may bring one kind into a namespace of Kubernetes where both are named, whatever else is allowed", () => {
    const binding = { ...role, kind: "RoleBinding", metadata: { name: "reader", namespace: "kube-system" } };
    const annotated = (value: string) =>
      problemOf(
        targetOf([binding], {
          [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "*",
          [ALLOWED_BUNDLE_NAMESPACES_ANNOTATION]: value,
        }),
      );
    expect(annotated("bank,kube-system/RoleBinding")).toBeUndefined();
    for (const value of ["*", "kube-system", "kube-system/*", "kube-system/Role", "kube-public/RoleBinding"])
      expect(annotated(value)).toMatchObject({ reason: "NotAllowed" });
    const detail = fullMessage(annotated("bank")?.message ?? "");
    expect(detail).toContain("allowed-bundle-namespaces=kube-system/RoleBinding");
    expect(detail).toContain("meridian join NAME --renew --allow-protected kube-system/RoleBinding");
  });

  test("takes over no service account of that name for its pods", () => {
    const placements = [placement("p", selects({ conflictResolution: "Adopt" }))];
    expect(problemOf(targetOf([serviceAccount("op"), operator("op")], {}, { placements }))).toMatchObject({
      reason: "NotAllowed",
    });
  });

  test("has its pods judged by the namespace that they go to", () => {
    const elsewhere = operator("op", "default", { namespace: "bank" });
    const target = targetOf([elsewhere], { [ALLOWED_BUNDLE_NAMESPACES_ANNOTATION]: "bank" });
    expect(problemOf(target)).toMatchObject({ reason: "PodSecurity" });
    expect(fullMessage(problemOf(target)?.message ?? "")).toContain("level restricted");
  });
});

describe("a bundle that no policy places", () => {
  test("is not put onto the hub, also where the hub is a member: it is there because it must not be on the hub", () => {
    const target = targetOf([serviceAccount("op")], {}, { placements: [], clusters: [hub] });
    expect([target.scheduled.reason, target.clusters]).toEqual(["NoPlacement", []]);
  });
});

describe("overrides of a bundle", () => {
  const policy = (rule: object) =>
    ({ ...overrides("o", rule as never), spec: { resourceSelectors: [SELECTS], rules: [rule] } }) as never;
  const manifests = [serviceAccount("op"), operator("op")];

  test("set replicas and images of its workloads, and patch by kind", () => {
    const rule = {
      replicas: 3,
      image: { tag: "2" },
      patches: [{ kind: "ServiceAccount", op: "add", path: "/automountServiceAccountToken", value: false }],
    };
    const target = targetOf(manifests, {}, { overrides: [policy(rule)] });
    const deployment = at(target, "shanghai-1", "Deployment") as unknown as {
      spec: { replicas: number; template: { spec: { containers: { image: string }[] } } };
    };
    expect(deployment.spec.replicas).toBe(3);
    expect(deployment.spec.template.spec.containers[0]?.image).toBe("operator:2");
    expect(at(target, "shanghai-1", "ServiceAccount")).toMatchObject({ automountServiceAccountToken: false });
  });

  test("cannot move an object, or give pods more than the namespace may", () => {
    const moved = policy({
      patches: [{ kind: "Deployment", op: "replace", path: "/metadata/namespace", value: "bank" }],
    });
    expect(problemOf(targetOf(manifests, {}, { overrides: [moved] }))).toMatchObject({ reason: "ProtectedField" });
    const host = policy({
      patches: [{ kind: "Deployment", op: "add", path: "/spec/template/spec/hostPID", value: true }],
    });
    expect(problemOf(targetOf(manifests, {}, { overrides: [host] }))).toMatchObject({ reason: "PodSecurity" });
  });
});
