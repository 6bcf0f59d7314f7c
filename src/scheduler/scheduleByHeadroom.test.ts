import { describe, expect, test } from "vitest";
import { schedule } from "./schedule.ts";
import { cluster, divided, NOW, placement, subject } from "./testing.ts";
import type { ClusterRoom, Decision, PlacementRules, Subject } from "./types.ts";

const UNREAD: ClusterRoom = { reason: "RoomUnknown", message: "its nodes cannot be read", remedy: "let it list nodes" };

interface Setting {
  replicas?: number;
  /** How many more find room, by cluster: one of `unread` is not known, and one that is not named is being measured. */
  room?: Record<string, number>;
  unread?: string[];
  current?: Record<string, number>;
  leaving?: Record<string, number>;
  scheduling?: Partial<PlacementRules["replicaScheduling"]>;
  rules?: Partial<PlacementRules>;
  more?: Partial<Subject>;
}

/** The clusters a, b and c share the replicas by their room; d keeps the object away. */
function decide({
  replicas = 6,
  room,
  unread = [],
  current = {},
  leaving,
  scheduling,
  rules,
  more,
}: Setting): Decision {
  const rooms = new Map<string, ClusterRoom>(Object.entries(room ?? {}).map(([name, fits]) => [name, { fits }]));
  for (const name of unread) rooms.set(name, UNREAD);
  const who = subject({
    replicas,
    current: new Map(Object.entries(current)),
    ...(room === undefined && unread.length === 0 ? {} : { room: rooms }),
    ...(leaving === undefined ? {} : { leaving: new Map(Object.entries(leaving)) }),
    ...more,
  });
  const clusters = [...["a", "b", "c"].map((name) => cluster(name)), cluster("d", { deleting: true })];
  return schedule(who, placement({ ...divided({ strategy: "Available", ...scheduling }), ...rules }), clusters, NOW);
}

const sharesOf = ({ clusters }: Decision): Record<string, number | undefined> =>
  Object.fromEntries(clusters.map(({ name, replicas }) => [name, replicas]));
const messagesOf = ({ verdicts }: Decision): Record<string, string> =>
  Object.fromEntries(verdicts.slice(0, 3).map(({ cluster: name, message }) => [name, message]));

describe("what a division by room asks for and says", () => {
  interface Case extends Setting {
    name: string;
    want: Record<string, number>;
    asks: Omit<Partial<NonNullable<Decision["room"]>>, "added"> & { added?: Record<string, number> };
    unplaced?: number;
    notes?: string[];
  }
  test.each<Case>([
    {
      name: "a new object goes by room, and all of it is added",
      room: { a: 3, b: 6, c: 9 },
      want: { a: 1, b: 2, c: 3 },
      asks: { added: { a: 1, b: 2, c: 3 } },
    },
    {
      name: "what runs stays, and only what is new is added",
      room: { a: 0, b: 0, c: 9 },
      current: { a: 2, b: 3 },
      want: { a: 2, b: 3, c: 1 },
      asks: { added: { c: 1 } },
    },
    {
      name: "what is taken away adds nothing",
      replicas: 2,
      room: { a: 1, b: 1, c: 1 },
      current: { a: 2, b: 2 },
      want: { a: 1, b: 1 },
      asks: {},
    },
    {
      name: "while a cluster is measured that could take some, nothing is decided",
      room: { a: 3, b: 3 },
      want: {},
      asks: { awaited: true },
    },
    {
      name: "while a cluster is measured, what runs and stays is not held up",
      room: { a: 3, b: 3 },
      current: { a: 3, b: 3 },
      want: { a: 3, b: 3 },
      asks: {},
    },
    {
      name: "what has no room is placed where most is, and counted",
      room: { a: 2, b: 1, c: 0 },
      want: { a: 5, b: 1 },
      asks: { unhoused: 3, added: { a: 5, b: 1 } },
      notes: ["3 of 6 replicas find no room on any cluster"],
    },
    {
      name: "what has no place is counted as well",
      replicas: 7,
      room: { a: 2, b: 1, c: 0 },
      scheduling: { maxReplicasPerCluster: 2 },
      want: { a: 2, b: 2, c: 2 },
      asks: { unhoused: 4, added: { a: 2, b: 2, c: 2 } },
      unplaced: 1,
      notes: [
        "maxReplicasPerCluster leaves 1 of 7 replicas without a place",
        "3 of 7 replicas find no room on any cluster",
      ],
    },
    {
      name: "clusters whose room cannot be read are named",
      room: { a: 9 },
      unread: ["b", "c"],
      want: { a: 6 },
      asks: { added: { a: 6 } },
      notes: ["the room is not known of b, c"],
    },
    {
      name: "room that nobody measures is not waited for",
      want: { a: 2, b: 2, c: 2 },
      asks: { added: { a: 2, b: 2, c: 2 } },
      notes: ["the room is not known of a, b, c"],
    },
    {
      name: "Aggregated takes as few clusters as have the room",
      room: { a: 3, b: 6, c: 9 },
      scheduling: { strategy: "Aggregated" },
      want: { c: 6 },
      asks: { added: { c: 6 } },
    },
    {
      name: "each cluster that is picked gets one",
      room: { a: 9, b: 0, c: 1 },
      current: { b: 1 },
      rules: { clusterCount: 3 },
      want: { a: 4, b: 1, c: 1 },
      asks: { added: { a: 4, c: 1 } },
    },
    {
      name: "a cluster that is not picked for want of room is measured again",
      room: { a: 9, b: 0, c: 9 },
      rules: { clusterCount: 2 },
      want: { a: 3, c: 3 },
      asks: { awaited: true, added: { a: 3, c: 3 } },
    },
    {
      name: "a cluster that is not picked since the count is reached is not waited for",
      room: { a: 9, b: 9, c: 9 },
      rules: { clusterCount: 2 },
      want: { a: 3, b: 3 },
      asks: { added: { a: 3, b: 3 } },
    },
  ])("$name", ({ want, asks, unplaced, notes, ...setting }) => {
    const decision = decide(setting);
    expect(decision.unplaced).toBe(unplaced);
    expect(sharesOf(decision)).toEqual(want);
    const { added = {}, ...others } = asks;
    expect(decision.room).toStrictEqual({
      clusters: ["a", "b", "c"],
      awaited: false,
      unhoused: 0,
      ...others,
      added: new Map(Object.entries(added)),
    });
    expect(decision.notes).toEqual(notes);
  });

  test("a division by weights, or of no replicas, asks for no room", () => {
    expect(decide({ scheduling: { strategy: "Weighted" } })).not.toHaveProperty("room");
    const without = placement(divided({ strategy: "Available" }));
    expect(schedule(subject(), without, [cluster("a")], NOW)).not.toHaveProperty("room");
  });
});

describe("the verdict of a cluster in a division by room", () => {
  interface Case extends Setting {
    name: string;
    want: Record<string, string>;
  }
  test.each<Case>([
    {
      name: "says how many replicas it gets",
      room: { a: 3, b: 6, c: 0 },
      want: { a: "gets 2 of 6 replicas", b: "gets 4 of 6 replicas", c: "it has no room for a replica" },
    },
    {
      name: "says of how many there is no room",
      room: { a: 4, b: 1, c: 0 },
      want: { a: "gets 5 of 6 replicas; 1 of them finds no room there", b: "gets 1 of 6 replicas" },
    },
    {
      name: "says of how many there is no room when they are several",
      room: { a: 4, b: 0, c: 0 },
      want: { a: "gets 6 of 6 replicas; 2 of them find no room there" },
    },
    {
      name: "says nothing of room for those that run already",
      room: { a: 0, b: 0, c: 0 },
      current: { a: 6 },
      want: { a: "gets 6 of 6 replicas", b: "it has no room for a replica" },
    },
    {
      name: "says how many leave it",
      replicas: 3,
      room: { a: 0, b: 9, c: 9 },
      current: { a: 3 },
      leaving: { a: 2 },
      want: { a: "gets 2 of 3 replicas; 1 leaves it, since pods find no node there", b: "gets 1 of 3 replicas" },
    },
    {
      name: "says that several leave it",
      replicas: 4,
      room: { a: 9, b: 9, c: 0 },
      current: { a: 4 },
      leaving: { a: 1 },
      want: { a: "gets 1 of 4 replicas; 3 leave it, since pods find no node there", b: "gets 3 of 4 replicas" },
    },
    {
      name: "says nothing of leaving where fewer run than may stay",
      replicas: 2,
      room: { a: 9, b: 9, c: 0 },
      current: { a: 2 },
      leaving: { a: 5 },
      want: { a: "gets 2 of 2 replicas" },
    },
    {
      name: "says that one replica is elsewhere",
      replicas: 1,
      room: { a: 9, b: 1, c: 1 },
      want: { a: "gets 1 of 1 replica", b: "the 1 replica is on other clusters" },
    },
    {
      name: "says that several are elsewhere",
      replicas: 2,
      room: { a: 9, b: 1, c: 1 },
      scheduling: { strategy: "Aggregated" },
      want: { a: "gets 2 of 2 replicas", b: "the 2 replicas are on other clusters" },
    },
    {
      name: "says why its room is not known",
      room: { a: 9, c: 9 },
      unread: ["b"],
      want: { b: "its room is not known, so other clusters go before it: its nodes cannot be read" },
    },
    {
      name: "says whose measurement is waited for",
      room: { b: 1 },
      want: Object.fromEntries(["a", "b", "c"].map((name) => [name, "waits until the room is measured of a, c"])),
    },
    {
      name: "says whose replicas have not been counted",
      room: { a: 9, b: 9, c: 9 },
      more: { current: new Map([["b", undefined]]) },
      want: Object.fromEntries(["a", "b", "c"].map((name) => [name, "waits until the room is measured of b"])),
    },
  ])("$name", ({ want, ...setting }) => expect(messagesOf(decide(setting))).toMatchObject(want));

  test("says what would help a cluster that gets none", () => {
    const { verdicts } = decide({ room: { a: 0, c: 9 }, unread: ["b"] });
    expect(verdicts.map(({ remedy }) => remedy).slice(0, 3)).toEqual([
      "add nodes there, or let the pods ask for less",
      "let it list nodes",
      undefined,
    ]);
  });

  test("holds its room as its score", () => {
    const { verdicts } = decide({ replicas: 1, room: { a: 3, b: 0 }, unread: ["c"], current: { a: 1 } });
    const scored = verdicts.map(({ steps }) => steps.find(({ stage }) => stage === "score")).slice(0, 3);
    expect(scored.map((step) => [step?.reason, step?.message, step?.score])).toEqual([
      ["RoomMeasured", "room for 3 more", 3],
      ["RoomMeasured", "no room for another replica", 0],
      ["RoomUnknown", "its nodes cannot be read", undefined],
    ]);
    const waiting = decide({ room: { a: 3, b: 3 } }).verdicts[2]?.steps.find(({ stage }) => stage === "score");
    expect(waiting).toMatchObject({ reason: "RoomNotMeasured", message: "its room is being measured" });
  });
});

describe("room of clusters that are not ready", () => {
  test.each<[string, "True" | "False" | "Unknown", boolean]>([
    ["a ready cluster that is not measured yet is waited for", "True", true],
    ["a cluster that is not ready is not", "False", false],
    ["a cluster of which nobody knows whether it is ready is not", "Unknown", false],
  ])("%s", (_what, status, awaited) => {
    const clusters = [cluster("a"), cluster("b", { ready: { status, since: 0 } })];
    const room = new Map([["a", { fits: 9 }]]);
    const current = new Map([["b", 1]]);
    const who = subject({ replicas: 3, room, current });
    expect(schedule(who, placement(divided({ strategy: "Available" })), clusters, NOW).room?.awaited).toBe(awaited);
  });
});

describe("picking clusters by room", () => {
  const picked = (setting: Setting): Record<string, string> => {
    const { verdicts } = decide({ replicas: 4, rules: { clusterCount: 2 }, ...setting });
    return Object.fromEntries(
      verdicts.slice(0, 3).map(({ cluster: name, reason, message }) => [name, `${reason}: ${message}`]),
    );
  };
  const NONE = "NoRoom: it has no room for a replica";
  test.each<[string, Setting, Record<string, string>]>([
    ["a cluster without any is not picked", { room: { a: 0, b: 1, c: 1 } }, { a: NONE }],
    [
      "a cluster without any that runs the object is",
      { room: { a: 0, b: 1, c: 1 }, current: { a: 1 } },
      { c: "BeyondClusterCount: 2 other clusters go before it; clusterCount is 2" },
    ],
    [
      "a cluster of unknown room is",
      { room: { a: 0, c: 1 }, unread: ["b"] },
      { a: NONE, b: "Selected: gets 1 of 4 replicas" },
    ],
    [
      "a cluster with less than the least of each is not",
      { room: { a: 1, b: 2, c: 2 }, scheduling: { minReplicasPerCluster: 2 } },
      { a: "NoRoom: it has no room for 2 replicas", b: "Selected: gets 2 of 4 replicas" },
    ],
    [
      "where no cluster has any, room decides nothing",
      { room: { a: 0, b: 0, c: 0 } },
      { a: "Selected: gets 3 of 4 replicas; 3 of them find no room there" },
    ],
  ])("%s", (_what, setting, want) => expect(picked(setting)).toMatchObject(want));
});
