import { describe, expect, test } from "vitest";
import { cluster, subject } from "../testing.ts";
import type { ClusterRoom, ClusterSnapshot, PlacementRules, Step, Subject } from "../types.ts";
import { goesByRoom, roomOf, shareByRoom, type SharesByRoom } from "./shareByHeadroom.ts";

type Scheduling = PlacementRules["replicaScheduling"];

const UNREAD: ClusterRoom = { reason: "NoRight", message: "its nodes cannot be read", remedy: "let it list nodes" };

interface Setting {
  total: number;
  /** By cluster, how much room there is; undefined: it is being measured. */
  rooms: Record<string, number | ClusterRoom | undefined>;
  current?: Record<string, number | undefined>;
  scheduling?: Partial<Scheduling>;
  everyone?: boolean;
  who?: Partial<Subject>;
}

function share({ total, rooms, current = {}, scheduling, everyone = false, who }: Setting): SharesByRoom & {
  notes: string[];
} {
  const room = new Map<string, ClusterRoom>();
  for (const [name, one] of Object.entries(rooms))
    if (one !== undefined) room.set(name, typeof one === "number" ? { fits: one } : one);
  const of = subject({ replicas: total, current: new Map(Object.entries(current)), room, ...who });
  const notes: string[] = [];
  const clusters = Object.keys(rooms).map((name) => cluster(name));
  const rules: Scheduling = { mode: "Divided", strategy: "Available", ...scheduling };
  return { ...shareByRoom(total, clusters, of, rules, everyone, notes), notes };
}

const replicasOf = ({ shares }: SharesByRoom): number[] => shares.map(({ replicas }) => replicas);
const wordsOf = ({ shares }: SharesByRoom): string[] => shares.map(({ step }) => step.message);
const divides = (fits: boolean, message: string, name = "Available"): Step => ({
  stage: "divide",
  name,
  fits,
  reason: fits ? "Selected" : "NoReplicas",
  message,
});
const scored = (reason: string, message: string, score?: number): Step => ({
  stage: "score",
  name: "Room",
  fits: true,
  reason,
  message,
  ...(score === undefined ? {} : { score }),
});

test.each<[Scheduling["mode"], Scheduling["strategy"], boolean]>([
  ["Divided", "Available", true],
  ["Divided", "Aggregated", true],
  ["Divided", "Weighted", false],
  ["Divided", undefined, false],
  ["Duplicated", "Available", false],
  ["Duplicated", "Aggregated", false],
])("mode %s with strategy %s goes by room: %s", (mode, strategy, want) =>
  expect(goesByRoom({ mode, ...(strategy === undefined ? {} : { strategy }) })).toBe(want),
);

describe("the room of a cluster", () => {
  const measured: ClusterRoom = { fits: 3 };
  const room = new Map([["a", measured]]);
  const at = (name: string, status?: "True" | "False" | "Unknown"): ClusterSnapshot =>
    cluster(name, status === undefined ? {} : { ready: { status, since: 0 } });
  const notReached = { reason: "RoomUnknown", message: "the cluster is not ready to be measured" };

  test.each<[string, Partial<Subject>, ClusterSnapshot, ClusterRoom | undefined]>([
    [
      "is not known where nobody measures it",
      {},
      at("a"),
      { reason: "RoomUnknown", message: "nobody measures its room here" },
    ],
    ["is what was measured", { room }, at("a"), measured],
    ["is what was measured, ready or not", { room }, at("a", "False"), measured],
    ["is being measured where nobody has said whether it is ready", { room }, at("b"), undefined],
    ["is being measured where it is ready", { room }, at("b", "True"), undefined],
    ["is not waited for where it is not ready", { room }, at("b", "False"), notReached],
    ["is not waited for where nobody knows whether it is ready", { room }, at("b", "Unknown"), notReached],
  ])("%s", (_what, who, one, want) => expect(roomOf(subject(who), one)).toEqual(want));
});

describe("shares by room", () => {
  test("are told as steps of the division, beside the room as the score", () => {
    expect(share({ total: 3, rooms: { a: 2, b: 4, c: 0 } })).toStrictEqual({
      scores: [
        { weight: 2, step: scored("RoomMeasured", "room for 2 more", 2) },
        { weight: 4, step: scored("RoomMeasured", "room for 4 more", 4) },
        { weight: 0, step: scored("RoomMeasured", "no room for another replica", 0) },
      ],
      shares: [
        { replicas: 1, step: divides(true, "gets 1 of 3 replicas") },
        { replicas: 2, step: divides(true, "gets 2 of 3 replicas") },
        {
          replicas: 0,
          step: {
            ...divides(false, "it has no room for a replica"),
            remedy: "add nodes there, or let the pods ask for less",
          },
        },
      ],
      awaited: false,
      unhoused: 0,
      unplaced: 0,
      added: new Map([
        ["a", 1],
        ["b", 2],
      ]),
      notes: [],
    });
  });

  test("of few clusters are told by the name of their strategy", () => {
    const { shares } = share({ total: 3, rooms: { a: 2, b: 4 }, scheduling: { strategy: "Aggregated" } });
    expect(shares).toStrictEqual([
      { replicas: 0, step: divides(false, "the 3 replicas are on other clusters", "Aggregated") },
      { replicas: 3, step: divides(true, "gets 3 of 3 replicas", "Aggregated") },
    ]);
  });

  test("go to clusters whose room is not known after all others", () => {
    const silent: ClusterRoom = { reason: "RoomUnknown", message: "nobody says" };
    const { scores, shares, notes } = share({ total: 2, rooms: { a: UNREAD, b: 4, c: silent } });
    const words = "its room is not known, so other clusters go before it: ";
    expect(scores.map(({ weight }) => weight)).toEqual([1, 4, 1]);
    expect(scores[0]?.step).toStrictEqual(scored("RoomUnknown", "its nodes cannot be read"));
    expect(shares.map(({ step }) => step)).toStrictEqual([
      { ...divides(false, `${words}its nodes cannot be read`), remedy: "let it list nodes" },
      divides(true, "gets 2 of 2 replicas"),
      divides(false, `${words}nobody says`),
    ]);
    expect(notes).toEqual(["the room is not known of a, c"]);
  });

  test("that are all there are and stay are not held up by a measurement", () => {
    const got = share({ total: 2, rooms: { a: undefined, b: 4 }, current: { b: 2 } });
    expect(got.scores[0]).toStrictEqual({
      weight: 1,
      step: scored("RoomNotMeasured", "its room is being measured"),
    });
    expect(wordsOf(got)).toEqual(["the 2 replicas are on other clusters", "gets 2 of 2 replicas"]);
    expect([got.awaited, got.added]).toEqual([false, new Map()]);
  });

  test("are nothing, and one step for all, while a measurement is waited for", () => {
    const got = share({ total: 3, rooms: { a: undefined, b: 4, c: undefined }, current: { b: 2 } });
    const step: Step = {
      stage: "divide",
      name: "Room",
      fits: false,
      reason: "RoomNotMeasured",
      message: "waits until the room is measured of a, c",
    };
    expect(got).toMatchObject({ awaited: true, unhoused: 0, added: new Map(), uncounted: false, notes: [] });
    expect(got.shares).toStrictEqual([0, 1, 2].map(() => ({ replicas: 0, step })));
    expect(got.shares[0]?.step).toBe(got.shares[2]?.step);
    expect(got.scores.map(({ step: { reason } }) => reason)).toEqual([
      "RoomNotMeasured",
      "RoomMeasured",
      "RoomNotMeasured",
    ]);
  });

  test("are nothing while replicas have not been counted somewhere, though nothing would move", () => {
    const got = share({ total: 2, rooms: { a: 9, b: 4 }, current: { a: undefined, b: 2 } });
    expect(got).toMatchObject({ awaited: true, uncounted: true });
    expect(wordsOf(got)[1]).toBe("waits until the room is measured of a");
  });

  test("go by what was given last where that is known, and else by what runs", () => {
    const held = new Map([["a", 2]]);
    const got = share({ total: 5, rooms: { a: 0, b: 9 }, current: { a: undefined, b: 1 }, who: { held } });
    expect(replicasOf(got)).toEqual([2, 3]);
    expect(got.added).toEqual(new Map([["b", 2]]));
    expect(got).not.toHaveProperty("uncounted");
  });

  test("wait for nobody's count where nobody measures", () => {
    const who = subject({ current: new Map([["a", undefined]]) });
    const rules: Scheduling = { mode: "Divided", strategy: "Available" };
    const notes: string[] = [];
    const got = shareByRoom(2, [cluster("a")], who, rules, false, notes);
    expect(wordsOf(got)).toEqual(["gets 2 of 2 replicas"]);
    expect(notes).toEqual(["the room is not known of a"]);
  });

  test("of no replicas are for all", () => {
    expect(wordsOf(share({ total: 0, rooms: { a: 0, b: 3 } }))).toEqual([
      "gets 0 of 0 replicas",
      "gets 0 of 0 replicas",
    ]);
  });

  test("of no clusters are none, and nobody has to be told", () => {
    expect(share({ total: 3, rooms: {} })).toStrictEqual({
      scores: [],
      shares: [],
      awaited: false,
      unhoused: 3,
      unplaced: 0,
      added: new Map(),
      notes: [],
    });
  });
});

describe("bounds of a division by room", () => {
  test.each<[string, Setting, number[], string[]]>([
    ["a most", { total: 5, rooms: { a: 9, b: 9 }, scheduling: { maxReplicasPerCluster: 3 } }, [3, 2], []],
    [
      "a most that leaves one without a place",
      { total: 5, rooms: { a: 9, b: 9 }, scheduling: { maxReplicasPerCluster: 2 } },
      [2, 2],
      ["maxReplicasPerCluster leaves 1 of 5 replicas without a place"],
    ],
    ["a least", { total: 5, rooms: { a: 9, b: 9 }, scheduling: { minReplicasPerCluster: 3 } }, [5, 0], []],
    ["a step", { total: 6, rooms: { a: 9, b: 9 }, scheduling: { replicaStep: 4 } }, [6, 0], []],
    [
      "no least without an order that each gets some",
      { total: 4, rooms: { a: 9, b: 0 }, scheduling: { minReplicasPerCluster: 1 } },
      [4, 0],
      [],
    ],
    [
      "that each gets some",
      { total: 4, rooms: { a: 9, b: 0 }, scheduling: { minReplicasPerCluster: 1 }, everyone: true },
      [3, 1],
      ["1 of 4 replicas find no room on any cluster"],
    ],
  ])("%s", (_what, setting, want, notes) => {
    const got = share(setting);
    expect([replicasOf(got), got.notes]).toEqual([want, notes]);
  });

  test("the name of the object decides between equals", () => {
    const takers = Array.from({ length: 40 }, (_, i) =>
      replicasOf(share({ total: 1, rooms: { a: 5, b: 5 }, who: { key: `object-${i}` } })).indexOf(1),
    );
    expect(new Set(takers)).toEqual(new Set([0, 1]));
  });
});

describe("replicas that have to leave a cluster", () => {
  const leaving = (most: number) => ({ leaving: new Map([["a", most]]) });
  test.each<[string, Setting, string[]]>([
    [
      "go to where there is room, whatever room is said to be where they were",
      { total: 4, rooms: { a: 9, b: 9 }, current: { a: 4 }, who: leaving(1) },
      ["gets 1 of 4 replicas; 3 leave it, since pods find no node there", "gets 3 of 4 replicas"],
    ],
    [
      "are not spoken of where the cluster gets more than it has",
      { total: 4, rooms: { a: 0 }, current: { a: 2 }, who: leaving(5) },
      ["gets 4 of 4 replicas; 2 of them find no room there"],
    ],
    [
      "are not spoken of where the cluster keeps what it has",
      { total: 2, rooms: { a: 0, b: 5 }, current: { a: 2 }, who: leaving(2) },
      ["gets 2 of 2 replicas", "the 2 replicas are on other clusters"],
    ],
    [
      "are not spoken of where replicas go for another reason",
      { total: 1, rooms: { a: 0, b: 5 }, current: { b: 2 }, who: leaving(0) },
      ["it has no room for a replica", "gets 1 of 1 replica"],
    ],
  ])("%s", (_what, setting, want) => expect(wordsOf(share(setting))).toEqual(want));
});

describe("what is said of clusters with as much room", () => {
  test("is one value for all of them", () => {
    const { scores, shares } = share({ total: 1, rooms: { a: 0, b: 0, c: 9 } });
    expect(scores[0]).toBe(scores[1]);
    expect(shares[0]?.step).toBe(shares[1]?.step);
    const unread = share({ total: 1, rooms: { a: UNREAD, b: UNREAD, c: 9 } });
    expect(unread.scores[0]).toBe(unread.scores[1]);
    expect(unread.shares[0]?.step).toBe(unread.shares[1]?.step);
  });

  test("is short, however many there are", () => {
    const names = Array.from({ length: 40 }, (_, i) => `c${i}`);
    const all = (room: ClusterRoom | undefined) => Object.fromEntries(names.map((name) => [name, room]));
    const [note = ""] = share({ total: 1, rooms: all(UNREAD) }).notes;
    expect(note).toMatch(/^the room is not known of c0, c1, .+ and \d+ more$/);
    expect(note.length).toBeLessThanOrEqual(80);
    const [message = ""] = wordsOf(share({ total: 1, rooms: all(undefined) }));
    expect(message).toMatch(/^waits until the room is measured of c0, c1, .+ and \d+ more$/);
    expect(message.length).toBeLessThanOrEqual(60);
  });
});
