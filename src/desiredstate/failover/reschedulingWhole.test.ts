import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, Placement } from "../../apis/index.ts";
import type { ClusterSnapshot, Decision, Subject } from "../../scheduler/index.ts";
import { reschedulingOf, withRescheduling } from "./rescheduling.ts";

/** What is asked of the scheduler while replicas leave clusters, and what is made of its answers. */

const T = Date.parse("2026-11-22T08:00:00Z");
const MINUTE = 60_000;
const clusters = ["a", "b", "c"].map((name): ClusterSnapshot => ({
  name,
  labels: {},
  taints: [],
  deleting: false,
  local: false,
}));
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
const room = (more: Partial<NonNullable<Decision["room"]>> = {}): NonNullable<Decision["room"]> => ({
  clusters: ["a", "b"],
  awaited: false,
  unhoused: 0,
  added: new Map(),
  ...more,
});

/** All of them find room. */
const housed: Decision = { ...base, room: room() };

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
      room: { ...room(), left: new Map([["a", 2]]) },
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
    const unhoused = (count: number): Decision => ({ ...base, room: room({ unhoused: count }) });
    const { asked, decision } = run(a(), { rules: { maxReplicas: 4 }, answers: [unhoused(1), unhoused(0)] });
    expect(asked).toEqual([{ a: 4 }, { a: 5 }]);
    expect(decision.room?.left).toEqual(new Map([["a", 3]]));
  });

  test("are none where none finds room, and more room is waited for", () => {
    const full: Decision = { ...base, room: room({ unhoused: 9 }) };
    const { asked, decision } = run(a(), { answers: [full] });
    expect(asked).toEqual([{ a: 6 }, undefined]);
    expect(decision).toEqual({ ...base, room: room({ unhoused: 9, awaited: true }) });
  });

  test("are none where nobody says how many found room", () => {
    expect(run(a(), { answers: [base] })).toEqual({ asked: [{ a: 6 }, undefined], decision: base });
    const nowhere: Decision = { clusters: [], verdicts: [], room: room() };
    expect(run(a(), { answers: [nowhere, base] })).toEqual({ asked: [{ a: 6 }, undefined], decision: base });
  });
});
