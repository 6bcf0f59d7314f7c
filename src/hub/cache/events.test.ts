import { describe, expect, test } from "vitest";
import { type MemberCluster, type ObjectMeta, REMOVE_FOUND_ANNOTATION } from "../../apis/index.ts";
import { clusterObject } from "../../../test/builders/policyObjects.ts";
import { changedFacts, changedSpec, isDeparture } from "./events.ts";

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
    { name: "one of the finalizers", after: { finalizers: ["two"] }, want: true },
    { name: "a finalizer more", after: { finalizers: ["one", "two"] }, want: true },
    { name: "the key of a label", after: { labels: { zone: "web" } }, want: true },
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
    expect(changedSpec({ type: "Deleted", object: { metadata: before }, old: { metadata: before } })).toBe(true);
    expect(changedSpec({ type: "Updated", object: { metadata: before } })).toBe(true);
  });
});

describe("an object has gone or has begun to", () => {
  const here = { metadata: { name: "a" } };
  const going = { metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } };

  test.each([
    { name: "when it is gone", event: { type: "Deleted", object: here, old: here }, want: true },
    { name: "not once more when it has gone", event: { type: "Deleted", object: going }, want: false },
    { name: "when it begins", event: { type: "Updated", object: going, old: here }, want: true },
    { name: "when it comes as one that goes", event: { type: "Added", object: going }, want: true },
    { name: "not once more while it goes", event: { type: "Updated", object: going, old: going }, want: false },
    { name: "not when it comes", event: { type: "Added", object: here }, want: false },
    { name: "not when it changes", event: { type: "Updated", object: here, old: here }, want: false },
  ] as const)("$name", ({ event, want }) => expect(isDeparture(event)).toBe(want));
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

  const metadata = (more: Partial<ObjectMeta>) => ({ metadata: { ...before.metadata, ...more } });
  const spec = (more: Partial<MemberCluster["spec"]>) => ({ spec: { ...before.spec, ...more } });
  const status = (more: MemberCluster["status"]) => ({ status: { ...before.status, ...more } });
  const { labels } = before.metadata;
  const since = "2026-01-01T00:00:00Z";
  const changed: [name: string, after: Partial<MemberCluster>][] = [
    ["a label", metadata({ labels: { region: "west" } })],
    ["its controller class", metadata({ labels: { ...labels, "federation.paas.cmft.com/controller-class": "next" } })],
    ["a taint", spec({ taints: [{ key: "a", effect: "NoExecute" }] })],
    ["the provider", spec({ provider: "other" })],
    ["the deletion policy", spec({ deletionPolicy: "Drain" })],
    ["the namespaces it was joined for", spec({ namespaces: ["bank"] })],
    ["its life", metadata({ uid: "2" })],
    ["the removal of what was found on join", metadata({ annotations: { [REMOVE_FOUND_ANNOTATION]: "true" } })],
    ["readiness", status({ conditions: [ready("False", "2026-01-02T00:00:00Z")] })],
    ["the capacity", status({ capacity: { nodes: 4, cpu: "16" } })],
    ["the APIs", status({ apis: ["v1"] })],
    ["the beginning of its deletion", metadata({ deletionTimestamp: since })],
  ];
  const same: [name: string, after: Partial<MemberCluster>][] = [
    ["another condition", status({ conditions: [{ ...ready("False", since), type: "Other" }, ready("True", since)] })],
    ["the time and the words of a condition", status({ conditions: [ready("True", "2026-01-03T00:00:00Z")] })],
    ["its version", status({ kubernetesVersion: "v1.36.0" })],
    ["the order of labels", metadata({ labels: { tier: "web", region: "east" } })],
    ["annotations and bookkeeping", metadata({ annotations: { note: "x" }, finalizers: ["one"], generation: 2 })],
  ];
  test.each([...changed.map((one) => [...one, true] as const), ...same.map((one) => [...one, false] as const)])(
    "%s",
    (_name, after, want) => {
      expect(changedFacts({ type: "Updated", object: { ...before, ...after }, old: before })).toBe(want);
    },
  );

  test("when it comes or goes, and of one that was never heard of", () => {
    expect(changedFacts({ type: "Added", object: before })).toBe(true);
    expect(changedFacts({ type: "Deleted", object: before, old: before })).toBe(true);
    expect(changedFacts({ type: "Updated", object: before })).toBe(true);
  });

  test.each([
    {
      name: "a Secret to another Secret",
      from: { kubeconfigSecretRef: { name: "a", key: "k" } },
      to: { kubeconfigSecretRef: { name: "b", key: "k" } },
      want: false,
    },
    {
      name: "a Secret to an agent",
      from: { kubeconfigSecretRef: { name: "a", key: "k" } },
      to: { pull: {} },
      want: true,
    },
    { name: "an agent to the hub itself", from: { pull: {} }, to: { local: {} }, want: true },
  ])("by its connection, $name: $want", ({ from, to, want }) => {
    const connected = (connection: object): MemberCluster =>
      ({ ...before, spec: { ...before.spec, connection } }) as MemberCluster;
    expect(changedFacts({ type: "Updated", object: connected(to), old: connected(from) })).toBe(want);
  });

  test("of a cluster that says nothing of itself are none", () => {
    const { status: _, ...bare } = before;
    const { labels: _labels, ...metadata } = bare.metadata;
    const silent = { ...bare, metadata } as MemberCluster;
    expect(changedFacts({ type: "Updated", object: { ...silent }, old: silent })).toBe(false);
    expect(changedFacts({ type: "Updated", object: before, old: silent })).toBe(true);
  });
});
