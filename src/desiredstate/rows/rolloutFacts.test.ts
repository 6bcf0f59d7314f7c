import { describe, expect, test } from "vitest";
import type { Health } from "../../interpreter/index.ts";
import type { RolloutFacts } from "../../rollout/index.ts";
import { rolloutFacts, type RolloutFactsInput } from "./rolloutFacts.ts";
import { app, cluster, copy, inRegion, other, placement, shanghai, singapore, targetOf } from "../testing/builders.ts";
import type { ClusterTarget, Observation, Target } from "../types.ts";

const SECRET = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "database", namespace: "default" },
  data: { password: "c2VjcmV0" },
};

/** What image a target has, and where. */
function targetFor(image: string, ...clusterNames: string[]): Target {
  return targetOf({
    object: app({ image, envFrom: [{ secretRef: { name: "database" } }] }),
    placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames }] })],
    dependencies: new Map([["/Secret/default/database", SECRET]]),
  });
}

const on = (target: Target, name = "shanghai-1"): ClusterTarget => {
  const found = target.clusters.find((one) => one.name === name);
  if (found === undefined) throw new Error(`nothing is for ${name}`);
  return found;
};

type Present = Partial<NonNullable<Observation["present"]>>;
type Changes = { present?: Present } & Partial<Omit<Observation, "present">>;

/** Copies of all that a target has on a cluster, those of one kind with something changed. */
function copies(target: Target, changes: Readonly<Record<string, Changes | "gone">> = {}): Observation[] {
  return on(target).objects.flatMap(({ ref, hash }) => {
    const change = changes[ref.kind] ?? {};
    if (change === "gone") return [];
    const { present, ...more } = change;
    return [{ ...copy("shanghai-1", ref.kind, { hash, ...present }, more), ref }];
  });
}

const before = targetFor("nginx:1", "shanghai-1");
const after = targetFor("nginx:2", "shanghai-1");

function factsOf(more: Partial<RolloutFactsInput> = {}): RolloutFacts[] {
  return rolloutFacts({
    policy: {},
    target: after,
    lastGood: before,
    clusters: [shanghai, singapore],
    labels: undefined,
    observations: [],
    isKnown: () => true,
    ...more,
  });
}

function factOf(more: Partial<RolloutFactsInput>): Partial<RolloutFacts> {
  const [fact, ...others] = factsOf(more);
  expect(others).toEqual([]);
  return fact ?? {};
}

/** A target in which something of the cluster is different. */
const changed = (target: Target, more: Partial<ClusterTarget>): Target => ({
  ...target,
  clusters: target.clusters.map((one) => ({ ...one, ...more })),
});

/** A target that no longer says what the objects of that kind are to be. */
function holding(target: Target, kind: string): Target {
  const held = { reason: "Held", message: "nobody knows what it is to be" };
  const objects = on(target).objects.map((one) => (one.ref.kind === kind ? { ...one, held } : one));
  return changed(target, { objects });
}

describe("the clusters that a rollout is about", () => {
  const names = (more: Partial<RolloutFactsInput>): string[] => factsOf(more).map(({ name }) => name);
  const zurich = cluster("zurich-1", "eu-central-2");
  const clusters = [zurich, singapore, shanghai];

  test("are those of the new revision, of the last good one and of the copies, by name", () => {
    const facts = factsOf({
      clusters,
      target: targetFor("nginx:2", "singapore-1"),
      lastGood: targetFor("nginx:1", "shanghai-1"),
      observations: [copy("zurich-1", "Service")],
    });
    expect(facts.map(({ name, wanted, kept }) => ({ name, wanted, kept }))).toEqual([
      { name: "shanghai-1", wanted: false, kept: true },
      { name: "singapore-1", wanted: true, kept: false },
      { name: "zurich-1", wanted: false, kept: false },
    ]);
  });

  test("are without one that is being removed, or that the hub does not know", () => {
    expect(names({ clusters: [{ ...shanghai, deleting: true }] })).toEqual([]);
    expect(names({ clusters: [] })).toEqual([]);
  });

  test("are in the stage that takes them", () => {
    const stages = [{ name: "canary", targetClusters: inRegion("ap-southeast-1") }, { name: "rest" }];
    const target = targetFor("nginx:2", "shanghai-1", "singapore-1");
    expect(factsOf({ target, policy: { stages } }).map(({ stage }) => stage)).toEqual(["rest", "canary"]);
    const [canary] = stages;
    expect(factOf({ policy: { stages: canary === undefined ? [] : [canary] } }).stage).toBeUndefined();
  });
});

describe("a cluster has arrived at the new revision", () => {
  const failure = { reason: "Refused", message: "no", final: true };
  const problem = { reason: "PatchFailed", message: "no such path" };
  const older = { present: { hash: "older" } };
  test.each<[string, boolean, Observation[], Target?]>([
    ["everything is as wanted", true, copies(after)],
    ["the copies are of the last good revision", false, copies(before)],
    ["one object is missing", false, copies(after, { Service: "gone" })],
    ["a dependency is older", false, copies(after, { Secret: older })],
    [
      "an older dependency names another owner",
      true,
      copies(after, { Secret: { present: { hash: "older", owner: other } } }),
    ],
    ["one object could not be written", false, copies(after, { Service: { failure } })],
    ["an override cannot be applied", false, copies(after), changed(after, { problem })],
    ["the cluster is frozen", false, copies(after), changed(after, { frozen: true })],
    ["the content of one object is unknown", true, copies(after, { Service: older }), holding(after, "Service")],
  ])("%s: %s", (_name, onTarget, observations, target = after) =>
    expect(factOf({ observations, target }).onTarget).toBe(onTarget),
  );

  test("that has nothing there, when nothing is left and nothing is being written", () => {
    const target = targetFor("nginx:2", "singapore-1");
    const there = (observations: Observation[]) =>
      factsOf({ target, observations }).find(({ name }) => name === "shanghai-1")?.onTarget;
    const gone = (writing: boolean) =>
      ({ ...copy("shanghai-1", "Service", {}, { writing }), present: undefined }) as unknown as Observation;
    expect(there([])).toBe(true);
    expect(there([gone(false)])).toBe(true);
    expect(there([gone(true)])).toBe(false);
    expect(there([gone(false), copy("shanghai-1", "Deployment")])).toBe(false);
  });
});

describe("what runs on a cluster", () => {
  const edited = copies(after, { Deployment: { present: { hash: "edited" } } });
  test.each<[string, RolloutFacts["runs"], Observation[], { target?: Target; lastGood?: Target }?]>([
    ["the new revision", "Target", copies(after)],
    ["the last good one", "LastGood", copies(before)],
    ["one object of neither", "Other", edited],
    ["more than either has", "Other", [...copies(after), copy("shanghai-1", "ConfigMap")]],
    ["nothing where both have something", "Nothing", []],
    ["an object of unknown content", "Target", edited, { target: holding(after, "Deployment") }],
  ])("%s: %s", (_name, runs, observations, { target = after, lastGood = before } = {}) => {
    const facts = factsOf({ observations, target, lastGood });
    expect(facts.find(({ name }) => name === "shanghai-1")?.runs).toBe(runs);
  });
});

test("another object's copies are none of the revisions' business", () => {
  const observations = [copy("singapore-1", "Service", { owner: other })];
  const facts = factsOf({ observations }).filter(({ name }) => name === "singapore-1");
  expect(facts).toMatchObject([{ onTarget: true, onLastGood: true, runs: "LastGood" }]);
});

describe("why something cannot be written on a cluster", () => {
  const failure = { reason: "FieldConflict", message: "another manager owns a field", final: true };
  const failed = copies(after, { Service: { failure } });
  const problem = { reason: "PatchFailed", message: "no such path" };
  const frozenFor = { reason: "SecretAccessDenied", message: "the secret may not be read" };
  test.each<[string, string | undefined, Observation[], Target?]>([
    ["nothing is in the way", undefined, copies(after)],
    ["the cluster refuses", "FieldConflict", failed],
    ["an override cannot be applied", "PatchFailed", failed, changed(after, { problem, frozenFor })],
    ["the cluster is frozen", "SecretAccessDenied", failed, changed(after, { frozen: true, frozenFor })],
  ])("%s: %s", (_name, error, observations, target = after) => {
    const fact = factOf({ target, observations });
    expect([fact.error, "error" in fact]).toEqual([error, error !== undefined]);
  });

  test("of the last good revision is said by itself: an administrator may have taken a right back since", () => {
    const refused = { reason: "PodSecurity", message: "spec.hostPID must not be true" };
    const fact = factOf({ lastGood: changed(before, { problem: refused }), observations: copies(after) });
    expect(fact).toMatchObject({ errorOfLastGood: "PodSecurity", onLastGood: false });
    expect([fact.error, factOf({}).errorOfLastGood]).toEqual([undefined, undefined]);
  });
});

describe("how healthy a revision is on a cluster", () => {
  const counts = (available: number, desired: number): Pick<Health, "replicas"> => ({
    replicas: { desired, updated: desired, ready: available, available },
  });
  const two = counts(2, 2);
  const none = { available: 0, desired: 0 };
  const progressing = (reason: string): Health => ({ state: "Progressing", reason });
  const failed: Health = { state: "Failed", reason: "Refused" };
  const degraded: Health = { state: "Degraded", reason: "Crashing", ...counts(1, 2) };
  test.each<[string, Health | "gone", Health, RolloutFacts["health"]]>([
    [
      "the replicas of all objects",
      { state: "Available", ...two },
      { state: "Available", ...counts(1, 3) },
      { state: "Available", available: 3, desired: 5 },
    ],
    ["the worst object", failed, progressing("NoAddress"), { state: "Failed", reason: "Refused", ...none }],
    [
      "an object that is available in part",
      degraded,
      { state: "Unknown" },
      { state: "Progressing", reason: "Crashing", available: 1, desired: 2 },
    ],
    ["a missing object", "gone", { state: "Available" }, { state: "Progressing", ...none }],
  ])("%s", (_name, deployment, service, want) => {
    const Deployment: Changes | "gone" = deployment === "gone" ? deployment : { present: { health: deployment } };
    const observations = copies(after, { Deployment, Service: { present: { health: service } } });
    expect(factOf({ observations }).health).toStrictEqual(want);
  });
});
