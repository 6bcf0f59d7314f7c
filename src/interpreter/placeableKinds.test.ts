import { describe, expect, test } from "vitest";
import { whyByNameOnly, whyNeverPlaced } from "./placeableKinds.ts";
import { isPropagated } from "./registry.ts";

const kindOf = (text: string): { group: string; kind: string } => {
  const [group = "", kind = ""] = text.split("/");
  return { group, kind };
};

describe("a kind that is never placed", () => {
  test.each([
    "/Event",
    "events.k8s.io/Event",
    "coordination.k8s.io/Lease",
    "/Endpoints",
    "discovery.k8s.io/EndpointSlice",
    "/Node",
    "/Namespace",
    "/Binding",
    "/ComponentStatus",
    "apps/ControllerRevision",
    "apiregistration.k8s.io/APIService",
    "authentication.k8s.io/TokenReview",
    "authorization.k8s.io/SubjectAccessReview",
    "certificates.k8s.io/CertificateSigningRequest",
    "metrics.k8s.io/PodMetrics",
    "storage.k8s.io/VolumeAttachment",
    "federation.paas.cmft.com/MemberCluster",
    "federation.paas.cmft.com/Placement",
    "federation.paas.cmft.com/ClusterResourceBinding",
  ])("%s has its reason", (text) => {
    expect(whyNeverPlaced(kindOf(text))).toMatch(/^\w/);
    expect(isPropagated(kindOf(text))).toBe(false);
  });
});

describe("a kind that is sent as it is", () => {
  test.each([
    "/ConfigMap",
    "/Secret",
    "/Service",
    "/ServiceAccount",
    "/Pod",
    "/PersistentVolume",
    "/PersistentVolumeClaim",
    "apps/Deployment",
    "apps/StatefulSet",
    "batch/Job",
    "networking.k8s.io/Ingress",
    "rbac.authorization.k8s.io/ClusterRole",
    "rbac.authorization.k8s.io/RoleBinding",
    "apiextensions.k8s.io/CustomResourceDefinition",
    "mysql.presslabs.org/MysqlCluster",
    "example.com/Event",
  ])("%s", (text) => {
    expect(whyNeverPlaced(kindOf(text))).toBeUndefined();
    expect(whyByNameOnly(kindOf(text))).toBeUndefined();
    expect(isPropagated(kindOf(text))).toBe(true);
  });

  test("of Meridian's own only bundles are placed, as what they hold", () => {
    const bundle = kindOf("federation.paas.cmft.com/ManifestBundle");
    expect([whyNeverPlaced(bundle), whyByNameOnly(bundle)]).toEqual([undefined, undefined]);
    expect(isPropagated(bundle)).toBe(false);
  });

  test("of some kinds only what a selector names", () => {
    const webhooks = kindOf("admissionregistration.k8s.io/ValidatingWebhookConfiguration");
    expect(whyByNameOnly(webhooks)).toBe("it can refuse every write of a cluster");
    expect(isPropagated(webhooks)).toBe(true);
  });

  test("is not a kind that becomes other objects", () =>
    expect(isPropagated(kindOf("paas.cmft.com/DemoApplication"))).toBe(false));
});
