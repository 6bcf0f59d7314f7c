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
  create,
  demo,
  everywhere,
  kubeconfig,
  labelled,
  NOW,
  other,
  platformSelects,
  PROTECTION,
  said,
  selecting,
  tenantSelects,
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
    expect(fields(create(paused))).toEqual([]);
    expect(fields(create(approved))).toEqual(outdated);
    expect(fields(requestOf("UPDATE", approved, paused))).toEqual(outdated);
    expect(fields(requestOf("UPDATE", approved, approved))).toEqual([]);
    const larger = { ...approved, spec: { image: "nginx", replica: 101 } };
    expect(fields(requestOf("UPDATE", larger, approved))).toEqual(["spec.replica"]);
  });
});

describe("a request is refused with a word on what to change", () => {
  test.each<[name: string, request: AdmissionRequest, want: RegExp, facts?: Partial<AdmissionFacts> | undefined]>([
    [
      "too many replicas",
      create(applicationObject({ replica: 101 })),
      /^spec\.replica: 101 is not within 1 to 100; set it to 100 or less, or let the platform widen/,
    ],
    [
      "more than the namespace's own bound",
      create(applicationObject({ replica: 6 })),
      /set it to 5 or less/,
      { replicaBounds: { least: 0, most: 5 } },
    ],
    [
      "kubectl scale beyond the bound",
      {
        ...requestOf("UPDATE", {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "a" },
          spec: { replicas: 101 },
        }),
        subResource: "scale",
      },
      /^spec\.replicas: 101/,
    ],
    [
      "a tenant's override beyond the bound",
      create(overrideObject({ replicas: 101 })),
      /^spec\.rules\[0\]\.replicas: 101/,
    ],
    [
      "the same by a patch",
      create(patchObject({ op: "replace", path: "/spec/replicas", value: 101 })),
      /^spec\.rules\[0\]\.patches\[0\]\.value: 101/,
    ],
    [
      "a tenant's policy that selects in another namespace",
      tenantSelects({ ...demo, namespace: "b" }),
      /^spec\.resourceSelectors\[0\]\.namespace: a Placement of namespace default selects nothing in b; remove the field/,
    ],
    [
      "a tenant's policy for objects of no namespace",
      tenantSelects({ apiVersion: "v1", kind: "PersistentVolume" }),
      /PersistentVolume belongs to no namespace.*let the platform write a ClusterPlacement/,
    ],
    [
      "a tenant's policy that selects by the labels of namespaces",
      tenantSelects({ ...demo, namespaceSelector: {} }),
      /^spec\.resourceSelectors: remove namespaceSelector; it is for ClusterPlacement/,
    ],
    [
      "a policy that names a namespace and labels of namespaces",
      platformSelects({ ...demo, namespace: "a", namespaceSelector: {} }),
      /namespaceSelector: remove it, or remove namespace/,
    ],
    [
      "a policy that names a namespace of objects that belong to none",
      platformSelects({ apiVersion: "v1", kind: "PersistentVolume", namespace: "a" }),
      /^spec\.resourceSelectors\[0\]\.namespace: PersistentVolume belongs to no namespace, so this selects nothing; remove/,
    ],
    [
      "a policy that selects them by the labels of namespaces",
      platformSelects({ apiVersion: "v1", kind: "PersistentVolume", namespaceSelector: {} }),
      /^spec\.resourceSelectors\[0\]\.namespaceSelector: PersistentVolume belongs to no namespace/,
    ],
    [
      "a kind that is never placed",
      platformSelects({ apiVersion: "v1", kind: "Namespace" }),
      /^spec\.resourceSelectors\[0\]\.kind: Namespace cannot be placed: Meridian makes the namespaces on members/,
    ],
    [
      "a kind that is never placed, in an override",
      create({
        ...overrideObject({ replicas: 2 }),
        spec: { ...selecting({ apiVersion: "v1", kind: "Event" }), rules: [{ replicas: 2 }] },
      }),
      /^spec\.resourceSelectors\[0\]\.kind: Event cannot be placed: it tells what happened in one cluster/,
    ],
    [
      "all webhook configurations",
      platformSelects({ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" }),
      /^spec\.resourceSelectors\[0\]\.name: say which ValidatingWebhookConfiguration is meant/,
      { servedKinds: undefined },
    ],
    [
      "a kind of which the hub keeps no objects",
      platformSelects({ apiVersion: "example.com/v1", kind: "Question" }),
      /\.kind: Question cannot be listed and watched on the hub, so it cannot be placed$/,
    ],
    [
      "declared dependencies of objects that have no namespace",
      create(
        clusterPlacementObject({
          ...selecting({ apiVersion: "example.com/v1", kind: "Region" }),
          dependencies: { fields: [{ kind: "Secret", path: "spec.secretName" }] },
        }),
      ),
      /^spec\.dependencies\.fields: objects of Region have no namespace.*remove the fields$/,
      { servedKinds: [{ group: "example.com", version: "v1", kind: "Region", namespaced: false }] },
    ],
    [
      "an expression of health that cannot be read",
      create(
        placementObject({ resourceSelectors: [demo], health: [{ kind: "MysqlCluster", available: "object.status." }] }),
      ),
      /^spec\.health\[0\]\.available: column 15: /,
    ],
    [
      "an expression of health that is neither true nor false",
      create(
        clusterPlacementObject({
          resourceSelectors: [demo],
          health: [
            { kind: "Deployment", available: "true" },
            { kind: "MysqlCluster", failed: "'yes'" },
          ],
        }),
      ),
      /^spec\.health\[1\]\.failed: the value is of type string, and must be true or false$/,
    ],
    [
      "a version that is not served",
      platformSelects({ apiVersion: "apps/v1beta1", kind: "Deployment" }),
      /\.apiVersion: the hub does not serve Deployment in apps\/v1beta1; write apps\/v1$/,
    ],
    [
      "a kind that another group has",
      platformSelects({ apiVersion: "extensions/v1", kind: "Deployment" }),
      /\.kind: .* did you mean apiVersion apps\/v1\?$/,
    ],
    [
      "a kind that is nowhere",
      tenantSelects({ apiVersion: "example.com/v1", kind: "Gadget" }),
      /check the spelling, or install its CRD/,
    ],
    [
      "a patch of a label that is Meridian's",
      create(patchObject({ op: "remove", path: "/metadata/labels/federation.paas.cmft.com~1managed-by" })),
      /\.path: .* is protected/,
    ],
    [
      "one that is moved away",
      create(
        patchObject({
          op: "move",
          from: "/metadata/annotations/federation.paas.cmft.com~1owner",
          path: "/metadata/annotations/x",
        }),
      ),
      /\.from: .* is protected/,
    ],
    [
      "one that comes with a whole map, from the platform too",
      create(
        clusterOverrideObject({
          patches: [{ op: "add", path: "/metadata/labels", value: { "federation.paas.cmft.com/managed-by": "x" } }],
        }),
      ),
      /\.value: federation\.paas\.cmft\.com\/managed-by is protected.*remove it/,
    ],
    [
      "a node port that is taken on a cluster where it would run",
      create(withPort()),
      /^spec\.ports\[0\]\.nodePort: 30002\/TCP is taken on cluster a by DemoApplication default\/theirs; choose another/,
      {
        applicationsWithNodePort: () => [other],
        placements: [everywhere],
        clusters: [cluster("a"), cluster("b")],
      },
    ],
    [
      "a node port that another tenant has, whom nobody is told of",
      create(withPort()),
      /^spec\.ports\[0\]\.nodePort: 30002\/TCP is taken on cluster a by an application of another namespace; choose another/,
      {
        applicationsWithNodePort: () => [{ ...other, metadata: { ...other.metadata, namespace: "payroll" } }],
        placements: [everywhere],
        clusters: [cluster("a"), cluster("b")],
      },
    ],
    [
      "a cluster at a metadata address",
      create(kubeconfig),
      /^spec\.connection\.kubeconfigSecretRef: the server of its kubeconfig: .*write the address of the cluster's API server/,
      { endpoint: () => ({ kind: "Server", server: "https://169.254.169.254" }) },
    ],
    [
      "the deletion of a member with objects, without a word",
      requestOf("DELETE", clusterObject({}, "a")),
      /^spec\.deletionPolicy: DemoApplications default\/1, default\/2, default\/3 and 1 more are placed on a; .*Drain.*Orphan/,
      { applicationsOn: () => ["1", "2", "3", "4"].map((name) => applicationFactsOf(name)) },
    ],
    [
      "the deletion of what is protected",
      requestOf("DELETE", labelled(placementObject({}), { [PROTECTION]: "yes" })),
      /kubectl label placement subject -n default paas\.cmft\.com\/deletion-protection-$/,
    ],
    [
      "the deletion of a namespace with something protected in it",
      requestOf("DELETE", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }),
      /default\/kept in it is protected/,
      { protectedIn: () => [applicationFactsOf("kept")] },
    ],
  ])("%s", (_name, request, want, facts) => expect(said(request, facts)).toMatch(want));

  test.each(BAD_OBJECTS.map(({ name, object, field }) => ({ name, object, field })))(
    "the schema's refusal of $name, before the server shows a pattern",
    ({ object, field }) => {
      const fields = judgeShape(create(object)).problems.map((problem) => problem.field);
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
  expect(judgeShape(create(named("V2"))).problems).toEqual([
    { field, message: expect.stringMatching(/^V2 is no class: it looks like v2/) as string },
  ]);
  expect(judgeShape(create(named("v2"))).problems).toEqual([]);
  expect(judgeShape(requestOf("UPDATE", named("V2"), named("V2"))).problems).toEqual([]);
});
