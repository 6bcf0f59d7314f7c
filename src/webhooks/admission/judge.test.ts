import { describe, expect, test } from "vitest";
import { BAD_OBJECTS } from "../../../test/builders/badObjects.ts";
import {
  applicationObject,
  clusterObject,
  clusterOverrideObject,
  clusterPlacementObject,
  overrideObject,
  patchObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import { type KubeObject, ROLLOUT_COMMAND_ANNOTATION } from "../../apis/index.ts";
import { applicationFactsOf, factsOf, requestOf } from "../testing/facts.ts";
import {
  cluster,
  demo,
  everywhere,
  kubeconfig,
  labelled,
  NOW,
  other,
  PROTECTION,
  said,
  selecting,
  withPort,
} from "../testing/judging.ts";
import { judgeRequest, judgeShape } from "./judge.ts";
import type { AdmissionFacts, AdmissionRequest } from "./types.ts";

describe("approvals in the format of an earlier release", () => {
  const annotated = (approvals?: object): KubeObject => {
    const object = applicationObject({});
    const command = JSON.stringify({ revision: 2, paused: true, ...(approvals === undefined ? {} : { approvals }) });
    return { ...object, metadata: { ...object.metadata, annotations: { [ROLLOUT_COMMAND_ANNOTATION]: command } } };
  };
  const fields = (request: AdmissionRequest): string[] =>
    judgeRequest(request, factsOf({}), NOW).problems.map(({ field }) => field);
  const outdated = [`metadata.annotations[${ROLLOUT_COMMAND_ANNOTATION}]`];

  test("are refused, and keep nobody from another change where they stand already", () => {
    const [paused, approved] = [annotated(), annotated({ canary: "alice" })];
    expect(fields(requestOf("CREATE", paused))).toEqual([]);
    expect(fields(requestOf("CREATE", approved))).toEqual(outdated);
    expect(fields(requestOf("UPDATE", approved, paused))).toEqual(outdated);
    expect(fields(requestOf("UPDATE", approved, approved))).toEqual([]);
    const larger = { ...approved, spec: { image: "nginx", replica: 101 } };
    expect(fields(requestOf("UPDATE", larger, approved))).toEqual(["spec.replica"]);
  });
});

describe("a request is refused with a word on what to change", () => {
  test.each<{ name: string; request: AdmissionRequest; facts?: Partial<AdmissionFacts>; want: RegExp }>([
    {
      name: "too many replicas",
      request: requestOf("CREATE", applicationObject({ replica: 101 })),
      want: /^spec\.replica: 101 is not within 1 to 100; set it to 100 or less, or let the platform widen/,
    },
    {
      name: "more than the namespace's own bound",
      request: requestOf("CREATE", applicationObject({ replica: 6 })),
      facts: { replicaBounds: { least: 0, most: 5 } },
      want: /set it to 5 or less/,
    },
    {
      name: "kubectl scale beyond the bound",
      request: {
        ...requestOf("UPDATE", {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "a" },
          spec: { replicas: 101 },
        }),
        subResource: "scale",
      },
      want: /^spec\.replicas: 101/,
    },
    {
      name: "a tenant's override beyond the bound",
      request: requestOf("CREATE", overrideObject({ replicas: 101 })),
      want: /^spec\.rules\[0\]\.replicas: 101/,
    },
    {
      name: "the same by a patch",
      request: requestOf("CREATE", patchObject({ op: "replace", path: "/spec/replicas", value: 101 })),
      want: /^spec\.rules\[0\]\.patches\[0\]\.value: 101/,
    },
    {
      name: "a tenant's policy that selects in another namespace",
      request: requestOf("CREATE", placementObject(selecting({ ...demo, namespace: "b" }))),
      want: /^spec\.resourceSelectors\[0\]\.namespace: a Placement of namespace default selects nothing in b; remove the field/,
    },
    {
      name: "a tenant's policy for objects of no namespace",
      request: requestOf("CREATE", placementObject(selecting({ apiVersion: "v1", kind: "PersistentVolume" }))),
      want: /PersistentVolume belongs to no namespace.*let the platform write a ClusterPlacement/,
    },
    {
      name: "a tenant's policy that selects by the labels of namespaces",
      request: requestOf("CREATE", placementObject(selecting({ ...demo, namespaceSelector: {} }))),
      want: /^spec\.resourceSelectors: remove namespaceSelector; it is for ClusterPlacement/,
    },
    {
      name: "a policy that names a namespace and labels of namespaces",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ ...demo, namespace: "a", namespaceSelector: {} })),
      ),
      want: /namespaceSelector: remove it, or remove namespace/,
    },
    {
      name: "a policy that names a namespace of objects that belong to none",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "v1", kind: "PersistentVolume", namespace: "a" })),
      ),
      want: /^spec\.resourceSelectors\[0\]\.namespace: PersistentVolume belongs to no namespace, so this selects nothing; remove/,
    },
    {
      name: "a policy that selects them by the labels of namespaces",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "v1", kind: "PersistentVolume", namespaceSelector: {} })),
      ),
      want: /^spec\.resourceSelectors\[0\]\.namespaceSelector: PersistentVolume belongs to no namespace/,
    },
    {
      name: "a kind that is never placed",
      request: requestOf("CREATE", clusterPlacementObject(selecting({ apiVersion: "v1", kind: "Namespace" }))),
      want: /^spec\.resourceSelectors\[0\]\.kind: Namespace cannot be placed: Meridian makes the namespaces on members/,
    },
    {
      name: "a kind that is never placed, in an override",
      request: requestOf("CREATE", {
        ...overrideObject({ replicas: 2 }),
        spec: { ...selecting({ apiVersion: "v1", kind: "Event" }), rules: [{ replicas: 2 }] },
      }),
      want: /^spec\.resourceSelectors\[0\]\.kind: Event cannot be placed: it tells what happened in one cluster/,
    },
    {
      name: "all webhook configurations",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(
          selecting({ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" }),
        ),
      ),
      facts: { servedKinds: undefined },
      want: /^spec\.resourceSelectors\[0\]\.name: say which ValidatingWebhookConfiguration is meant/,
    },
    {
      name: "a kind of which the hub keeps no objects",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "example.com/v1", kind: "Question" })),
      ),
      want: /\.kind: Question cannot be listed and watched on the hub, so it cannot be placed$/,
    },
    {
      name: "declared dependencies of objects that have no namespace",
      request: requestOf(
        "CREATE",
        clusterPlacementObject({
          ...selecting({ apiVersion: "example.com/v1", kind: "Region" }),
          dependencies: { fields: [{ kind: "Secret", path: "spec.secretName" }] },
        }),
      ),
      facts: { servedKinds: [{ group: "example.com", version: "v1", kind: "Region", namespaced: false }] },
      want: /^spec\.dependencies\.fields: objects of Region have no namespace.*remove the fields$/,
    },
    {
      name: "an expression of health that cannot be read",
      request: requestOf(
        "CREATE",
        placementObject({ resourceSelectors: [demo], health: [{ kind: "MysqlCluster", available: "object.status." }] }),
      ),
      want: /^spec\.health\[0\]\.available: column 15: /,
    },
    {
      name: "an expression of health that is neither true nor false",
      request: requestOf(
        "CREATE",
        clusterPlacementObject({
          resourceSelectors: [demo],
          health: [
            { kind: "Deployment", available: "true" },
            { kind: "MysqlCluster", failed: "'yes'" },
          ],
        }),
      ),
      want: /^spec\.health\[1\]\.failed: the value is of type string, and must be true or false$/,
    },
    {
      name: "a version that is not served",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "apps/v1beta1", kind: "Deployment" })),
      ),
      want: /\.apiVersion: the hub does not serve Deployment in apps\/v1beta1; write apps\/v1$/,
    },
    {
      name: "a kind that another group has",
      request: requestOf(
        "CREATE",
        clusterPlacementObject(selecting({ apiVersion: "extensions/v1", kind: "Deployment" })),
      ),
      want: /\.kind: .* did you mean apiVersion apps\/v1\?$/,
    },
    {
      name: "a kind that is nowhere",
      request: requestOf("CREATE", placementObject(selecting({ apiVersion: "example.com/v1", kind: "Gadget" }))),
      want: /check the spelling, or install its CRD/,
    },
    {
      name: "a patch of a label that is Meridian's",
      request: requestOf(
        "CREATE",
        patchObject({ op: "remove", path: "/metadata/labels/federation.paas.cmft.com~1managed-by" }),
      ),
      want: /\.path: .* is protected/,
    },
    {
      name: "one that is moved away",
      request: requestOf(
        "CREATE",
        patchObject({
          op: "move",
          from: "/metadata/annotations/federation.paas.cmft.com~1owner",
          path: "/metadata/annotations/x",
        }),
      ),
      want: /\.from: .* is protected/,
    },
    {
      name: "one that comes with a whole map, from the platform too",
      request: requestOf(
        "CREATE",
        clusterOverrideObject({
          patches: [{ op: "add", path: "/metadata/labels", value: { "federation.paas.cmft.com/managed-by": "x" } }],
        }),
      ),
      want: /\.value: federation\.paas\.cmft\.com\/managed-by is protected.*remove it/,
    },
    {
      name: "a node port that is taken on a cluster where it would run",
      request: requestOf("CREATE", withPort()),
      facts: {
        applicationsWithNodePort: () => [other],
        placements: [everywhere],
        clusters: [cluster("a"), cluster("b")],
      },
      want: /^spec\.ports\[0\]\.nodePort: 30002\/TCP is taken on cluster a by DemoApplication default\/theirs; choose another/,
    },
    {
      name: "a node port that another tenant has, whom nobody is told of",
      request: requestOf("CREATE", withPort()),
      facts: {
        applicationsWithNodePort: () => [{ ...other, metadata: { ...other.metadata, namespace: "payroll" } }],
        placements: [everywhere],
        clusters: [cluster("a"), cluster("b")],
      },
      want: /^spec\.ports\[0\]\.nodePort: 30002\/TCP is taken on cluster a by an application of another namespace; choose another/,
    },
    {
      name: "a cluster at a metadata address",
      request: requestOf("CREATE", kubeconfig),
      facts: { endpoint: () => ({ kind: "Server", server: "https://169.254.169.254" }) },
      want: /^spec\.connection\.kubeconfigSecretRef: the server of its kubeconfig: .*write the address of the cluster's API server/,
    },
    {
      name: "the deletion of a member with objects, without a word",
      request: requestOf("DELETE", clusterObject({}, "a")),
      facts: { applicationsOn: () => ["1", "2", "3", "4"].map((name) => applicationFactsOf(name)) },
      want: /^spec\.deletionPolicy: DemoApplications default\/1, default\/2, default\/3 and 1 more are placed on a; .*Drain.*Orphan/,
    },
    {
      name: "the deletion of what is protected",
      request: requestOf("DELETE", labelled(placementObject({}), { [PROTECTION]: "yes" })),
      want: /kubectl label placement subject -n default paas\.cmft\.com\/deletion-protection-$/,
    },
    {
      name: "the deletion of a namespace with something protected in it",
      request: requestOf("DELETE", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }),
      facts: { protectedIn: () => [applicationFactsOf("kept")] },
      want: /default\/kept in it is protected/,
    },
  ])("$name", ({ request, facts, want }) => expect(said(request, facts)).toMatch(want));

  test.each(BAD_OBJECTS.map(({ name, object, field }) => ({ name, object, field })))(
    "the schema's refusal of $name, before the server shows a pattern",
    ({ object, field }) => {
      const fields = judgeShape(requestOf("CREATE", object)).problems.map((problem) => problem.field);
      expect(
        fields.some((one) => one.startsWith(field) || field.startsWith(one)),
        fields.join(),
      ).toBe(true);
    },
  );
});

test("a class that no manager can have is refused, but where it stands already", () => {
  const named = (name: string, object = applicationObject({})): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { "federation.paas.cmft.com/controller-class": name } },
  });
  const field = "metadata.labels[federation.paas.cmft.com/controller-class]";
  expect(judgeShape(requestOf("CREATE", named("V2"))).problems).toEqual([
    { field, message: expect.stringMatching(/^V2 is no class: it looks like v2/) as string },
  ]);
  expect(judgeShape(requestOf("CREATE", named("v2"))).problems).toEqual([]);
  expect(judgeShape(requestOf("UPDATE", named("V2"), named("V2"))).problems).toEqual([]);
});
