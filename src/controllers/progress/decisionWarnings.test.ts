import { describe, expect, test } from "vitest";
import type { FederatedStatus } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { recordDecision, warnLater } from "./placementEvents.ts";
import { type Plan, Plans } from "../tables/plans.ts";
import { planOn } from "../testing/copySources.ts";
import { APP, app } from "../testing/planning.ts";

const MISSING = { reason: "DependencyMissing", message: "ConfigMap default/settings is not on the hub" };

function target(warning?: { reason: string; message: string }, scheduled: object = {}): Target {
  return {
    decision: {},
    scheduled: { status: "True", reason: "ClustersSelected", message: "", ...scheduled },
    clusters: [{ name: "a" }, { name: "b", ...(warning === undefined ? {} : { warning }) }],
  } as unknown as Target;
}

describe("that something is missing which an object refers to", () => {
  const warnings = (now: Target, before?: Target, status?: object): string[] => {
    const warned: EventRecord[] = [];
    const past = { before, status: status as FederatedStatus | undefined };
    recordDecision({ record: () => undefined }, app(), now, past, { warn: (warning) => void warned.push(warning) });
    return warned.map(({ type, reason, action, note }) => `${type} ${reason} ${action}: ${note}`);
  };
  const told = ["Warning DependencyMissing Resolve: ConfigMap default/settings is not on the hub"];

  test("is told when it is news", () => {
    expect(warnings(target(MISSING))).toEqual(told);
    expect(warnings(target(MISSING), target())).toEqual(told);
    expect(warnings(target(MISSING), target({ ...MISSING, message: "another" }))).toEqual(told);
  });

  test("is not told twice, by this manager or the one before", () => {
    expect(warnings(target(MISSING), target(MISSING))).toEqual([]);
    const clusters = [{ name: "a" }, { name: "b", reason: "DependencyMissing" }];
    expect(warnings(target(MISSING), undefined, { clusters })).toEqual([]);
    expect(warnings(target(MISSING), undefined, { clusters: [{ name: "a", reason: "Applying" }] })).toEqual(told);
  });

  test("is not told where nothing is missing, or where another thing is wrong", () => {
    expect(warnings(target(), target(MISSING))).toEqual([]);
    expect(warnings(target({ reason: "Other", message: "x" }))).toEqual([]);
  });
});

describe("a warning about a decision", () => {
  /** Whether the warning is recorded when the plan is this by then. */
  const stillTrue = (warning: { reason: string }, plan: Plan | undefined): boolean => {
    const plans = new Plans();
    if (plan !== undefined) plans.set(APP, plan);
    const asked: [string, boolean][] = [];
    const record = { ...warning, note: "", action: "", type: "Warning", regarding: {} } as unknown as EventRecord;
    const warn = (key: string, _record: EventRecord, isStillTrue: () => boolean): void =>
      void asked.push([key, isStillTrue()]);
    warnLater({ plans, warnings: { warn } }, APP, record);
    expect(asked.map(([key]) => key)).toEqual([`${APP} ${warning.reason}`]);
    return asked[0]?.[1] === true;
  };
  const planned = (one: Target | undefined): Plan => planOn([], { target: one });

  test.each([
    { name: "still missing", plan: planned(target(MISSING)), reason: "DependencyMissing", want: true },
    { name: "found by then", plan: planned(target()), reason: "DependencyMissing", want: false },
    {
      name: "still nowhere",
      plan: planned(target(undefined, { status: "False", reason: "NoClusterFits" })),
      reason: "NoClusterFits",
      want: true,
    },
    { name: "placed by then", plan: planned(target()), reason: "NoClusterFits", want: false },
    { name: "being deleted by then", plan: planned(undefined), reason: "NoClusterFits", want: false },
    { name: "gone by then", plan: undefined, reason: "NoClusterFits", want: false },
  ])("is recorded when it is still true: $name, $want", ({ plan, reason, want }) => {
    expect(stillTrue({ reason }, plan)).toBe(want);
  });
});
