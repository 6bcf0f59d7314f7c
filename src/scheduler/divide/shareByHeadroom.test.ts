import { describe, expect, test } from "vitest";
import { cluster, subject } from "../testing.ts";
import type { ClusterHeadroom, PlacementRules, Subject } from "../types.ts";
import { goesByHeadroom, headroomOf, shareByHeadroom, type SharesByHeadroom } from "./shareByHeadroom.ts";

type Scheduling = PlacementRules["replicaScheduling"];

const UNREAD: ClusterHeadroom = {
  reason: "RoomUnknown",
  message: "its nodes cannot be read",
  remedy: "let it list nodes",
};

interface Setting {
  total: number;
  /** Headroom by cluster; undefined: it is being measured. */
  capacities: Record<string, number | ClusterHeadroom | undefined>;
  current?: Record<string, number | undefined>;
  scheduling?: Partial<Scheduling>;
  everyone?: boolean;
  who?: Partial<Subject>;
}

function share({ total, capacities, current = {}, scheduling, everyone = false, who }: Setting): SharesByHeadroom & {
  notes: string[];
} {
  const room = new Map<string, ClusterHeadroom>();
  for (const [name, one] of Object.entries(capacities))
    if (one !== undefined) room.set(name, typeof one === "number" ? { fits: one } : one);
  const of = subject({ replicas: total, current: new Map(Object.entries(current)), room, ...who });
  const notes: string[] = [];
  const clusters = Object.keys(capacities).map((name) => cluster(name));
  const rules: Scheduling = { mode: "Divided", strategy: "Available", ...scheduling };
  return { ...shareByHeadroom(total, clusters, of, rules, everyone, notes), notes };
}

const replicasOf = ({ shares }: SharesByHeadroom): number[] => shares.map(({ replicas }) => replicas);
const messagesOf = ({ shares }: SharesByHeadroom): string[] => shares.map(({ step }) => step.message);

test.each<[Scheduling["mode"], Scheduling["strategy"], boolean]>([
  ["Divided", "Available", true],
  ["Divided", "Aggregated", true],
  ["Divided", "Weighted", false],
  ["Divided", undefined, false],
  ["Duplicated", "Available", false],
])("mode %s with strategy %s goes by headroom: %s", (mode, strategy, want) =>
  expect(goesByHeadroom({ mode, ...(strategy === undefined ? {} : { strategy }) })).toBe(want),
);

test("the headroom is the measured one; a cluster that is not ready is not waited for", () => {
  const measured: ClusterHeadroom = { fits: 3 };
  const who = subject({ room: new Map([["a", measured]]) });
  const at = (name: string, status?: "True" | "False" | "Unknown") =>
    headroomOf(who, cluster(name, status === undefined ? {} : { ready: { status, since: 0 } }));
  expect([at("a"), at("a", "False")]).toEqual([measured, measured]);
  expect([at("b"), at("b", "True")]).toEqual([undefined, undefined]);
  expect([at("b", "False"), at("b", "Unknown")]).toMatchObject([{ reason: "RoomUnknown" }, { reason: "RoomUnknown" }]);
  expect(headroomOf(subject(), cluster("a"))).toMatchObject({ reason: "RoomUnknown" });
});

describe("shares by headroom", () => {
  test("score a cluster by its headroom, and an unknown headroom like any other", () => {
    const { scores, shares, notes } = share({ total: 2, capacities: { a: UNREAD, b: 4, c: 0, d: UNREAD } });
    expect(scores.map(({ weight, step }) => [weight, step.reason, step.score])).toEqual([
      [1, "RoomUnknown", undefined],
      [4, "RoomMeasured", 4],
      [0, "RoomMeasured", 0],
      [1, "RoomUnknown", undefined],
    ]);
    expect(shares.map(({ step }) => [step.name, step.fits, step.remedy])).toEqual([
      ["Available", false, "let it list nodes"],
      ["Available", true, undefined],
      ["Available", false, "add nodes there, or let the pods ask for less"],
      ["Available", false, "let it list nodes"],
    ]);
    expect(notes).toEqual(["the room is not known of a, d"]);
    expect([scores[0], shares[0]?.step]).toEqual([scores[3], shares[3]?.step]);
    expect(scores[0]).toBe(scores[3]);
    expect(shares[0]?.step).toBe(shares[3]?.step);
  });

  test("are nothing, and one step for all, while a measurement is waited for", () => {
    const got = share({ total: 3, capacities: { a: undefined, b: 4, c: undefined }, current: { b: 2 } });
    expect(got).toMatchObject({ awaited: true, unhoused: 0, added: new Map(), uncounted: false, notes: [] });
    expect(replicasOf(got)).toEqual([0, 0, 0]);
    expect(new Set(got.shares.map(({ step }) => step)).size).toBe(1);
    expect(got.shares[0]?.step).toMatchObject({ fits: false, reason: "RoomNotMeasured" });
    expect(got.scores[0]).toMatchObject({ weight: 1, step: { reason: "RoomNotMeasured" } });
  });

  test("wait for no measurement if nothing moves, but for a count", () => {
    const settled = share({ total: 2, capacities: { a: undefined, b: 4 }, current: { b: 2 } });
    expect([settled.awaited, settled.added, replicasOf(settled)]).toEqual([false, new Map(), [0, 2]]);
    const uncounted = share({ total: 2, capacities: { a: 9, b: 4 }, current: { a: undefined, b: 2 } });
    expect(uncounted).toMatchObject({ awaited: true, uncounted: true });
  });

  test("wait for nobody's count where nobody measures", () => {
    const who = subject({ current: new Map([["a", undefined]]) });
    const got = shareByHeadroom(2, [cluster("a")], who, { mode: "Divided", strategy: "Available" }, false, []);
    expect([got.awaited, replicasOf(got)]).toEqual([false, [2]]);
  });

  test("go by what was given last if that is known, and else by what runs", () => {
    const who = { held: new Map([["a", 2]]) };
    const got = share({ total: 5, capacities: { a: 0, b: 9 }, current: { a: undefined, b: 1 }, who });
    expect([replicasOf(got), got.added]).toEqual([[2, 3], new Map([["b", 2]])]);
  });

  test("of no clusters have no place, without a note", () =>
    expect(share({ total: 3, capacities: {} })).toMatchObject({ shares: [], unhoused: 3, unplaced: 0, notes: [] }));

  test.each<[string, Partial<Setting>, number[], string?]>([
    ["a maximum", { scheduling: { maxReplicasPerCluster: 3 }, capacities: { a: 9, b: 1 } }, [3, 1]],
    [
      "a maximum that leaves some without a place",
      { scheduling: { maxReplicasPerCluster: 1 } },
      [1, 1],
      "maxReplicasPerCluster leaves 2 of 4 replicas without a place",
    ],
    ["a minimum", { scheduling: { minReplicasPerCluster: 3 } }, [4, 0]],
    ["a step", { scheduling: { replicaStep: 4 } }, [4, 0]],
    [
      "each cluster gets some",
      { scheduling: { minReplicasPerCluster: 1 }, capacities: { a: 9, b: 0 }, everyone: true },
      [3, 1],
      "1 of 4 replicas find no room on any cluster",
    ],
    ["another strategy", { scheduling: { strategy: "Aggregated" }, capacities: { a: 9, b: 10 } }, [0, 4]],
  ])("keep to the terms: %s", (_what, setting, want, note) => {
    const got = share({ total: 4, capacities: { a: 9, b: 9 }, ...setting });
    expect([replicasOf(got), got.notes]).toEqual([want, note === undefined ? [] : [note]]);
  });

  test("the name of the object decides between equals", () => {
    const takers = Array.from({ length: 40 }, (_, i) =>
      replicasOf(share({ total: 1, capacities: { a: 5, b: 5 }, who: { key: `object-${i}` } })).indexOf(1),
    );
    expect(new Set(takers)).toEqual(new Set([0, 1]));
  });
});

test.each<[string, Setting, string[]]>([
  [
    "all replicas fit",
    { total: 1, capacities: { a: 2, b: 1 } },
    ["gets 1 of 1 replica", "the 1 replica is on other clusters"],
  ],
  ["one does not fit", { total: 3, capacities: { a: 2 } }, ["gets 3 of 3 replicas; 1 of them finds no room there"]],
  ["some do not fit", { total: 4, capacities: { a: 2 } }, ["gets 4 of 4 replicas; 2 of them find no room there"]],
  ["nothing is asked for", { total: 0, capacities: { a: 0 } }, ["gets 0 of 0 replicas"]],
  [
    "replicas leave, whatever headroom is reported",
    { total: 4, capacities: { a: 9, b: 9 }, current: { a: 4 }, who: { leaving: new Map([["a", 1]]) } },
    ["gets 1 of 4 replicas; 3 leave it, since pods find no node there", "gets 3 of 4 replicas"],
  ],
  [
    "one leaves",
    { total: 2, capacities: { a: 9, b: 9 }, current: { a: 2 }, who: { leaving: new Map([["a", 1]]) } },
    ["gets 1 of 2 replicas; 1 leaves it, since pods find no node there", "gets 1 of 2 replicas"],
  ],
  [
    "the cluster gets more, though some should leave",
    { total: 4, capacities: { a: 0 }, current: { a: 2 }, who: { leaving: new Map([["a", 5]]) } },
    ["gets 4 of 4 replicas; 2 of them find no room there"],
  ],
  [
    "replicas go for another reason",
    { total: 1, capacities: { a: 0, b: 5 }, current: { b: 2 }, who: { leaving: new Map([["a", 0]]) } },
    ["it has no room for a replica", "gets 1 of 1 replica"],
  ],
])("the message of a share: %s", (_what, setting, want) => expect(messagesOf(share(setting))).toEqual(want));
