import { expect, test } from "vitest";
import { placementObject } from "../../../test/builders/policyObjects.ts";
import type { Placement } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { PendingMembers, type PendingMembersOptions } from "./pendingMembers.ts";
import { member } from "../testing/copySources.ts";

const placed = (spec: Record<string, unknown> = { clusterCount: 1 }): Placement =>
  placementObject({ replicaScheduling: { mode: "Duplicated" }, ...spec }) as unknown as Placement;

/** Two members. `refused`: the filter that refuses a member. */
function setUp(pending: string[], refused: Record<string, string> = {}) {
  const state = { pending: new Set(pending), now: 0, members: ["a", "b"].map((name) => member(name)) };
  const sight = new PendingMembers({
    hub: { clusters: { list: () => state.members } },
    observations: { contactOf: (name: string) => ({ pending: state.pending.has(name) }) },
    clock: { monotonic: () => state.now },
  } as unknown as PendingMembersOptions);
  const target = (more: object = {}): Target =>
    ({
      scheduled: { status: "True" },
      suspended: false,
      decision: {
        verdicts: ["a", "b"].map((cluster) => ({
          cluster,
          steps: [{ name: refused[cluster] ?? "Affinity", fits: refused[cluster] === undefined }],
        })),
      },
      ...more,
    }) as unknown as Target;
  return { sight, state, target };
}

test.each<{
  name: string;
  pending?: string[];
  refused?: Record<string, string>;
  spec?: Record<string, unknown>;
  target?: object;
  want: boolean;
}>([
  { name: "there is a choice between clusters", want: true },
  { name: "the replicas are divided", spec: { replicaScheduling: { mode: "Divided" } }, want: true },
  { name: "every cluster that fits takes it", spec: {}, want: false },
  {
    name: "nothing places it: it is kept where it runs",
    spec: {},
    target: { scheduled: { status: "False" } },
    want: true,
  },
  { name: "its policy is suspended", spec: {}, target: { suspended: true }, want: true },
  { name: "every member has answered", pending: [], want: false },
  { name: "it may never go to the member", refused: { a: "Affinity" }, want: false },
  { name: "the member does not take its namespace", refused: { a: "GrantedNamespace" }, want: false },
  { name: "the member takes nothing new at present", refused: { a: "TaintToleration" }, want: true },
  {
    name: "it may be in another group of clusters",
    refused: { a: "Affinity" },
    spec: { clusterAffinities: [{ name: "one" }, { name: "two" }] },
    want: true,
  },
])("an object waits where $name: $want", ({ pending = ["a"], refused = {}, spec, target: more, want }) => {
  const { sight, target } = setUp(pending, refused);
  expect(sight.leftFor(0, 0, placed(spec), target(more))).toBe(want ? 60_000 : 0);
});

test("an object that no policy places waits, and not for a member that leaves", () => {
  const { sight, state, target } = setUp(["a"]);
  expect(sight.leftFor(0, 0, undefined, target())).toBeGreaterThan(0);
  state.members = [member("a", { deletionTimestamp: "2026-01-01T00:00:00Z" })];
  expect(sight.leftFor(0, 0, undefined, target())).toBe(0);
});

test("the wait ends with the first contact, or after its time; a member that took all of it holds up no other object", () => {
  const { sight, state, target } = setUp(["a", "b"]);
  const left = (since = 0) => sight.leftFor(since, state.now, placed(), target());
  expect(left()).toBe(60_000);
  state.now = 20_000;
  state.pending.delete("b");
  expect(left()).toBe(40_000);
  state.now = 60_000;
  expect([left(), left(60_000)]).toEqual([0, 0]);
  // A member that was reached is waited for again.
  state.pending.delete("a");
  expect(left(60_000)).toBe(0);
  state.pending.add("a");
  expect(left(60_000)).toBe(60_000);
  // A clock that was set back does not make the wait longer.
  expect(left(90_000)).toBe(60_000);
});
