import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, Placement } from "../../apis/index.ts";
import { type ClusterSnapshot, type Decision, schedule, type Subject } from "../../scheduler/index.ts";
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
      name: "leave, no more than find none",
      held: { a: 8 },
      room: full,
      stuck: { a: { available: 7, minutes: 5 } },
      want: { a: 7, b: 1 },
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
      name: "leave, as many as fit elsewhere",
      held: { a: 8 },
      room: { a: 0, b: 1, c: 0 },
      stuck: { a: { available: 5, minutes: 5 } },
      want: { a: 7, b: 1 },
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

  test("on as few clusters as can be", () => {
    const setting = { held: { a: 8 }, room: { a: 0, b: 3, c: 9 }, stuck: { a: { available: 5, minutes: 5 } } };
    expect(decided({ ...setting, strategy: "Aggregated", rules: { maxReplicas: 3 } }).replicas).toEqual({ a: 5, c: 3 });
  });
});

/** What is asked of the scheduler while replicas leave clusters, and what is made of its answers. */

const placementOf = (replicaScheduling: object): Placement => ({ spec: { replicaScheduling } }) as unknown as Placement;
const placement = (rescheduling: object = {}): Placement =>
  placementOf({ mode: "Divided", strategy: "Available", rescheduling });

interface Stuck {
  desired: number;
  available: number;
  minutes: number;
}
const entry = (name: string, { desired, available, minutes }: Stuck): ClusterStatusEntry => ({
  name,
  state: "Progressing",
  replicas: { desired, updated: desired, ready: available, available },
  unschedulableSince: new Date(T - minutes * MINUTE).toISOString(),
});
const statusOf = (stuck: Record<string, Stuck>): FederatedStatus => ({
  clusters: Object.entries(stuck).map(([name, one]) => entry(name, one)),
});
const base: Decision = { clusters: [{ name: "a", replicas: 8 }], verdicts: [] };
const housing = (more: Partial<NonNullable<Decision["room"]>> = {}): NonNullable<Decision["room"]> => ({
  clusters: ["a", "b"],
  awaited: false,
  unhoused: 0,
  added: new Map(),
  ...more,
});

/** All of them find room. */
const housed: Decision = { ...base, room: housing() };

/** The decisions come one after the other. */
function run(
  status: FederatedStatus | undefined,
  {
    rules = {},
    subject = {},
    answers = [housed],
  }: { rules?: object; subject?: Partial<Subject>; answers?: Decision[] } = {},
) {
  const asked: (Record<string, number> | undefined)[] = [];
  const decide = (who: Subject): Decision => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? base;
    asked.push(who.leaving === undefined ? undefined : Object.fromEntries(who.leaving as Map<string, number>));
    return answer;
  };
  const who: Subject = { labels: {}, replicas: 8, current: new Map([["a", 8]]), ...subject };
  return { decision: withRescheduling(who, placement(rules), clusters, status, T, decide), asked };
}
const a = (more: Partial<Stuck> = {}): FederatedStatus =>
  statusOf({ a: { desired: 8, available: 4, minutes: 5, ...more } });

describe("what a placement says of replicas whose pods find no node", () => {
  test("counts only where they are divided by room", () => {
    const rescheduling = { after: "1m" };
    expect(reschedulingOf(placement(rescheduling))).toEqual(rescheduling);
    expect(reschedulingOf(placementOf({ mode: "Divided", rescheduling }))).toBeUndefined();
    expect(reschedulingOf(placementOf({ mode: "Duplicated", strategy: "Available", rescheduling }))).toBeUndefined();
    expect(reschedulingOf(placementOf({ mode: "Divided", strategy: "Available" }))).toBeUndefined();
  });
});

describe("nobody is asked to leave", () => {
  test.each<[string, FederatedStatus | undefined, Partial<Subject>]>([
    ["without a status", undefined, {}],
    ["by a status without clusters", {}, {}],
    ["where every replica is available", a({ available: 8 }), {}],
    ["where more are available than are held", a({ available: 9 }), {}],
    ["where some have left already", a(), { held: new Map([["a", 7]]) }],
    ["where none is held", a(), { current: new Map() }],
  ])("%s", (_when, status, subject) => {
    expect(run(status, { subject })).toEqual({ decision: housed, asked: [undefined] });
  });

  test("before the delay is over, and the decision says when that is", () => {
    expect(run(a({ minutes: 4 }))).toEqual({ decision: { ...housed, recheckAt: T + MINUTE }, asked: [undefined] });
    const sooner = { ...base, recheckAt: T + 5 };
    expect(run(a({ minutes: 4 }), { answers: [sooner] }).decision).toEqual(sooner);
    const later = { ...base, recheckAt: T + 9 * MINUTE };
    expect(run(a({ minutes: 4 }), { answers: [later] }).decision.recheckAt).toBe(T + MINUTE);
  });

  test("from a cluster that is gone", () => {
    const status = statusOf({ gone: { desired: 8, available: 4, minutes: 9 } });
    const current = new Map([["gone", 8]]);
    expect(run(status, { subject: { current } })).toEqual({ decision: housed, asked: [undefined] });
  });
});

describe("replicas that leave", () => {
  test("are a quarter of all, and at least one", () => {
    expect(run(a()).asked).toEqual([{ a: 6 }]);
    expect(run(a(), { subject: { replicas: 3 } }).asked).toEqual([{ a: 7 }]);
    expect(run(a(), { rules: { maxReplicas: 0 } }).asked).toEqual([{ a: 7 }]);
    expect(run(a(), { rules: { maxReplicas: "50%" } }).asked).toEqual([{ a: 4 }]);
  });

  test("are told, and when the next may", () => {
    expect(run(a(), { answers: [housed] }).decision).toEqual({
      ...base,
      room: { ...housing(), left: new Map([["a", 2]]) },
    });
    const status = statusOf({
      a: { desired: 8, available: 4, minutes: 5 },
      b: { desired: 4, available: 1, minutes: 3 },
    });
    const current = new Map([
      ["a", 8],
      ["b", 4],
    ]);
    const { decision, asked } = run(status, { subject: { current, replicas: 12 }, answers: [housed] });
    expect(asked).toEqual([{ a: 5 }]);
    expect(decision.recheckAt).toBe(T + 2 * MINUTE);
  });

  test("leave the first clusters by name, whatever the order of the status", () => {
    const status = statusOf({
      b: { desired: 4, available: 1, minutes: 5 },
      a: { desired: 4, available: 3, minutes: 5 },
    });
    const current = new Map([
      ["a", 4],
      ["b", 4],
    ]);
    const of = (maxReplicas: number) => run(status, { rules: { maxReplicas }, subject: { current } }).asked;
    expect(of(1)).toEqual([{ a: 3 }]);
    expect(of(3)).toEqual([{ a: 3, b: 2 }]);
    expect(of(99)).toEqual([{ a: 3, b: 1 }]);
  });

  test("are those that were given last, where that is known", () => {
    expect(run(a(), { subject: { held: new Map([["a", 9]]), current: new Map() } }).asked).toEqual([{ a: 7 }]);
  });

  test("are fewer where not all find room, until they do", () => {
    const unhoused = (count: number): Decision => ({ ...base, room: housing({ unhoused: count }) });
    const { asked, decision } = run(a(), { rules: { maxReplicas: 4 }, answers: [unhoused(1), unhoused(0)] });
    expect(asked).toEqual([{ a: 4 }, { a: 5 }]);
    expect(decision.room?.left).toEqual(new Map([["a", 3]]));
  });

  test("are none where none finds room, and more room is waited for", () => {
    const packed: Decision = { ...base, room: housing({ unhoused: 9 }) };
    const { asked, decision } = run(a(), { answers: [packed] });
    expect(asked).toEqual([{ a: 6 }, undefined]);
    expect(decision).toEqual({ ...base, room: housing({ unhoused: 9, awaited: true }) });
  });

  test("are none where nobody says how many found room", () => {
    expect(run(a(), { answers: [base] })).toEqual({ asked: [{ a: 6 }, undefined], decision: base });
    const nowhere: Decision = { clusters: [], verdicts: [], room: housing() };
    expect(run(a(), { answers: [nowhere, base] })).toEqual({ asked: [{ a: 6 }, undefined], decision: base });
  });
});
