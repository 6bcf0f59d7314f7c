import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { FederatedStatus, RolloutStatus } from "../../../apis/index.ts";
import type { Target } from "../../../desiredstate/index.ts";
import type { Recorded } from "../../../hub/index.ts";
import { type Decided, decisionToWrite } from "./decision.ts";

const replicas = { desired: 0, updated: 0, ready: 0, available: 0 };
const run = (revision: number): RolloutStatus => ({ state: "Progressing", revision });

interface Given {
  wanted?: string[];
  reported?: string[];
  planned?: string[] | undefined;
  open?: string[];
  rollout?: RolloutStatus | undefined;
  stored?: RolloutStatus | undefined;
}

function input({ wanted = [], reported = [], planned, open = [], rollout, stored }: Given): [Recorded, Decided] {
  const status: FederatedStatus = {
    observedGeneration: 1,
    clusters: reported.map((name) => ({ name, state: "Available", replicas })),
    ...(planned === undefined ? {} : { plannedClusters: planned }),
    ...(stored === undefined ? {} : { rollout: stored }),
  };
  const record = { status, clusters: new Set([...reported, ...(planned ?? [])]), reported: new Set(reported) };
  const target = { clusters: wanted.map((name) => ({ name })) } as unknown as Target;
  return [record, { target, rollout, isOpen: (cluster) => open.includes(cluster) }];
}

test.each<{ name: string; given: Given; want: string[] | undefined }>([
  {
    name: "nothing where the record names every cluster",
    given: { wanted: ["a"], reported: ["a", "b"] },
    want: undefined,
  },
  { name: "a cluster that is new", given: { wanted: ["a", "b"], reported: ["a"] }, want: ["b"] },
  { name: "nothing where an earlier decision names it", given: { wanted: ["b"], planned: ["b"] }, want: undefined },
  { name: "that a cluster is not meant any more", given: { planned: ["b"] }, want: [] },
  { name: "nothing while something may be left there", given: { planned: ["b"], open: ["b"] }, want: undefined },
  { name: "that the report has it now", given: { planned: ["b"], reported: ["b"], open: ["b"] }, want: [] },
  { name: "a rollout", given: { rollout: run(2), stored: run(1), planned: [] }, want: [] },
  {
    name: "nothing of a rollout that stands there",
    given: { rollout: run(2), stored: run(2), planned: [] },
    want: undefined,
  },
  { name: "a rollout that a report of an earlier version holds", given: { rollout: run(2), stored: run(2) }, want: [] },
  { name: "that there is no rollout any more", given: { stored: run(2), planned: [] }, want: [] },
])("the decision is $name", ({ given, want }) => {
  expect(decisionToWrite(...input(given))?.plannedClusters).toEqual(want);
});

describe("a decision", () => {
  const names = fc.uniqueArray(fc.constantFrom<string[]>("a", "b", "c", "d"));
  const rollout = fc.option(fc.integer({ min: 1, max: 2 }).map(run), { nil: undefined });
  const given = fc.record({
    ...{ wanted: names, reported: names, open: names, rollout, stored: rollout },
    planned: fc.option(names, { nil: undefined }),
  });

  property.prop([given])("records every cluster of the target, keeps what may be left, and is needed once", (all) => {
    const decision = decisionToWrite(...input(all));
    const planned = decision === undefined ? all.planned : [...decision.plannedClusters];
    const after = { ...all, planned, stored: decision === undefined ? all.stored : decision.rollout };
    const recorded = new Set([...all.reported, ...(planned ?? [])]);
    for (const name of all.wanted) expect(recorded).toContain(name);
    for (const name of all.planned ?? []) if (all.open.includes(name)) expect(recorded).toContain(name);
    for (const name of planned ?? [])
      expect(all.wanted.includes(name) || (all.open.includes(name) && !all.reported.includes(name))).toBe(true);
    expect(after.stored).toEqual(all.rollout);
    expect(decisionToWrite(...input(after))).toBeUndefined();
  });
});

test("finished work goes along with a decision, and a decision takes back what has not finished any more", () => {
  const run = { ref: { group: "batch", kind: "Job", name: "work" }, hash: "h", ends: new Map([["b", "Complete"]]) };
  const finished = { runs: new Map([["k", run]]), everything: new Set<string>() } as Target["finished"];
  const [record, decided] = input({ wanted: ["b"] });
  const target = { ...decided.target, finished } as Target;
  const written = decisionToWrite(record, { ...decided, target })?.finished;
  expect(written).toMatchObject({ clusters: [{ name: "b", complete: "0" }] });
  const [mine, rest] = input({ planned: [] });
  const status = { ...mine.status, ...(written === undefined ? {} : { finished: written }) };
  expect(decisionToWrite({ ...mine, status }, rest)).toEqual({
    plannedClusters: [],
    rollout: undefined,
    finished: undefined,
  });
});
