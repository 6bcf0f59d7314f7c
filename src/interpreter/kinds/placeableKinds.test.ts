import { kindKey } from "../../apis/index.ts";
import { describe, expect, test } from "vitest";
import { neverPlacedAs, whyByNameOnly, whyNeverPlaced } from "./placeableKinds.ts";
import { isPropagated } from "../registry/registry.ts";

const kindOf = (text: string): { group: string; kind: string } => {
  const [group = "", kind = ""] = text.split("/");
  return { group, kind };
};

describe("a kind that is never placed", () => {
  const NEWS = "it tells what happened in one cluster";
  const KEPT = "the controllers of each cluster keep their own";
  const HARDWARE = "it stands for what a cluster is made of";
  const QUESTION = "it is a question to the server, and nothing that is stored";
  const OWN = "Meridian's own policies and clusters stay on the hub";

  test.each([
    ["/Binding", QUESTION],
    ["/ComponentStatus", NEWS],
    ["/Endpoints", KEPT],
    ["/Event", NEWS],
    ["/Namespace", "Meridian makes the namespaces on members that the objects in them need"],
    ["/Node", HARDWARE],
    ["apiregistration.k8s.io/APIService", "a broken one keeps every namespace of a member from being deleted"],
    ["apps/ControllerRevision", KEPT],
    ["authentication.k8s.io/TokenReview", QUESTION],
    ["authorization.k8s.io/SubjectAccessReview", QUESTION],
    ["certificates.k8s.io/CertificateSigningRequest", "it asks one cluster's authority for a certificate"],
    ["coordination.k8s.io/Lease", KEPT],
    ["discovery.k8s.io/EndpointSlice", KEPT],
    ["events.k8s.io/Event", NEWS],
    ["internal.apiserver.k8s.io/StorageVersion", KEPT],
    ["metrics.k8s.io/PodMetrics", NEWS],
    ["custom.metrics.k8s.io/MetricValueList", NEWS],
    ["external.metrics.k8s.io/ExternalMetricValueList", NEWS],
    ["networking.k8s.io/IPAddress", KEPT],
    ["resource.k8s.io/ResourceSlice", HARDWARE],
    ["storage.k8s.io/CSINode", HARDWARE],
    ["storage.k8s.io/CSIStorageCapacity", HARDWARE],
    ["storage.k8s.io/VolumeAttachment", KEPT],
    ["storagemigration.k8s.io/StorageVersionMigration", KEPT],
    ["federation.paas.cmft.com/MemberCluster", OWN],
  ])("%s: %s", (text, why) => {
    expect(whyNeverPlaced(kindOf(text))).toBe(why);
    expect(isPropagated(kindOf(text))).toBe(false);
  });

  test("is found by what a person may have meant, the first of them with its reason", () => {
    const asked = (isMeant: (name: string) => boolean) =>
      neverPlacedAs(({ group, kind }) => isMeant(kindKey({ group, kind })));
    expect(asked((name) => name.endsWith("/Node"))).toEqual({ kind: "Node", why: HARDWARE });
    expect(asked((name) => name.startsWith("events.k8s.io/"))).toEqual({ kind: "*", why: NEWS });
    expect(asked((name) => name.endsWith("/Deployment"))).toBeUndefined();
    expect(asked((name) => name.endsWith("/ManifestBundle"))).toBeUndefined();
    const own: string[] = [];
    expect(
      asked((name) => {
        if (name.startsWith("federation.paas.cmft.com/")) own.push(name.slice("federation.paas.cmft.com/".length));
        return false;
      }),
    ).toBeUndefined();
    expect(own).toEqual([
      "ClusterOverridePolicy",
      "ClusterPlacement",
      "ClusterResourceBinding",
      "MemberCluster",
      "OverridePolicy",
      "Placement",
      "ResourceBinding",
    ]);
    expect(asked((name) => name.endsWith("/Placement"))).toEqual({ kind: "Placement", why: OWN });
  });
});

describe("a kind that is sent as it is", () => {
  test.each([
    "/Secret",
    "/Pod",
    "/PersistentVolumeClaim",
    "apps/Deployment",
    "rbac.authorization.k8s.io/ClusterRole",
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
    expect(whyByNameOnly(kindOf("flowcontrol.apiserver.k8s.io/FlowSchema"))).toBe(
      "it can refuse every write of a cluster",
    );
  });
});
