import { describe, expect, test } from "vitest";
import { type ObjectRef, refKey } from "../../apis/index.ts";
import type { Observation, Row } from "../../desiredstate/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Assignments } from "../tables/assignments.ts";
import { hasBegun, openCell } from "./rowProgress.ts";
import { Observations } from "../tables/observations.ts";
import { type Plan, Plans } from "../tables/plans.ts";
import {
  absent,
  applyRow,
  CLUSTER,
  CONFIG_REF,
  deleteRow,
  holdRow,
  inContact,
  observation,
  owner,
  SHOP,
} from "../testing/builders.ts";

const SHOP_KEY = refKey(SHOP);
const OTHER: ObjectRef = { ...CONFIG_REF, name: "other" };
const failure = { reason: "QuotaExceeded", message: "too much", final: false };

/** The rows of one hub object, of which this is reported; `plan`: where it is to be, and where something may be left. */
function tables(
  rows: readonly Row[],
  reported: readonly Observation[] = [],
  plan: { target?: readonly string[]; remaining?: readonly string[] } | undefined = { target: [CLUSTER] },
) {
  const observations = new Observations();
  const plans = new Plans();
  const state = { now: 0 };
  const assignments = new Assignments({
    observations,
    kinds: { memberKinds: () => [], onChange: () => new DisposableStack() },
    expected: () => [],
    others: { needing: () => [], needs: new Emitter() },
    monotonic: () => state.now,
  });
  observations.contact(CLUSTER, inContact);
  if (plan !== undefined)
    plans.set(SHOP_KEY, {
      uid: "u",
      generation: 1,
      target: plan.target && { clusters: plan.target.map((name) => ({ name, objects: [] })) },
      remaining: new Set(plan.remaining),
      ours: true,
    } as unknown as Plan);
  assignments.replace(SHOP_KEY, rows);
  observations.report(CLUSTER, reported);
  const sources = { assignments, observations, plans };
  const open = (known?: Parameters<typeof openCell>[2]) => openCell(sources, SHOP_KEY, known);
  return { ...sources, state, sources, open };
}

describe("something is still to come", () => {
  test.each<{ name: string; rows: Row[]; reported?: Observation[]; plan?: object; want: boolean }>([
    { name: "of an object that is to be there and is not", rows: [applyRow()], want: true },
    { name: "not when it is as it is to be", rows: [applyRow()], reported: [observation()], want: false },
    { name: "not when it has failed", rows: [applyRow()], reported: [absent({ failure })], want: false },
    {
      name: "when it is to be another",
      rows: [applyRow({ hash: "h2" })],
      reported: [observation()],
      want: true,
    },
    { name: "though the plan does not name the cluster", rows: [applyRow()], plan: {}, want: true },
    { name: "while what is to go is there", rows: [deleteRow()], reported: [observation()], want: true },
    {
      name: "while something writes what is to go",
      rows: [deleteRow()],
      reported: [absent({ writing: true })],
      want: true,
    },
    {
      name: "while what is to go is there, where the object is to go to several clusters",
      rows: [deleteRow()],
      reported: [observation()],
      plan: { target: [CLUSTER, "elsewhere"] },
      want: true,
    },
    { name: "not when what is to go is gone", rows: [deleteRow()], want: false },
    {
      name: "while what is to go is there, where something may be left",
      rows: [deleteRow()],
      reported: [observation()],
      plan: { remaining: [CLUSTER] },
      want: true,
    },
    {
      name: "not when a cluster claims to have it that neither target nor record names",
      rows: [deleteRow()],
      reported: [observation()],
      plan: { target: ["elsewhere"], remaining: ["elsewhere"] },
      want: false,
    },
    { name: "not of what is held as it is to be", rows: [holdRow()], reported: [observation()], want: false },
    {
      name: "of what is held and not wanted",
      rows: [holdRow({ wanted: false })],
      reported: [observation()],
      want: true,
    },
    { name: "not of what is held, not wanted, and not there", rows: [holdRow({ wanted: false })], want: false },
  ])("$name", ({ rows, reported, plan, want }) => {
    const { open } = tables(rows, reported, plan);
    expect(open()?.ref).toEqual(want ? CONFIG_REF : undefined);
  });

  test("not where nobody knows of a plan", () => {
    const { plans, open } = tables([deleteRow()], [observation()]);
    expect(open()).toBeDefined();
    plans.drop(SHOP_KEY);
    expect(open()).toBeUndefined();
  });

  test("while a copy is there that nobody asks for any more", () => {
    const { assignments, open } = tables([applyRow()], [observation()]);
    assignments.replace(SHOP_KEY, []);
    expect(open()?.ref).toEqual(CONFIG_REF);
  });

  test("not from a cluster that does not answer", () => {
    const { observations, open } = tables([applyRow()]);
    observations.contact(CLUSTER, { ...inContact, ok: false });
    expect(open()).toBeUndefined();
  });

  test("of what was open a moment ago, as long as that is so, and then of another", () => {
    const { observations, assignments, open } = tables([applyRow({ ref: OTHER }), applyRow()]);
    const config = assignments.get(CLUSTER, refKey(CONFIG_REF));
    expect(open()?.ref).toEqual(OTHER);
    expect(open(config)?.ref).toEqual(CONFIG_REF);
    observations.report(CLUSTER, [observation()]);
    expect(open(config)?.ref).toEqual(OTHER);
    assignments.replace(refKey(owner("cart")), [applyRow({ owner: owner("cart"), ref: { ...OTHER, name: "third" } })]);
    const theirs = assignments.get(CLUSTER, refKey({ ...OTHER, name: "third" }));
    expect(open(theirs)?.ref).toEqual(OTHER);
  });
});

describe("what a plan asks for anew has begun", () => {
  test.each<{ name: string; rows: Row[]; reported?: Observation[]; plannedAt?: number; want: boolean }>([
    { name: "when it is there", rows: [applyRow()], reported: [observation()], want: true },
    { name: "when it has failed", rows: [applyRow()], reported: [absent({ failure })], want: true },
    { name: "not when nothing is there", rows: [applyRow()], want: false },
    {
      name: "not when another state is there",
      rows: [applyRow({ hash: "h2" })],
      reported: [observation()],
      want: false,
    },
    { name: "not when something is held", rows: [holdRow({ hash: "h1" })], reported: [observation()], want: false },
    {
      name: "not when it was asked for before",
      rows: [applyRow()],
      reported: [observation()],
      plannedAt: 6,
      want: false,
    },
    {
      name: "when it was asked for in that moment",
      rows: [applyRow()],
      reported: [observation()],
      plannedAt: 5,
      want: true,
    },
    {
      name: "when one of several is there",
      rows: [applyRow({ ref: OTHER }), applyRow()],
      reported: [observation()],
      want: true,
    },
  ])("$name", ({ rows, reported = [], plannedAt = 5, want }) => {
    const { sources, state, assignments, observations } = tables([]);
    state.now = 5;
    assignments.replace(SHOP_KEY, rows);
    observations.report(CLUSTER, reported);
    expect(hasBegun(sources, SHOP_KEY, plannedAt)).toBe(want);
  });

  test("not of what is asked for no more and is still there", () => {
    const { sources, assignments } = tables([applyRow()], [observation()]);
    assignments.replace(SHOP_KEY, []);
    expect([...assignments.of(SHOP_KEY)].map(({ effective }) => effective)).toEqual([undefined]);
    expect(hasBegun(sources, SHOP_KEY, 0)).toBe(false);
  });

  test("not of an object that asks for nothing", () => {
    const { sources } = tables([applyRow()], [observation()]);
    expect(hasBegun(sources, refKey(owner("cart")), 0)).toBe(false);
  });
});
