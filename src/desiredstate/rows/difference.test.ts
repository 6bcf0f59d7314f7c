import { describe, expect, test } from "vitest";
import { type Placement, refKey } from "../../apis/index.ts";
import { blastRadius, type ClusterChange, differenceOf } from "./difference.ts";
import { knownCopies } from "./knownCopies.ts";
import { ownerRefOf, reowned } from "./marks.ts";
import { step } from "./step.ts";
import { app, facts, overrides, placement, running, snapshot, targetOf } from "../testing/builders.ts";
import type { Observation, Target } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";

const on = (...clusterNames: string[]): Placement =>
  placement("some", { clusterAffinities: [{ name: "some", clusterNames }] });

interface Given {
  before: Target | undefined;
  after: Target;
  copies?: Observation[];
  neededByOthers?: string[];
  /** Of every copy: keys of the hub objects that would have it written. */
  writers?: string[];
}

function changes({ before, after, copies = [], neededByOthers = [], writers }: Given): ClusterChange[] {
  const removal = facts({ owner: ownerRefOf(app()), neededByOthers: new Set(neededByOthers) });
  const rowsOf = (target: Target | undefined) =>
    target === undefined ? [] : step({ target, observations: copies, removal }).rows;
  return differenceOf({
    before,
    after,
    rowsBefore: rowsOf(before),
    rowsAfter: rowsOf(after),
    observations: copies,
    ...(writers === undefined ? {} : { writersOf: () => new Set(writers) }),
  });
}

/** The copies of an object that runs as its target says. */
function settled(target: Target): Observation[] {
  const names = target.clusters.map(({ name }) => name);
  const { clusters = [], ...status } = running(names);
  const entries = clusters.map((entry) => ({ ...entry, desiredHash: "h", observedHash: "h" }));
  return knownCopies(target, { ...status, clusters: entries });
}

const line = ({ cluster, verb, to, from, objects }: ClusterChange): string =>
  [cluster, verb, ...(to ?? []).map((name) => `>${name}`), ...(from ?? []).map((name) => `<${name}`)]
    .concat(objects.map((one) => `${one.verb} ${one.ref.kind}`))
    .join(" ");

function between(before: Partial<Snapshot>, after: Partial<Snapshot>): string[] {
  const was = targetOf(before);
  const status = running(was.clusters.map(({ name }) => name));
  return changes({ before: was, after: targetOf({ ...after, previous: status }), copies: settled(was) }).map(line);
}

describe("differenceOf", () => {
  test("says nothing where nothing changes", () => {
    expect(between({ placements: [on("shanghai-1")] }, { placements: [on("shanghai-1")] })).toEqual([]);
  });

  test("a new object is created on every cluster", () => {
    expect(
      changes({ before: undefined, after: targetOf({ placements: [on("shanghai-1", "singapore-1")] }) }).map(line),
    ).toEqual([
      "shanghai-1 Created Created Deployment Created Service",
      "singapore-1 Created Created Deployment Created Service",
    ]);
  });

  test("only the member objects that differ change", () => {
    const placements = [on("shanghai-1", "singapore-1")];
    expect(between({ placements }, { placements, object: app({ image: "nginx:1.28" }) })).toEqual([
      "shanghai-1 Changed Changed Deployment",
      "singapore-1 Changed Changed Deployment",
    ]);
  });

  test("an override changes the clusters that it takes, and tells their replicas", () => {
    const placements = [on("shanghai-1", "singapore-1")];
    const override = overrides("one", { targetClusters: { clusterNames: ["shanghai-1"] }, replicas: 5 });
    const was = targetOf({ placements });
    const is = targetOf({ placements, overrides: [override] });
    expect(changes({ before: was, after: is, copies: settled(was) })).toMatchObject([
      { cluster: "shanghai-1", verb: "Changed", replicas: { before: 2, after: 5 } },
    ]);
  });

  test("what leaves one cluster and comes to another moves, though it serves there until it has arrived", () => {
    expect(between({ placements: [on("shanghai-1")] }, { placements: [on("singapore-1")] })).toEqual([
      "shanghai-1 Moved >singapore-1 Deleted Service Deleted Deployment",
      "singapore-1 Moved <shanghai-1 Created Deployment Created Service",
    ]);
  });

  test("what leaves more clusters than it comes to is deleted on the rest", () => {
    expect(
      between({ placements: [on("shanghai-1", "singapore-1")] }, { placements: [on("frankfurt-1")] }).map((one) =>
        one.split(" ").slice(0, 3).join(" "),
      ),
    ).toEqual(["frankfurt-1 Moved <shanghai-1", "shanghai-1 Moved >frankfurt-1", "singapore-1 Deleted Deleted"]);
  });

  test("what a suspended policy keeps from being written is held, with the reason", () => {
    const placements = [placement("some", { suspend: true })];
    const was = targetOf({ placements, previous: running(["shanghai-1"]) });
    const is = targetOf({ placements, previous: running(["shanghai-1"]), object: app({ image: "nginx:1.28" }) });
    expect(changes({ before: was, after: is, copies: settled(was) })).toMatchObject([
      { cluster: "shanghai-1", verb: "Held", why: { reason: "Suspended" } },
    ]);
  });

  test("where an override cannot be applied nothing is written, and it says so", () => {
    const placements = [on("shanghai-1", "singapore-1")];
    const broken = overrides("broken", {
      targetClusters: { clusterNames: ["shanghai-1"] },
      patches: [{ op: "replace", path: "/spec/typo/deep", value: 1 }],
    });
    const was = targetOf({ placements });
    const is = targetOf({ placements, overrides: [broken], previous: running(["shanghai-1", "singapore-1"]) });
    expect(changes({ before: was, after: is, copies: settled(was) })).toMatchObject([
      { cluster: "shanghai-1", verb: "Held", why: { reason: "InvalidPatch" } },
    ]);
    const fresh = targetOf({ placements, overrides: [broken] });
    expect(changes({ before: undefined, after: fresh }).map(({ cluster, verb }) => [cluster, verb])).toEqual([
      ["shanghai-1", "Held"],
      ["singapore-1", "Created"],
    ]);
  });

  test("what another object needs is taken over by it", () => {
    const needing = app({ envFrom: [{ configMapRef: { name: "settings" } }] });
    const config = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "default" },
      data: { a: "1" },
    };
    const given = { object: needing, dependencies: new Map([["/ConfigMap/default/settings", config]]) };
    const was = targetOf({ ...given, placements: [on("shanghai-1", "singapore-1")] });
    const ref = was.clusters[0]?.objects.find(({ role }) => role === "dependency")?.ref;
    expect(ref).toMatchObject({ kind: "ConfigMap" });
    const is = targetOf({
      ...given,
      placements: [on("singapore-1")],
      previous: running(["shanghai-1", "singapore-1"]),
    });
    const key = `shanghai-1/${[...given.dependencies.keys()][0]}`;
    const all = changes({ before: was, after: is, copies: settled(was), neededByOthers: [key] });
    expect(all.map(({ cluster, verb }) => [cluster, verb])).toEqual([["shanghai-1", "Deleted"]]);
    expect(all[0]?.objects.map(({ ref: { kind }, verb }) => [kind, verb])).toEqual([
      ["ConfigMap", "Changed"],
      ["Service", "Deleted"],
      ["Deployment", "Deleted"],
    ]);
  });

  describe("what several objects share", () => {
    const config = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "default" },
      data: { a: "1" },
    };
    const given = {
      object: app({ envFrom: [{ configMapRef: { name: "settings" } }] }),
      dependencies: new Map([["/ConfigMap/default/settings", config]]),
    };
    const self = refKey(ownerRefOf(given.object));
    const other = refKey({ ...ownerRefOf(given.object), name: "other" });
    const ofConfig = (all: ClusterChange[]) =>
      all.flatMap(({ objects }) => objects.flatMap(({ ref: { kind }, verb }) => (kind === "ConfigMap" ? [verb] : [])));

    test.each([
      { says: "another one", writers: [other], want: ["Changed"] },
      { says: "itself", writers: [self], want: [] },
      { says: "another one and itself", writers: [other, self], want: [] },
      { says: "nobody", writers: [], want: [] },
    ])("and one leaves as it is, is written by $says: $want", ({ writers, want }) => {
      const was = targetOf({ ...given, placements: [on("shanghai-1")] });
      const suspended = [{ ...on("shanghai-1"), spec: { ...on("shanghai-1").spec, suspend: true } }];
      const is = targetOf({ ...given, placements: suspended, previous: running(["shanghai-1"]) });
      const owner = ownerRefOf(given.object);
      const copies = settled(was).map((copy) =>
        copy.present === undefined ? copy : { ...copy, present: { ...copy.present, owner } },
      );
      expect(ofConfig(changes({ before: was, after: is, copies, writers }))).toEqual(want);
    });

    test.each([
      { says: "stays in the name of one that has it written", writers: [other, self], want: [] },
      { says: "gets another name where that one leaves it as it is", writers: [self], want: ["Changed"] },
    ])("$says", ({ writers, want }) => {
      const is = targetOf({ ...given, placements: [on("shanghai-1")] });
      const owner = { ...ownerRefOf(given.object), name: "other" };
      const object = is.clusters[0]?.objects.find(({ ref: { kind } }) => kind === "ConfigMap");
      if (object === undefined) throw new Error("the target has no ConfigMap");
      const { hash } = reowned(object.object, owner, "Delete");
      const copies = settled(is).map((copy): Observation =>
        copy.ref.kind === "ConfigMap" && copy.present !== undefined
          ? { ...copy, present: { ...copy.present, owner, hash } }
          : copy,
      );
      expect(ofConfig(changes({ before: undefined, after: is, copies, writers }))).toEqual(want);
    });
  });

  test("what would be written in any case does not count", () => {
    const placements = [on("shanghai-1", "singapore-1")];
    const was = targetOf({ placements });
    // The first apply has not come to singapore-1 yet.
    const copies = settled(was).filter(({ cluster }) => cluster === "shanghai-1");
    expect(changes({ before: was, after: was, copies })).toEqual([]);
  });
});

describe("knownCopies", () => {
  test("are as the target says where the status says so, and unknown where not", () => {
    const target = targetOf({ placements: [on("shanghai-1", "singapore-1")] });
    const { clusters: [first, second] = [] } = running(["shanghai-1", "singapore-1"]);
    const copies = knownCopies(target, {
      clusters: [first, second].flatMap((entry, i) =>
        entry === undefined ? [] : [{ ...entry, desiredHash: "new", observedHash: i === 0 ? "new" : "old" }],
      ),
    });
    const hashes = (cluster: string) =>
      copies.filter((one) => one.cluster === cluster).map(({ present }) => present?.hash);
    expect(hashes("shanghai-1")).toEqual(target.clusters[0]?.objects.map(({ hash }) => hash));
    expect(hashes("singapore-1")).toEqual([undefined, undefined]);
  });

  test("are not where nothing has been seen yet, and are where the status only names the cluster", () => {
    const target = targetOf({ placements: [on("shanghai-1", "singapore-1")] });
    const copies = knownCopies(target, { ...running(["shanghai-1"]), unlistedClusters: ["singapore-1"] });
    expect(new Set(copies.map(({ cluster }) => cluster))).toEqual(new Set(["singapore-1"]));
  });
});

test("the blast radius counts objects and clusters once, and a move once", () => {
  const one = (cluster: string, verb: ClusterChange["verb"], more: Partial<ClusterChange> = {}): ClusterChange => ({
    cluster,
    verb,
    objects: [],
    ...more,
  });
  const moved = [one("a", "Moved", { to: ["b"] }), one("b", "Moved", { from: ["a"] })];
  expect(blastRadius([moved, [], [one("a", "Changed"), one("c", "Held"), one("d", "Deleted")]], 9)).toEqual({
    objects: 2,
    clusters: 4,
    allClusters: 9,
    created: 0,
    changed: 1,
    moved: 1,
    deleted: 1,
    held: 1,
  });
});

test("a snapshot in which nothing is known changes nothing", () => {
  const target = targetOf(snapshot());
  expect(changes({ before: target, after: target })).toEqual([]);
});
