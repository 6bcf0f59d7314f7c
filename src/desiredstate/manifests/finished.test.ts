import { describe, expect, test } from "vitest";
import {
  type End,
  type KubeObject,
  NOTHING_FINISHED,
  type PlacementSpec,
  refKey,
  refOf,
  withEnds,
  writeFinished,
} from "../../apis/index.ts";
import { runHash } from "../../interpreter/index.ts";
import { ownerRefOf } from "../rows/marks.ts";
import { snapshotOfRevision } from "../target/revision.ts";
import { isInSync } from "../rows/rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { step } from "../rows/step.ts";
import { computeTarget } from "../target/target.ts";
import { facts, frankfurt, NOW, placement, running, shanghai, singapore, snapshot } from "../testing/builders.ts";
import type { Observation, Target } from "../types.ts";

/** What has come to its end: neither made anew, nor moved, nor taken up again when a rollout is taken back. */

const [A, B, C] = [shanghai.name, singapore.name, frankfurt.name];
const JOBS = { apiVersion: "batch/v1", kind: "Job" };
const BUNDLES = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
const LONG_AGO = NOW - 3_600_000;

const job = (name: string, spec: object = {}, metadata: object = {}): KubeObject => ({
  ...JOBS,
  metadata: {
    name,
    namespace: "default",
    uid: "u1",
    managedFields: [{ manager: "kubectl", operation: "Apply", fieldsV1: { "f:spec": { "f:template": {} } } }],
    ...metadata,
  },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] } }, ...spec },
});
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "beside" }, data: { a: "b" } };
const inBundle = ({ metadata: { name }, ...rest }: KubeObject): KubeObject => ({ ...rest, metadata: { name } });
const bundle = (...manifests: KubeObject[]): KubeObject => ({
  ...BUNDLES,
  metadata: { name: "bundle", namespace: "default", uid: "u2" },
  spec: { manifests: manifests.map((one) => (one.kind === "Job" ? inBundle(one) : one)) },
});
/** As it is rendered. */
const placed = (one: KubeObject) => ({ ...refOf(one), namespace: "default" });

const ended = (work: KubeObject, clusters: readonly string[], end: End = "Complete") =>
  clusters.map((cluster) => ({ cluster, ref: placed(work), hash: runHash(work), end }));

interface Case {
  object?: KubeObject;
  /** What has come to its end, and where. */
  done?: readonly ReturnType<typeof ended>[number][];
  /** Where the object is. */
  on?: string[];
  spec?: Partial<PlacementSpec>;
  clusters?: Snapshot["clusters"];
}

function planned({ object = job("work"), done = [], on = [A], spec = {}, clusters }: Case): Target {
  const finished = writeFinished(withEnds(NOTHING_FINISHED, done));
  const previous = running(on, { observedGeneration: 1, ...(finished === undefined ? {} : { finished }) });
  const policy = placement("p", { resourceSelectors: [JOBS, BUNDLES], ...spec });
  return computeTarget(
    snapshot({ object, placements: [policy], previous, ...(clusters === undefined ? {} : { clusters }) }),
    NOW,
  );
}

/** The clusters of the target: those on which the object of that name is done, and those on which it is to be made. */
function outcome(target: Target, name = "work"): { done: string[]; made: string[] } {
  const [done, made]: [string[], string[]] = [[], []];
  for (const cluster of target.clusters)
    for (const object of cluster.objects)
      if (object.ref.name === name) (object.done === undefined ? made : done).push(cluster.name);
  return { done, made };
}

const ends = (target: Target, work: KubeObject): string[] => [
  ...(target.finished?.runs.get(`${refKey(placed(work))} ${runHash(work)}`)?.ends.keys() ?? []),
];

const tainted = { taints: [{ key: "k", effect: "NoExecute" as const }] };
const lost = { ready: { status: "False" as const, since: LONG_AGO } };
const ready = { ready: { status: "True" as const, since: LONG_AGO } };
const groups = [A, B].map((name) => ({ name, clusterNames: [name] }));
const work = job("work");

describe("a Job that has come to its end", () => {
  test.each<[string, Case, { done: string[]; made: string[] }]>([
    [
      "is done where it has, and is to be made elsewhere",
      { done: ended(work, [A]), on: [A] },
      { done: [A], made: [C, B] },
    ],
    [
      "stays on a cluster that is lost",
      {
        done: ended(work, [A]),
        spec: { clusterAffinities: groups, failover: { gracePeriod: "1m", maxUnhealthyClusters: "100%" } },
        clusters: [
          { ...shanghai, ...lost },
          { ...singapore, ...ready },
        ],
      },
      { done: [A], made: [] },
    ],
    [
      "stays where it has failed, whatever failover says of what is unhealthy",
      {
        done: ended(work, [A], "Failed"),
        spec: { clusterAffinities: groups, failover: { unhealthyAfter: "1m" } },
        clusters: [
          { ...shanghai, ...ready },
          { ...singapore, ...ready },
        ],
      },
      { done: [A], made: [] },
    ],
    [
      "runs on no other cluster when its own leaves the hub",
      {
        done: ended(work, [A]),
        spec: { clusterCount: 1 },
        clusters: [singapore, frankfurt],
      },
      { done: [C], made: [] },
    ],
    [
      "runs on a cluster that comes beside its own",
      {
        done: ended(work, [A]),
        spec: { clusterAffinities: [{ name: "g", clusterNames: [A, B] }] },
      },
      { done: [A], made: [B] },
    ],
    [
      "runs anew with other work",
      { object: job("work", { parallelism: 2 }), done: ended(work, [A, B, C]) },
      { done: [], made: [C, A, B] },
    ],
  ])("%s", (_, given, want) => expect(outcome(planned(given))).toEqual(want));

  test("is forgotten with other work, and kept where a rollout may go back", () => {
    const object = job("work", { parallelism: 2 });
    const done = ended(work, [A]);
    expect(planned({ object, done }).finished).toBeUndefined();
    const spec = { rollout: { stages: [{ name: "all" }] } } as Partial<PlacementSpec>;
    expect(ends(planned({ object, done, spec }), work)).toEqual([A]);
  });

  test("stays in the record while a policy is suspended, or none places it", () => {
    const done = ended(work, [A]);
    const clusters = [singapore];
    expect(ends(planned({ done, clusters, spec: { suspend: true } }), work)).toEqual([A]);
    expect(ends(planned({ done, clusters, spec: { resourceSelectors: [BUNDLES] } }), work)).toEqual([A]);
  });
});

describe("a bundle with a Job that has come to its end", () => {
  const packed = job("work");
  const object = bundle(packed, configMap);

  test("takes the end along when it moves, and back", () => {
    const spec = { clusterAffinities: groups };
    const there = planned({
      object,
      done: ended(packed, [A]),
      spec,
      clusters: [{ ...shanghai, ...tainted }, singapore],
    });
    expect(outcome(there)).toEqual({ done: [B], made: [] });
    expect(outcome(there, "beside")).toEqual({ done: [], made: [B] });
    expect(ends(there, packed)).toEqual([B]);
    const back = planned({ object, done: ended(packed, [B]), on: [B], spec });
    expect(outcome(back)).toEqual({ done: [A], made: [] });
  });

  test("has arrived without its Job", () => {
    const target = planned({
      object,
      done: ended(packed, [B]),
      spec: { clusterAffinities: [{ name: "g", clusterNames: [B] }] },
    });
    const owner = ownerRefOf(object);
    const copy = (cluster: string): Observation => ({
      cluster,
      ref: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "beside" },
      present: { uid: cluster, owner, proven: true, deleting: false, health: { state: "Available" } },
      writing: false,
      revision: 1,
    });
    const { rows } = step({ target, observations: [copy(A), copy(B)], removal: facts({ owner }) });
    expect(rows.filter(({ cluster }) => cluster === A)).toMatchObject([{ verb: "Delete", ref: { name: "beside" } }]);
  });
});

describe("the rows of what has come to its end", () => {
  test("say so, and are as they are to be whatever is left of the object", () => {
    const { rows } = step({ target: planned({ done: ended(work, [A]) }), observations: [], removal: facts() });
    const row = rows.find(({ cluster }) => cluster === A);
    expect(row).toMatchObject({ verb: "Apply", done: "Complete", run: runHash(work) });
    expect(isInSync(row, undefined)).toBe(true);
    expect(
      isInSync(
        rows.find(({ cluster }) => cluster === B),
        undefined,
      ),
    ).toBe(false);
  });
});

describe("a rollout that is taken back", () => {
  const [before, after] = [job("work", { parallelism: 1 }), job("work", { parallelism: 2 })];
  const object = bundle(after);
  const owner = ownerRefOf(object);
  const policy = placement("p", {
    resourceSelectors: [BUNDLES],
    rollout: { stages: [{ name: "all" }] },
  } as Partial<PlacementSpec>);
  const finished = writeFinished(withEnds(NOTHING_FINISHED, ended(before, [A])));
  const now = snapshot({
    object,
    clusters: [shanghai],
    placements: [policy],
    previous: running([A], { observedGeneration: 1, ...(finished === undefined ? {} : { finished }) }),
  });
  const target = computeTarget(now, NOW);
  const { status: _, ...content } = bundle(before);
  const lastGood = computeTarget(snapshotOfRevision({ object: content, placement: policy, overrides: [] }, now), NOW);
  const copy = (run: string): Observation => ({
    cluster: A,
    ref: placed(before),
    present: { uid: "m1", hash: "other", run, owner, proven: true, deleting: false, health: { state: "Progressing" } },
    writing: false,
    revision: 1,
  });
  const back = (...observations: Observation[]) =>
    step({
      target,
      lastGood,
      rollout: { waiting: new Set(), returning: new Set([A]) },
      observations,
      removal: facts({ owner }),
    }).rows;

  test("does not run again what had come to its end, and takes away what runs in its stead", () => {
    expect(back()).toMatchObject([{ verb: "Apply", done: "Complete", run: runHash(before) }]);
    expect(back(copy(runHash(before)))).toMatchObject([{ verb: "Apply", done: "Complete" }]);
    expect(back(copy(runHash(after)))).toMatchObject([{ verb: "Delete", uid: "m1", why: { reason: "DoneBefore" } }]);
  });
});

describe("the hub's own copy of a Job has gone by its TTL", () => {
  const copy = (more: object): Observation => ({
    cluster: A,
    ref: placed(work),
    present: {
      uid: "m1",
      owner: ownerRefOf(work),
      proven: true,
      deleting: false,
      health: { state: "Progressing" },
      ...more,
    },
    writing: false,
    revision: 1,
  });
  const gone = (more: object, observation: object = {}) =>
    step({ target: undefined, observations: [copy(observation)], removal: facts({ owner: ownerRefOf(work), ...more }) })
      .rows[0];

  test.each<[string, object, object, object]>([
    ["a copy that runs stays", { awaitsEnd: true }, {}, { verb: "Hold", why: { reason: "StillRunning" } }],
    ["a copy that has finished goes", { awaitsEnd: true }, { ended: "Failed" }, { verb: "Delete" }],
    ["a copy that is let go of is let go of", { awaitsEnd: true, policy: "Orphan" }, {}, { verb: "Release" }],
    ["a person who deletes it removes what runs", {}, {}, { verb: "Delete" }],
  ])("%s", (_, removal, present, want) => expect(gone(removal, present)).toMatchObject(want));
});
