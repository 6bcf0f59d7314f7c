import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { GOOD_OBJECTS } from "../../../test/builders/goodObjects.ts";
import {
  applicationObject,
  clusterObject,
  clusterOverrideObject,
  clusterPlacementObject,
  overrideObject,
  patchObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../../apis/index.ts";
import { anyApplication } from "../../apis/testing/anyApplication.ts";
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
  tenantSelects,
  withPort,
} from "../testing/judging.ts";
import { judgeRequest, judgeShape } from "./judge.ts";
import type { AdmissionFacts, AdmissionRequest } from "./types.ts";

describe("what a policy says and this version does not do is taken, with a warning", () => {
  const everyField = {
    resourceSelectors: [demo],
    rollout: { maxObjects: 1, stages: [{ name: "canary" }] },
    failover: { gracePeriod: "60s" },
    spreadConstraints: [{ topologyKey: "region", minGroups: 2 }],
    replicaScheduling: { mode: "Divided", rescheduling: { after: "5m" } },
  };
  const warnings = (object: KubeObject): string[] => {
    const judgement = judgeRequest(create(object), factsOf({ servedKinds: undefined }), NOW);
    expect(judgement.problems).toEqual([]);
    return judgement.warnings;
  };

  test("fields", () => {
    const fields = ["replicaScheduling.rescheduling without strategy Available or Aggregated"];
    const want = fields.map((field) => `spec.${field} is taken, but this version of Meridian does not carry it out`);
    expect(warnings(placementObject(everyField))).toEqual(want);
    expect(warnings(clusterPlacementObject(everyField))).toEqual(want);
    expect(warnings(placementObject({ resourceSelectors: [demo], suspend: true }))).toEqual([]);
  });
});

describe("a request is let through", () => {
  test.each<[name: string, request: AdmissionRequest, facts?: Partial<AdmissionFacts> | undefined]>([
    ["100 replicas", create(applicationObject({ replica: 100 }))],
    [
      "a version that the hub does not know of now",
      tenantSelects({ apiVersion: "x/v1", kind: "Y" }),
      { servedKinds: undefined },
    ],
    ["the platform's override beyond a tenant's bound", create(clusterOverrideObject({ replicas: 500 }))],
    ["the platform's policy that selects in any namespace", platformSelects({ ...demo, namespace: "b" })],
    [
      "the platform's policy that selects by the labels of namespaces",
      platformSelects({ ...demo, namespaceSelector: { matchLabels: { team: "shop" } } }),
    ],
    ["any kind that can be followed", tenantSelects({ apiVersion: "example.com/v1", kind: "Answer" })],
    [
      "one webhook configuration",
      platformSelects({
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        name: "a",
      }),
      { servedKinds: undefined },
    ],
    [
      "a test of a protected label",
      create(patchObject({ op: "test", path: "/metadata/labels/federation.paas.cmft.com~1managed-by", value: "x" })),
    ],
    [
      "declared dependencies of a policy that also selects objects without a namespace",
      create(
        clusterPlacementObject({
          resourceSelectors: [demo, { apiVersion: "example.com/v1", kind: "Region" }],
          dependencies: { fields: [{ kind: "Secret", path: "spec.secretName" }] },
        }),
      ),
      {
        servedKinds: [
          { group: "example.com", version: "v1", kind: "Region", namespaced: false },
          { group: "paas.cmft.com", version: "v1", kind: "DemoApplication", namespaced: true },
        ],
      },
    ],
    [
      "the same node port on another cluster",
      create(withPort()),
      { applicationsWithNodePort: () => [other], placements: [everywhere], clusters: [cluster("b")] },
    ],
    [
      "the same node port of another protocol",
      create(withPort("UDP")),
      { applicationsWithNodePort: () => [other], placements: [everywhere], clusters: [cluster("a")] },
    ],
    [
      "a node port of its own",
      requestOf("UPDATE", { ...withPort(), metadata: { name: "theirs", namespace: "default" } }),
      { applicationsWithNodePort: () => [other], placements: [everywhere], clusters: [cluster("a")] },
    ],
    [
      "a node port without a placement",
      create(withPort()),
      { applicationsWithNodePort: () => [other], clusters: [cluster("a")] },
    ],
    ["the deletion of an empty member", requestOf("DELETE", clusterObject({}, "a"))],
    [
      "the deletion of a member with a word",
      requestOf("DELETE", clusterObject({ deletionPolicy: "Orphan" }, "a")),
      { applicationsOn: () => [applicationFactsOf("a")] },
    ],
    [
      "the deletion of what is protected no more",
      requestOf("DELETE", labelled(placementObject({}), { [PROTECTION]: "false" })),
    ],
    ["a status", { ...requestOf("UPDATE", applicationObject({ replica: 999 })), subResource: "status" }],
    [
      "an object that is being deleted",
      requestOf("UPDATE", {
        ...applicationObject({ replica: 999 }),
        metadata: { name: "a", deletionTimestamp: "2026-11-21T00:00:00Z" },
      }),
    ],
    ["a kind that is not ours", create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })],
  ])("%s", (_name, request, facts) => expect(said(request, facts)).toBe(""));

  test.each([...GOOD_OBJECTS])("$name, as far as its shape goes", ({ object }) => {
    expect(judgeShape(create(object)).problems).toEqual([]);
  });

  test.prop([anyApplication(), fc.nat(1000)])("an update that keeps what was wrong before", (object, most) => {
    const facts = { replicaBounds: { least: 0, most } };
    expect(said(requestOf("UPDATE", labelled(object, { tier: "web" }), object), facts)).toBe("");
  });
});

test("a Secret that is not there yet, and bounds that cannot be read, are warned of and refuse nothing", () => {
  const missing = factsOf({ endpoint: () => ({ kind: "Missing", secret: "a" }) });
  expect(judgeRequest(create(kubeconfig), missing, NOW)).toEqual({
    problems: [],
    warnings: [expect.stringContaining("Secret a is not in Meridian's namespace yet")],
  });
  const unreadable = factsOf({ unreadableBounds: "many" });
  expect(judgeRequest(create(applicationObject({})), unreadable, NOW)).toEqual({
    problems: [],
    warnings: [expect.stringContaining('"many"')],
  });
});

test.each([overrideObject, clusterOverrideObject])(
  "an override that names a cluster that is not there is warned of and taken",
  (objectOf) => {
    const object = objectOf({ replicas: 2, targetClusters: { clusterNames: ["mars"] } });
    expect(judgeRequest(create(object), factsOf({ clusters: [cluster("a")] }), NOW)).toEqual({
      problems: [],
      warnings: ["spec.rules[0].targetClusters.clusterNames: there is no cluster mars yet"],
    });
  },
);
