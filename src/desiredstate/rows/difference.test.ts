import { describe, expect, test } from "vitest";
import { type ObjectRef, type Placement, refKey } from "../../apis/index.ts";
import { app, copy, facts, placement, running, targetOf } from "../testing/builders.ts";
import type { ApplyRow, HoldRow, Observation, Role, Row, Target } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";
import { blastRadius, type ChangeVerb, type ClusterChange, differenceOf } from "./difference.ts";
import { knownCopies } from "./knownCopies.ts";
import { ownerRefOf, reowned } from "./marks.ts";
import { step } from "./step.ts";

/** What becomes of one object on clusters, by the rows of before and of after. */

const SHANGHAI = "shanghai-1";
const owner = ownerRefOf(app());
const refTo = (kind: string): ObjectRef => copy(SHANGHAI, kind).ref;
const base = (kind: string, cluster: string, role: Role) => ({ cluster, ref: refTo(kind), owner, role });

function apply(kind: string, hash = "new", { cluster = SHANGHAI, role = "rendered" as Role } = {}): ApplyRow {
  const { ref } = copy(cluster, kind);
  const object = { apiVersion: ref.apiVersion, kind, metadata: { name: ref.name } };
  return { ...base(kind, cluster, role), verb: "Apply", object, hash, conflictResolution: "Abort" };
}
function hold(kind: string, reason: string, more: Partial<HoldRow> = {}): HoldRow {
  const { cluster = SHANGHAI, role = "rendered" } = more;
  return { ...base(kind, cluster, role), verb: "Hold", why: { reason, message: `${reason}.` }, wanted: false, ...more };
}
const remove = (kind: string, verb: "Delete" | "Release", cluster = SHANGHAI, role: Role = "rendered"): Row => ({
  ...base(kind, cluster, role),
  verb,
  uid: "u",
  why: { reason: "NotSelected", message: "not selected" },
});
const there = (kind: string, hash = "old", cluster = SHANGHAI): Observation => copy(cluster, kind, { hash });

interface Given {
  before?: Row[];
  after: Row[];
  copies?: Observation[];
  targets?: [Target | undefined, Target | undefined];
}

const differ = ({
  before = [],
  after,
  copies = [],
  targets: [old, next] = [undefined, undefined],
}: Given): ClusterChange[] =>
  differenceOf({ before: old, after: next, rowsBefore: before, rowsAfter: after, observations: copies });

describe("a member object", () => {
  const verbs = (given: Given): ChangeVerb[] => differ(given).flatMap(({ objects }) => objects.map(({ verb }) => verb));

  test.each<[what: string, after: Row, want: ChangeVerb[], before?: Row | undefined, copy?: Observation]>([
    ["that is not there is created", apply("Service"), ["Created"]],
    ["that is something else is changed", apply("Service"), ["Changed"], undefined, there("Service")],
    ["that is so already stays", apply("Service"), [], undefined, there("Service", "new")],
    ["that would be written so in any case does not count", apply("Service"), [], apply("Service"), there("Service")],
    [
      "that would be written otherwise counts",
      apply("Service"),
      ["Changed"],
      apply("Service", "other"),
      there("Service"),
    ],
    [
      "that would be written elsewhere in any case counts here",
      apply("Service"),
      ["Changed"],
      apply("Service", "new", { cluster: "singapore-1" }),
      there("Service"),
    ],
    ["that goes is deleted", remove("Service", "Delete"), ["Deleted"]],
    ["that is let go of is released", remove("Service", "Release"), ["Released"]],
    ["that goes in any case does not count", remove("Service", "Delete"), [], remove("Service", "Delete")],
    ["that is to go and may not is held", hold("Service", "DeletionsHeld"), ["Held"]],
    ["that goes once what replaces it runs is deleted", hold("Service", "AwaitingReplacement"), ["Deleted"]],
    ["that is going is deleted", hold("Service", "Terminating"), ["Deleted"]],
    ["that another object takes over is changed", hold("Service", "NeededByOthers"), ["Changed"]],
    [
      "that waits for what it depends on is changed",
      hold("Service", "DependencyReplaced", { wanted: true, hash: "new" }),
      ["Changed"],
      undefined,
      there("Service"),
    ],
    [
      "that is frozen as it is to be stays",
      hold("Service", "Suspended", { wanted: true, hash: "old" }),
      [],
      undefined,
      there("Service"),
    ],
    [
      "that is frozen, as whatever it is, stays",
      hold("Service", "Suspended", { wanted: true }),
      [],
      undefined,
      there("Service"),
    ],
    [
      "that is frozen as something else is held",
      hold("Service", "Suspended", { wanted: true, hash: "new" }),
      ["Held"],
      undefined,
      there("Service"),
    ],
    [
      "that is frozen in any case does not count",
      hold("Service", "OtherReason", { wanted: true, hash: "new" }),
      [],
      hold("Service", "Suspended", { wanted: true, hash: "new" }),
      there("Service"),
    ],
    [
      "that was wanted and is not any more is held",
      hold("Service", "DeletionsHeld", { hash: "old" }),
      ["Held"],
      hold("Service", "Suspended", { wanted: true, hash: "old" }),
      there("Service"),
    ],
  ])("%s", (_what, after, want, before, copy) =>
    expect(
      verbs({ after: [after], before: before === undefined ? [] : [before], copies: copy === undefined ? [] : [copy] }),
    ).toEqual(want),
  );

  test("that is written comes with what is to be there, any other with the reason", () => {
    const rows = [apply("Deployment"), remove("Service", "Delete")];
    expect(differ({ after: rows })[0]?.objects).toStrictEqual([
      { ref: refTo("Deployment"), role: "rendered", verb: "Created", row: rows[0] },
      {
        ref: refTo("Service"),
        role: "rendered",
        verb: "Deleted",
        removal: rows[1],
        why: { reason: "NotSelected", message: "not selected" },
      },
    ]);
  });
});

describe("on a cluster an object", () => {
  const verb = (...rows: Row[]) => differ({ after: rows }).map((one) => one.verb);
  const dependency = { role: "dependency" as const };

  test.each<[what: string, want: string, ...Row[]]>([
    ["created where all of it is", "Created", apply("Deployment"), apply("Service")],
    ["changed where some of it is created, and some goes", "Changed", apply("Deployment"), remove("Service", "Delete")],
    [
      "deleted where all of it goes, this way or that",
      "Deleted",
      remove("Deployment", "Delete"),
      remove("Service", "Release"),
      hold("Ingress", "DeletionsHeld"),
    ],
    ["held where all of it is", "Held", hold("Deployment", "DeletionsHeld")],
    [
      "what its own parts are, whatever becomes of its dependencies",
      "Created",
      apply("Deployment"),
      remove("Secret", "Delete", SHANGHAI, "dependency"),
    ],
    [
      "what its dependencies are, where nothing else changes",
      "Deleted",
      remove("Secret", "Delete", SHANGHAI, "dependency"),
    ],
    [
      "what is its own, whatever others take over",
      "Deleted",
      remove("ConfigMap", "Delete", SHANGHAI, "dependency"),
      hold("Secret", "NeededByOthers", dependency),
    ],
    ["changed where others take over what is left", "Changed", hold("Secret", "NeededByOthers", dependency)],
  ])("is %s", (_what, want, ...given) => expect(verb(...given)).toEqual([want]));

  test("is changed where something of it is there already", () => {
    expect(differ({ after: [apply("Service")], copies: [there("Deployment")] })).toMatchObject([{ verb: "Changed" }]);
    const gone = { ...there("Deployment"), present: undefined } as unknown as Observation;
    expect(differ({ after: [apply("Service")], copies: [gone] })).toMatchObject([{ verb: "Created" }]);
    const elsewhere = there("Deployment", "old", "singapore-1");
    expect(differ({ after: [apply("Service")], copies: [elsewhere] })).toMatchObject([{ verb: "Created" }]);
  });

  test("is created where others have brought no more than what it needs", () => {
    const shared = (name: string): Observation => {
      const found = there("Secret", "new");
      return { ...found, present: { ...found.present, owner: { ...owner, name, uid: name } } } as Observation;
    };
    const after = [apply("Deployment"), apply("Service"), apply("Secret", "new", { role: "dependency" })];
    expect(differ({ after, copies: [shared("other")] })).toMatchObject([{ verb: "Created" }]);
    expect(differ({ after, copies: [shared(owner.name)] })).toMatchObject([{ verb: "Changed" }]);
    expect(differ({ after, copies: [shared("other"), there("Service", "new")] })).toMatchObject([{ verb: "Changed" }]);
  });

  test("tells why it goes or stays, and nothing where it is written", () => {
    expect(differ({ after: [hold("Deployment", "DeletionsHeld")] })[0]?.why?.reason).toBe("DeletionsHeld");
    expect(differ({ after: [apply("Deployment")] })[0]).not.toHaveProperty("why");
    expect(differ({ after: [apply("Deployment"), remove("Service", "Delete")] })[0]).not.toHaveProperty("why");
  });

  test("has as many replicas as was and is asked for there, where that differs", () => {
    const asking = (replicas: number | undefined): Target => {
      const target = targetOf({});
      const asked = replicas === undefined ? {} : { replicas };
      return {
        ...target,
        clusters: [{ name: SHANGHAI, frozen: false, objects: [], ...asked }],
      } as Target;
    };
    const replicas = (before: Target | undefined, after: Target | undefined) =>
      differ({ after: [apply("Deployment")], targets: [before, after] })[0]?.replicas;
    expect(replicas(asking(2), asking(5))).toStrictEqual({ before: 2, after: 5 });
    expect(replicas(undefined, asking(5))).toStrictEqual({ after: 5 });
    expect(replicas(asking(2), undefined)).toStrictEqual({ before: 2 });
    expect(replicas(asking(2), asking(2))).toBeUndefined();
  });
});

describe("clusters", () => {
  test("come by name, and an object moves as far as it comes to as many as it leaves", () => {
    const rows = [
      remove("Deployment", "Delete", "d"),
      apply("Deployment", "new", { cluster: "c" }),
      remove("Deployment", "Delete", "b"),
      remove("Deployment", "Delete", "a"),
    ];
    expect(differ({ after: rows }).map(({ cluster, verb, to, from }) => [cluster, verb, to, from])).toEqual([
      ["a", "Moved", ["c"], undefined],
      ["b", "Deleted", undefined, undefined],
      ["c", "Moved", undefined, ["a"]],
      ["d", "Deleted", undefined, undefined],
    ]);
  });

  test("where nothing can be written any more are held, with the reason, once", () => {
    const troubled = (message: string): Target => ({
      ...targetOf({}),
      clusters: [
        { name: SHANGHAI, frozen: true, objects: [], problem: { reason: "InvalidPatch", message, final: true } },
        { name: "well", frozen: false, objects: [] },
      ] as unknown as Target["clusters"],
    });
    const given = (before: Target | undefined, rows: Row[] = []) =>
      differ({ after: rows, targets: [before, troubled("no such path")] });
    const held = {
      cluster: SHANGHAI,
      verb: "Held",
      why: { reason: "InvalidPatch", message: "no such path" },
      objects: [],
    };
    expect(given(undefined)).toStrictEqual([held]);
    expect(given(troubled("another"))).toStrictEqual([held]);
    expect(given(troubled("no such path"))).toEqual([]);
    expect(given(undefined, [remove("Deployment", "Delete")]).map(({ verb }) => verb)).toEqual(["Deleted"]);
  });
});

const on = (...clusterNames: string[]): Placement =>
  placement("some", { clusterAffinities: [{ name: "some", clusterNames }] });

interface Change {
  before: Target | undefined;
  after: Target;
  copies?: Observation[];
  neededByOthers?: string[];
  /** Of every copy: keys of the hub objects that would have it written. */
  writers?: string[];
}

function changes({ before, after, copies = [], neededByOthers = [], writers }: Change): ClusterChange[] {
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
  test("what leaves one cluster and comes to another moves, though it serves there until it has arrived", () => {
    expect(between({ placements: [on("shanghai-1")] }, { placements: [on("singapore-1")] })).toEqual([
      "shanghai-1 Moved >singapore-1 Deleted Service Deleted Deployment",
      "singapore-1 Moved <shanghai-1 Created Deployment Created Service",
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
