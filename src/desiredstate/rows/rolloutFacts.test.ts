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

  test("are without one where copies are known to be gone", () => {
    const gone = { ...copy("singapore-1", "Service"), present: undefined } as unknown as Observation;
    expect(names({ clusters, observations: [gone] })).toEqual(["shanghai-1"]);
    expect(names({ clusters, observations: [gone, copy("singapore-1", "Deployment")] })).toEqual([
      "shanghai-1",
      "singapore-1",
    ]);
  });

  test("are without one that is being removed, or that the hub does not know", () => {
    expect(names({ clusters: [{ ...shanghai, deleting: true }] })).toEqual([]);
    expect(names({ clusters: [] })).toEqual([]);
  });

  test("are those of the new revision alone where none was good before", () => {
    expect(factOf({ lastGood: undefined })).toMatchObject({ name: "shanghai-1", wanted: true, kept: false });
  });

  test("are in contact or not, one by one", () => {
    const target = targetFor("nginx:2", "shanghai-1", "singapore-1");
    const facts = factsOf({ target, isKnown: (name) => name === "singapore-1" });
    expect(facts.map(({ inContact }) => inContact)).toEqual([false, true]);
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
  test.each<{ name: string; observations: Observation[]; target?: Target; onTarget: boolean }>([
    { name: "when everything is there as it is to be", observations: copies(after), onTarget: true },
    { name: "not with what the last good revision had", observations: copies(before), onTarget: false },
    {
      name: "not while one object is missing",
      observations: copies(after, { Service: "gone" }),
      onTarget: false,
    },
    {
      name: "also while what goes along was never seen there",
      observations: copies(after, { Secret: "gone" }),
      onTarget: true,
    },
    {
      name: "not while what goes along is an older one",
      observations: copies(after, { Secret: { present: { hash: "older" } } }),
      onTarget: false,
    },
    {
      name: "also where what goes along is marked as another object's",
      observations: copies(after, { Secret: { present: { hash: "older", owner: other } } }),
      onTarget: true,
    },
    {
      name: "not while one object is being deleted",
      observations: copies(after, { Service: { present: { deleting: true } } }),
      onTarget: false,
    },
    {
      name: "not while one object is being written",
      observations: copies(after, { Service: { writing: true } }),
      onTarget: false,
    },
    {
      name: "not when one object could not be written",
      observations: copies(after, { Service: { failure: { reason: "Refused", message: "no", final: true } } }),
      onTarget: false,
    },
    {
      name: "not where an override cannot be applied",
      target: changed(after, { problem: { reason: "PatchFailed", message: "no such path" } }),
      observations: copies(after),
      onTarget: false,
    },
    {
      name: "not where everything stays as it is",
      target: changed(after, { frozen: true }),
      observations: copies(after),
      onTarget: false,
    },
    {
      name: "whatever an object is like of which nobody can say what it is to be",
      target: holding(after, "Service"),
      observations: copies(after, { Service: { present: { hash: "older" } } }),
      onTarget: true,
    },
  ])("$name", ({ observations, target = after, onTarget }) => {
    expect(factOf({ observations, target }).onTarget).toBe(onTarget);
  });

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

  test("or back at the last good one, told apart", () => {
    expect(factOf({ observations: copies(before) })).toMatchObject({ onTarget: false, onLastGood: true });
    expect(factOf({ observations: copies(after) })).toMatchObject({ onTarget: true, onLastGood: false });
  });
});

describe("what runs on a cluster", () => {
  const nowhere = targetFor("nginx:0", "singapore-1");
  test.each<{ name: string; observations: Observation[]; target?: Target; lastGood?: Target; runs: string }>([
    { name: "the new revision", observations: copies(after), runs: "Target" },
    { name: "the last good one", observations: copies(before), runs: "LastGood" },
    {
      name: "the last good one, where both are the same",
      observations: copies(after),
      lastGood: after,
      runs: "LastGood",
    },
    { name: "part of the new revision", observations: copies(after, { Service: "gone" }), runs: "Target" },
    {
      name: "the new revision, written only in part yet",
      observations: copies(after, { Service: { writing: true } }),
      runs: "Target",
    },
    {
      name: "neither, where one object is of neither",
      observations: copies(after, { Deployment: { present: { hash: "edited" } } }),
      runs: "Other",
    },
    {
      name: "neither, where there is more than either has",
      observations: [...copies(after), copy("shanghai-1", "ConfigMap")],
      runs: "Other",
    },
    { name: "nothing, where something should be", observations: [], runs: "Nothing" },
    {
      name: "nothing, where only the new revision has something",
      observations: [],
      lastGood: nowhere,
      runs: "Nothing",
    },
    {
      name: "neither, of a cluster that no revision names",
      observations: copies(after),
      target: nowhere,
      lastGood: nowhere,
      runs: "Other",
    },
    {
      name: "the new revision, where the last good one has nothing there",
      observations: copies(after),
      lastGood: nowhere,
      runs: "Target",
    },
    {
      name: "the new revision, whatever the object is like that nobody can tell of",
      observations: copies(after, { Deployment: { present: { hash: "edited" } } }),
      target: holding(after, "Deployment"),
      runs: "Target",
    },
  ])("$name", ({ observations, target = after, lastGood = before, runs }) => {
    const facts = factsOf({ observations, target, lastGood });
    expect(facts.find(({ name }) => name === "shanghai-1")?.runs).toBe(runs);
  });

  test("nothing, just as the last good revision has it", () => {
    const gone = { ...copy("shanghai-1", "Service"), present: undefined } as unknown as Observation;
    const facts = factsOf({ target: nowhere, lastGood: targetFor("nginx:1", "shanghai-1"), observations: [gone] });
    expect(facts.map(({ name, runs }) => [name, runs])).toEqual([
      ["shanghai-1", "Nothing"],
      ["singapore-1", "Nothing"],
    ]);
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
  test.each<{ name: string; target?: Target; observations?: Observation[]; error?: string }>([
    { name: "nothing is in the way", observations: copies(after) },
    { name: "what the cluster says", observations: failed, error: "FieldConflict" },
    {
      name: "an override that cannot be applied goes before that",
      target: changed(after, { problem, frozenFor }),
      observations: failed,
      error: "PatchFailed",
    },
    {
      name: "what freezes the cluster",
      target: changed(after, { frozen: true, frozenFor }),
      observations: failed,
      error: "SecretAccessDenied",
    },
    {
      name: "not what is wrong with a copy that is another object's",
      observations: copies(after, { Secret: { failure, present: { owner: other } } }),
    },
  ])("$name", ({ target = after, observations = [], error }) => {
    const fact = factOf({ target, observations });
    expect("error" in fact ? fact.error : undefined).toBe(error);
    expect("error" in fact).toBe(error !== undefined);
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
  test.each<{ name: string; of: Record<string, Health | "gone">; want: RolloutFacts["health"] }>([
    {
      name: "available when every object is, with the replicas of all",
      of: { Deployment: { state: "Available", ...two }, Service: { state: "Available" } },
      want: { state: "Available", available: 2, desired: 2 },
    },
    {
      name: "replicas are added up",
      of: { Deployment: { state: "Available", ...two }, Service: { state: "Available", ...counts(1, 3) } },
      want: { state: "Available", available: 3, desired: 5 },
    },
    {
      name: "the worst of its objects counts, with its reason",
      of: {
        Deployment: { state: "Failed", reason: "ProgressDeadlineExceeded" },
        Service: { state: "Progressing", reason: "NoAddress" },
      },
      want: { state: "Failed", reason: "ProgressDeadlineExceeded", available: 0, desired: 0 },
    },
    {
      name: "also where the worst comes last",
      of: { Deployment: { state: "Progressing", reason: "Starting" }, Service: { state: "Unknown", reason: "NoRule" } },
      want: { state: "Unknown", reason: "NoRule", available: 0, desired: 0 },
    },
    {
      name: "of two that are equally bad the first is named",
      of: {
        Deployment: { state: "Progressing", reason: "Starting" },
        Service: { state: "Progressing", reason: "NoAddress" },
      },
      want: { state: "Progressing", reason: "Starting", available: 0, desired: 0 },
    },
    {
      name: "what is available in part has yet to become so in full",
      of: {
        Deployment: { state: "Degraded", reason: "Crashing", ...counts(1, 2) },
        Service: { state: "Unknown", reason: "NoRule" },
      },
      want: { state: "Progressing", reason: "Crashing", available: 1, desired: 2 },
    },
    {
      name: "what failed is worse than what is available in part",
      of: { Deployment: { state: "Degraded", reason: "Crashing" }, Service: { state: "Failed", reason: "Refused" } },
      want: { state: "Failed", reason: "Refused", available: 0, desired: 0 },
    },
    {
      name: "what is not there yet is on its way",
      of: { Deployment: "gone", Service: { state: "Available" } },
      want: { state: "Progressing", available: 0, desired: 0 },
    },
    {
      name: "what goes along does not count",
      of: { Secret: { state: "Failed", reason: "Refused", ...two } },
      want: { state: "Available", available: 0, desired: 0 },
    },
  ])("$name", ({ of, want }) => {
    const changes = Object.entries(of).map(
      ([kind, health]) => [kind, health === "gone" ? health : { present: { health } }] as const,
    );
    expect(factOf({ observations: copies(after, Object.fromEntries(changes)) }).health).toStrictEqual(want);
  });

  test("goes by the last good revision where the new one has nothing there", () => {
    const target = targetFor("nginx:2", "singapore-1");
    const observations = copies(before, { Deployment: { present: { health: { state: "Failed" } } } });
    const [there] = factsOf({ target, observations });
    expect(there).toMatchObject({ name: "shanghai-1", health: { state: "Failed" } });
  });

  test("is no worry where neither has anything there", () => {
    const nowhere = targetFor("nginx:2", "singapore-1");
    const facts = factsOf({ target: nowhere, lastGood: nowhere, observations: [copy("shanghai-1", "Service")] });
    expect(facts[0]).toMatchObject({ name: "shanghai-1", health: { state: "Available", available: 0, desired: 0 } });
  });
});
