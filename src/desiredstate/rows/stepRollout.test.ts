import { describe, expect, test } from "vitest";
import { step } from "./step.ts";
import {
  app,
  copy,
  facts,
  overrides,
  placedBy,
  placement,
  running,
  shanghai,
  singapore,
  stepInput,
  targetOf,
} from "../testing/builders.ts";
import { named, observed, rowsOf, target, texts } from "../testing/steps.ts";
import type { StepInput, Target } from "../types.ts";

/** What a rollout makes of a cluster whose turn has not come, that goes back, or that is left as it is. */

const clusters = [shanghai, singapore];
const to = (spec: object, more: Parameters<typeof targetOf>[0] = {}): Target =>
  target({ object: app(spec), clusters, ...more });
const before = to({ image: "nginx:1" });
const after = to({ image: "nginx:2", ports: [] });
const NAME = "singapore-1";
const there = (input: Partial<StepInput>): string[] =>
  texts({ target: after, lastGood: before, ...input }).flatMap((text) =>
    text.includes(` ${NAME} `) ? [text.replace(` ${NAME} `, " ")] : [],
  );
const copies = [copy(NAME, "Deployment"), copy(NAME, "Service")];
const only = new Set([NAME]);
const none: ReadonlySet<string> = new Set();
const waits = { waiting: only };
const returns = { waiting: none, returning: only };
const isKept = { waiting: none, kept: only };
const hashIn = (given: Target): string | undefined =>
  given.clusters.find(({ name }) => name === NAME)?.objects[0]?.hash;
const writtenHash = (input: Partial<StepInput>): unknown =>
  rowsOf({ target: after, lastGood: before, ...input }).flatMap((row) =>
    row.cluster === NAME && row.verb === "Apply" ? [row.hash] : [],
  )[0];
const drained = facts({ clusters: new Map([[NAME, { synced: true, leaving: "Drain" as const }]]) });

describe("a cluster that goes back", () => {
  test("gets the last good revision, and what that does not have goes", () => {
    const left = observed(NAME, named("ConfigMap", "new"));
    expect(there({ rollout: returns, observations: [left] })).toEqual([
      "Apply Deployment/nginx-demo",
      "Apply Service/nginx-demo",
      "Delete ConfigMap/new NotSelected",
    ]);
    expect(writtenHash({ rollout: returns })).toBe(hashIn(before));
    expect(there({ rollout: waits, observations: [left] }).at(-1)).toBe("Hold ConfigMap/new RolloutWaiting");
  });

  test("is left by an object that the last good revision did not have there", () => {
    const lastGood = { ...before, clusters: before.clusters.filter(({ name }) => name !== NAME) };
    expect(there({ lastGood, rollout: returns, observations: copies })).toEqual([
      "Delete Service/nginx-demo NotSelected",
      "Delete Deployment/nginx-demo NotSelected",
    ]);
  });

  test("keeps what it has where nobody can say what the last good revision was", () => {
    const held = ["Hold Service/nginx-demo RolloutWaiting", "Hold Deployment/nginx-demo RolloutWaiting"];
    const another = { ...before, owner: { ...before.owner, uid: "another life" } };
    expect(there({ lastGood: another, rollout: returns, observations: copies })).toEqual(held);
    const withoutOne = texts({ target: after, rollout: returns, observations: copies });
    expect(withoutOne.filter((text) => text.includes(NAME))).toEqual(
      held.map((text) => text.replace("Hold", `Hold ${NAME}`)),
    );
    expect(there({ target: { ...after, suspended: true }, rollout: returns, observations: copies })).toEqual(held);
  });

  test("keeps what went along with that revision and is not on the hub any more", () => {
    const withSecret = to({ envFrom: [{ secretRef: { name: "database" } }] });
    const observations = [observed(NAME, named("Secret", "database"))];
    expect(there({ lastGood: withSecret, rollout: returns, observations }).at(-1)).toBe(
      "Hold Secret/database DependencyMissing",
    );
  });

  test("keeps everything where that revision cannot be made", () => {
    const bad = overrides("bad", { patches: [{ op: "remove", path: "/none" }] });
    const lastGood = to({}, { overrides: [bad] });
    expect(there({ lastGood, rollout: returns, observations: copies })).toEqual([
      "Hold Service/nginx-demo InvalidPatch",
      "Hold Deployment/nginx-demo InvalidPatch",
    ]);
    expect(there({ lastGood, rollout: waits, observations: copies })).toEqual([
      "Hold Service/nginx-demo InvalidPatch",
      "Hold Deployment/nginx-demo InvalidPatch",
    ]);
  });
});

describe("a cluster that is kept", () => {
  test("is neither written nor loses anything", () => {
    expect(there({ rollout: isKept })).toEqual([]);
    expect(there({ rollout: isKept, observations: copies })).toEqual([
      "Hold Service/nginx-demo RolloutWaiting",
      "Hold Deployment/nginx-demo RolloutWaiting",
    ]);
  });

  test("is written like any other when no name is among those that wait", () => {
    expect(there({ rollout: { waiting: none } })).toEqual(["Apply Deployment/nginx-demo"]);
    expect(there({ rollout: { waiting: none, returning: none, kept: none } })).toEqual(["Apply Deployment/nginx-demo"]);
  });
});

describe.each([
  ["waits", waits],
  ["goes back", returns],
  ["is kept", isKept],
])("a cluster that %s", (_what, rollout) => {
  test("is left as it is where it is frozen, for the reason of that", () => {
    const suspended = targetOf({
      placements: [placement("p", { suspend: true })],
      clusters,
      previous: running([NAME], placedBy("p")),
    });
    expect(there({ target: suspended, rollout, observations: copies })).toEqual([
      "Hold Deployment/nginx-demo Suspended",
      "Hold Service/nginx-demo Suspended",
    ]);
  });

  test("is emptied when its MemberCluster is being removed", () => {
    const gone = { ...after, clusters: after.clusters.filter(({ name }) => name !== NAME) };
    expect(there({ target: gone, removal: drained, rollout, observations: copies.slice(1) })).toEqual([
      "Delete Service/nginx-demo NotSelected",
    ]);
  });
});

test("one that is being removed gets no row, as far as the decision knows", () => {
  const going = to({ image: "nginx:2" }, { clusters: [shanghai, { ...singapore, deleting: true }] });
  expect(there({ target: going, rollout: waits })).toEqual([]);
  expect(there({ target: to({ image: "nginx:2" }, { clusters: [shanghai] }), rollout: waits })).toEqual([]);
});

test("nothing is written back while no policy places the object", () => {
  const unplaced = targetOf({ clusters, previous: running(["shanghai-1"], placedBy("gone")) });
  expect(unplaced.scheduled.status).toBe("False");
  expect(there({ target: unplaced, rollout: waits, observations: copies })).toEqual([
    "Hold Service/nginx-demo RolloutWaiting",
    "Hold Deployment/nginx-demo RolloutWaiting",
  ]);
});

test("a copy that waits says for what", () => {
  const rows = rowsOf({ target: after, lastGood: before, rollout: isKept, observations: copies.slice(0, 1) });
  expect(rows.find(({ cluster }) => cluster === NAME)).toEqual({
    verb: "Hold",
    cluster: NAME,
    ref: copies[0]?.ref,
    owner: after.owner,
    role: "rendered",
    hash: "an-older-hash",
    why: { reason: "RolloutWaiting", message: "its turn in the rollout has not come yet" },
    wanted: true,
  });
});

test("a copy without a hash is held without one", () => {
  const { present, ...rest } = copy(NAME, "Deployment");
  if (present === undefined) throw new Error("the copy is not there");
  const { hash: _, ...unhashed } = present;
  const rows = rowsOf({ target: after, rollout: isKept, observations: [{ ...rest, present: unhashed }] });
  expect(rows.find(({ cluster }) => cluster === NAME)).not.toHaveProperty("hash");
});

describe("of a share of more objects than a few", () => {
  const object = (index: number) => ({ ref: named("ConfigMap", `c${index}`), role: "rendered" as const });
  const many = (count: number): Target => ({
    ...after,
    clusters: [
      {
        name: NAME,
        frozen: false,
        objects: Array.from({ length: count }, (_, index) => ({
          ...object(index),
          object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c${index}` } },
          hash: `h${index}`,
        })),
      },
    ],
  });

  test.each([16, 17, 40])("each is known again: %i", (count) => {
    const observations = [`c${count - 1}`, "c0", "other"].map((name) => observed(NAME, named("ConfigMap", name)));
    const { rows } = step(stepInput({ target: many(count), observations }));
    expect(rows.filter(({ verb }) => verb === "Apply")).toHaveLength(count);
    expect(rows.flatMap(({ verb, ref }) => (verb === "Apply" ? [] : [`${verb} ${ref.name}`]))).toEqual([
      "Delete other",
    ]);
  });
});

describe("a row of a target", () => {
  test("has all that the target says of the object", () => {
    const [cluster] = after.clusters;
    const [first] = cluster?.objects ?? [];
    if (cluster === undefined || first === undefined) throw new Error("nothing is rendered");
    const more = { unretained: first.object, phase: 3, reporting: { withStatus: true as const } };
    const namespaceLabels = { a: "1" };
    const given: Target = {
      ...after,
      hubVersion: "12",
      namespaceLabels,
      clusters: [{ ...cluster, objects: [{ ...first, ...more }] }],
    };
    expect(rowsOf({ target: given })).toEqual([
      {
        verb: "Apply",
        cluster: cluster.name,
        ...first,
        ...more,
        owner: after.owner,
        conflictResolution: "Abort",
        hubVersion: "12",
        namespaceLabels,
      },
    ]);
  });

  test("leaves a part of it as it is where what it is to be is not known", () => {
    const [cluster] = after.clusters;
    const [first] = cluster?.objects ?? [];
    if (cluster === undefined || first === undefined) throw new Error("nothing is rendered");
    const held = { reason: "RolloutWaiting", message: "m" };
    const given: Target = { ...after, clusters: [{ ...cluster, objects: [{ ...first, held }] }] };
    expect(rowsOf({ target: given })).toStrictEqual([
      {
        verb: "Hold",
        cluster: cluster.name,
        ref: first.ref,
        owner: after.owner,
        role: first.role,
        why: held,
        wanted: true,
      },
    ]);
  });

  test("of a frozen copy has what the placement asks for about it, and only where it does", () => {
    const frozen = (health?: object) =>
      rowsOf({
        target: targetOf({
          placements: [placement("p", { suspend: true, ...health })],
          clusters,
          previous: running([NAME], placedBy("p")),
        }),
      });
    const rows = frozen({ health: [{ kind: "Service", available: "true" }] });
    expect(rows.map((row) => [row.ref.kind, row.reporting])).toEqual([
      ["Deployment", undefined],
      ["Service", { health: { available: "true" } }],
    ]);
    expect(rows[0]).not.toHaveProperty("reporting");
    expect(rows[1]?.verb === "Hold" && rows[1].why).toEqual({
      reason: "Suspended",
      message: "Placement p is suspended; it is kept as it is on 1 cluster",
    });
  });
});

describe("what is left behind", () => {
  const serving = {
    health: { state: "Available" as const, replicas: { desired: 2, updated: 2, ready: 2, available: 2 } },
  };
  const moved = to(
    {},
    { placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1"] }] })] },
  );
  const observations = [copy(NAME, "Deployment", serving), copy(NAME, "Service")];

  test("may go before it is replaced where the placement says so", () => {
    expect(there({ target: moved, observations })[0]).toMatch(/^Hold .* AwaitingReplacement$/);
    expect(there({ target: { ...moved, breakBeforeMake: true }, observations })).toEqual([
      "Delete Service/nginx-demo NotSelected",
      "Delete Deployment/nginx-demo NotSelected",
    ]);
  });

  test("comes by its name, whatever the order in which it was seen", () => {
    for (const seen of [observations, observations.toReversed()])
      expect(
        there({ target: { ...moved, breakBeforeMake: true }, observations: seen }).map((row) => row.split(" ")[1]),
      ).toEqual(["Service/nginx-demo", "Deployment/nginx-demo"]);
  });
});
