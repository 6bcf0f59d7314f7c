import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, Placement } from "../../apis/index.ts";
import { type ClusterSnapshot, schedule, type Subject } from "../../scheduler/index.ts";
import { reschedulingOf, withRescheduling } from "./rescheduling.ts";

const T = Date.parse("2026-11-22T08:00:00Z");
const MINUTE = 60_000;

const clusters = ["a", "b", "c"].map((name): ClusterSnapshot => {
  return { name, labels: {}, taints: [], deleting: false, local: false };
});

interface Setting {
  replicas?: number;
  held: Record<string, number>;
  /** How many more fit. */
  room: Record<string, number>;
  /** Available replicas, and for how many minutes pods have found no node there. */
  stuck?: Record<string, { available: number; minutes: number }>;
  /** What the status says was asked for; unless given, what is held. */
  desired?: Record<string, number>;
  rules?: { after?: string; maxReplicas?: number | string } | undefined;
  strategy?: "Available" | "Aggregated" | "Weighted";
}

function decided({ held, room, stuck = {}, desired = held, strategy = "Available", ...more }: Setting) {
  const replicas = more.replicas ?? Object.values(held).reduce((sum, count) => sum + count, 0);
  const rules = "rules" in more ? more.rules : {};
  const policy = {
    spec: { replicaScheduling: { mode: "Divided", strategy, ...(rules === undefined ? {} : { rescheduling: rules }) } },
  } as unknown as Placement;
  const entries = Object.entries(held).map(([name, count]) => {
    const one = stuck[name];
    const counts = { desired: desired[name] ?? count, updated: count, ready: 0, available: one?.available ?? count };
    const since = one === undefined ? {} : { unschedulableSince: new Date(T - one.minutes * MINUTE).toISOString() };
    return { name, state: "Progressing", replicas: counts, ...since } as ClusterStatusEntry;
  });
  const subject: Subject = {
    labels: {},
    replicas,
    current: new Map(Object.keys(held).map((name) => [name, undefined])),
    held: new Map(Object.entries(held)),
    room: new Map(Object.entries(room).map(([name, fits]) => [name, { fits }])),
  };
  const decide = (who: Subject) => schedule(who, policy.spec, clusters, T);
  const previous = { clusters: entries } as FederatedStatus;
  const decision = withRescheduling(subject, policy, clusters, previous, T, decide);
  return {
    replicas: Object.fromEntries(decision.clusters.map(({ name, replicas: count }) => [name, count])),
    recheckIn: decision.recheckAt === undefined ? undefined : (decision.recheckAt - T) / MINUTE,
    awaited: decision.room?.awaited,
  };
}

const full = { a: 0, b: 9, c: 0 };

describe("replicas whose pods find no node", () => {
  test.each<Setting & { name: string; want: Record<string, number>; recheckIn?: number; awaited?: boolean }>([
    {
      name: "stay until the delay is over",
      held: { a: 8 },
      room: full,
      stuck: { a: { available: 5, minutes: 4 } },
      want: { a: 8 },
      recheckIn: 1,
    },
    {
      name: "leave when it is, a quarter of all at once",
      held: { a: 8 },
      room: full,
      stuck: { a: { available: 5, minutes: 5 } },
      want: { a: 6, b: 2 },
    },
    {
      name: "leave as many at once as the policy allows, after its own delay",
      held: { a: 8 },
      room: full,
      stuck: { a: { available: 2, minutes: 2 } },
      rules: { after: "90s", maxReplicas: 5 },
      want: { a: 3, b: 5 },
    },
    {
      name: "of a small object leave one by one",
      held: { a: 2 },
      room: full,
      stuck: { a: { available: 0, minutes: 9 } },
      want: { a: 1, b: 1 },
    },
    {
      name: "of several clusters leave within one budget",
      held: { a: 4, c: 4 },
      room: full,
      stuck: { a: { available: 3, minutes: 5 }, c: { available: 1, minutes: 5 } },
      want: { a: 3, b: 2, c: 3 },
    },
    {
      name: "leave the first clusters by name, whatever the order of the status",
      held: { b: 4, a: 4 },
      room: { a: 0, b: 0, c: 9 },
      stuck: { b: { available: 1, minutes: 5 }, a: { available: 3, minutes: 5 } },
      rules: { maxReplicas: 1 },
      want: { a: 3, b: 4, c: 1 },
    },
    {
      name: "leave, no more than find none",
      held: { a: 8 },
      room: full,
      stuck: { a: { available: 7, minutes: 5 } },
      want: { a: 7, b: 1 },
    },
    {
      name: "leave, as many as fit elsewhere",
      held: { a: 8 },
      room: { a: 0, b: 1, c: 0 },
      stuck: { a: { available: 5, minutes: 5 } },
      want: { a: 7, b: 1 },
    },
    {
      name: "of another cluster leave later",
      held: { a: 8, c: 4 },
      room: full,
      stuck: { a: { available: 5, minutes: 5 }, c: { available: 1, minutes: 3 } },
      want: { a: 5, b: 3, c: 4 },
      recheckIn: 2,
    },
    {
      name: "stay on a cluster that is gone",
      held: { gone: 8 },
      room: full,
      stuck: { gone: { available: 4, minutes: 9 } },
      want: { b: 8 },
    },
    {
      name: "stay while there is no room anywhere, and more room is waited for",
      held: { a: 8 },
      room: { a: 0, b: 0, c: 0 },
      stuck: { a: { available: 5, minutes: 5 } },
      want: { a: 8 },
      awaited: true,
    },
    {
      name: "stay while the others are being measured",
      held: { a: 8 },
      room: { a: 0 },
      stuck: { a: { available: 5, minutes: 5 } },
      want: { a: 8 },
      awaited: true,
    },
    {
      name: "stay where some have left and the status does not say so yet",
      held: { a: 6, b: 2 },
      desired: { a: 8 },
      room: full,
      stuck: { a: { available: 5, minutes: 5 } },
      want: { a: 6, b: 2 },
    },
    {
      name: "stay where the policy does not ask for it",
      held: { a: 8 },
      room: full,
      stuck: { a: { available: 5, minutes: 5 } },
      rules: undefined,
      want: { a: 8 },
    },
  ])("$name", ({ want, recheckIn, awaited = false, ...setting }) => {
    expect(decided(setting)).toEqual({ replicas: want, recheckIn, awaited });
  });
});

/** What is asked of the scheduler while replicas leave clusters, and what is made of its answers. */

const placementOf = (replicaScheduling: object): Placement => ({ spec: { replicaScheduling } }) as unknown as Placement;
const placement = (rescheduling: object = {}): Placement =>
  placementOf({ mode: "Divided", strategy: "Available", rescheduling });

describe("what a placement says of replicas whose pods find no node", () => {
  test("counts only where they are divided by room", () => {
    const rescheduling = { after: "1m" };
    expect(reschedulingOf(placement(rescheduling))).toEqual(rescheduling);
    expect(reschedulingOf(placementOf({ mode: "Divided", rescheduling }))).toBeUndefined();
    expect(reschedulingOf(placementOf({ mode: "Duplicated", strategy: "Available", rescheduling }))).toBeUndefined();
    expect(reschedulingOf(placementOf({ mode: "Divided", strategy: "Available" }))).toBeUndefined();
  });
});
