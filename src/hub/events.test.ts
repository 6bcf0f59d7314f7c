import { describe, expect, test } from "vitest";
import type { MemberCluster, ObjectMeta } from "../apis/index.ts";
import { clusterObject } from "../../test/builders/policyObjects.ts";
import { changedFacts, changedSpec } from "./events.ts";

describe("more than a status has changed", () => {
  const before: ObjectMeta = {
    name: "a",
    uid: "1",
    generation: 1,
    resourceVersion: "1",
    labels: { tier: "web" },
    annotations: { note: "x" },
    finalizers: ["one"],
  };

  test.each<{ name: string; after: Partial<ObjectMeta>; want: boolean }>([
    { name: "the generation", after: { generation: 2 }, want: true },
    { name: "a label", after: { labels: { tier: "db" } }, want: true },
    { name: "a label more", after: { labels: { tier: "web", zone: "a" } }, want: true },
    { name: "an annotation less", after: { annotations: {} }, want: true },
    { name: "the finalizers", after: { finalizers: [] }, want: true },
    { name: "the beginning of its deletion", after: { deletionTimestamp: "2026-01-01T00:00:00Z" }, want: true },
    { name: "its life", after: { uid: "2" }, want: true },
    { name: "the resourceVersion alone", after: { resourceVersion: "2" }, want: false },
    { name: "equal labels in another object", after: { labels: { tier: "web" } }, want: false },
  ])("$name: $want", ({ after, want }) => {
    const object = { metadata: { ...before, ...after } };
    expect(changedSpec({ type: "Updated", object, old: { metadata: before } })).toBe(want);
  });

  test("when it appears or vanishes", () => {
    expect(changedSpec({ type: "Added", object: { metadata: before } })).toBe(true);
    expect(changedSpec({ type: "Deleted", object: { metadata: before } })).toBe(true);
  });
});

describe("the planning facts of a cluster have changed", () => {
  const ready = (status: "True" | "False", lastTransitionTime: string) => ({
    type: "Ready",
    status,
    reason: "Probe",
    message: lastTransitionTime,
    lastTransitionTime,
  });
  const before: MemberCluster = {
    ...(clusterObject({}, "a") as unknown as MemberCluster),
    metadata: { name: "a", uid: "1", labels: { region: "east", tier: "web" }, generation: 1 },
    status: {
      conditions: [ready("True", "2026-01-01T00:00:00Z")],
      kubernetesVersion: "v1.35.0",
      apis: ["apps/v1", "v1"],
      capacity: { nodes: 3, cpu: "12" },
    },
  };

  test.each<{ name: string; after: Partial<MemberCluster>; want: boolean }>([
    { name: "a label", after: { metadata: { ...before.metadata, labels: { region: "west" } } }, want: true },
    {
      name: "its controller class",
      after: {
        metadata: {
          ...before.metadata,
          labels: { ...before.metadata.labels, "federation.paas.cmft.com/controller-class": "next" },
        },
      },
      want: true,
    },
    { name: "a taint", after: { spec: { ...before.spec, taints: [{ key: "a", effect: "NoExecute" }] } }, want: true },
    { name: "the provider", after: { spec: { ...before.spec, provider: "other" } }, want: true },
    { name: "the deletion policy", after: { spec: { ...before.spec, deletionPolicy: "Drain" } }, want: true },
    { name: "the namespaces it was joined for", after: { spec: { ...before.spec, namespaces: ["bank"] } }, want: true },
    {
      name: "the kind of connection",
      after: { spec: { ...before.spec, connection: { pull: {} } } },
      want: true,
    },
    {
      name: "readiness",
      after: { status: { ...before.status, conditions: [ready("False", "2026-01-02T00:00:00Z")] } },
      want: true,
    },
    { name: "the capacity", after: { status: { ...before.status, capacity: { nodes: 4, cpu: "16" } } }, want: true },
    { name: "the APIs", after: { status: { ...before.status, apis: ["v1"] } }, want: true },
    {
      name: "the beginning of its deletion",
      after: { metadata: { ...before.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
      want: true,
    },
    {
      name: "the time and the words of a condition",
      after: { status: { ...before.status, conditions: [ready("True", "2026-01-03T00:00:00Z")] } },
      want: false,
    },
    { name: "its version", after: { status: { ...before.status, kubernetesVersion: "v1.36.0" } }, want: false },
    {
      name: "the order of labels, its annotations, finalizers and generation",
      after: {
        metadata: {
          ...before.metadata,
          labels: { tier: "web", region: "east" },
          annotations: { note: "x" },
          finalizers: ["one"],
          generation: 2,
          resourceVersion: "9",
        },
      },
      want: false,
    },
  ])("$name: $want", ({ after, want }) => {
    const object = { ...before, ...after };
    expect(changedFacts({ type: "Updated", object, old: before })).toBe(want);
  });
});
