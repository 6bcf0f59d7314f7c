import { describe, expect, test } from "vitest";
import { cluster, subject } from "../testing.ts";
import type { ClusterHeadroom, PlacementRules, Subject } from "../types.ts";
import { headroomOf, shareByHeadroom, type SharesByHeadroom } from "./shareByHeadroom.ts";

type Scheduling = PlacementRules["replicaScheduling"];

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
});

test.each<[string, Setting, string[]]>([
  [
    "replicas leave, whatever headroom is reported",
    { total: 4, capacities: { a: 9, b: 9 }, current: { a: 4 }, who: { leaving: new Map([["a", 1]]) } },
    ["gets 1 of 4 replicas; 3 leave it, since pods find no node there", "gets 3 of 4 replicas"],
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
