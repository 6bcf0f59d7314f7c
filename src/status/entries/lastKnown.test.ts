import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry } from "../../apis/index.ts";
import { aggregate } from "../aggregate.ts";
import { lastKnown } from "./lastKnown.ts";
import {
  after,
  at,
  condition,
  inputOf,
  neverMet,
  refused,
  row,
  rowWithout,
  SECOND,
  T0,
  target,
  unhealthy,
  untried,
  view,
} from "../testing/builders.ts";
import type { StatusInput } from "../types.ts";

/** An entry of a cluster that was in contact and has what is asked for. */
const entryOf = (more: Partial<ClusterStatusEntry>): ClusterStatusEntry => ({
  name: "a",
  state: "Available",
  replicas: { desired: 8, updated: 8, ready: 8, available: 8 },
  desiredHash: "h",
  observedHash: "h",
  observedAt: at(T0),
  ...more,
});
const available = (count: number, desired = 8): Partial<ClusterStatusEntry> => ({
  replicas: { desired, updated: count, ready: count, available: count },
});

describe("whether an object was available, as its entry of before tells", () => {
  interface Case {
    name: string;
    entry: Partial<ClusterStatusEntry>;
    applied?: boolean;
    want: "Yes" | "Before" | "No";
  }
  test.each<Case>([
    { name: "Available", entry: {}, want: "Yes" },
    { name: "Available, and something else is asked for by now", entry: {}, applied: false, want: "Before" },
    {
      name: "Progressing with three quarters of the replicas, all of them new",
      entry: { state: "Progressing", reason: "PodsNotReady", ...available(6) },
      want: "Yes",
    },
    { name: "Progressing with fewer", entry: { state: "Progressing", ...available(5) }, want: "No" },
    {
      name: "Progressing with three quarters, some of which may be old",
      entry: { state: "Progressing", reason: "ImagePullBackOff", ...available(6) },
      want: "Before",
    },
    {
      name: "none of none serves nobody",
      entry: { state: "Progressing", ...available(0, 0) },
      want: "No",
    },
    {
      name: "Progressing towards what is asked for by now",
      entry: { state: "Progressing", ...available(0) },
      applied: false,
      want: "Before",
    },
    {
      name: "a rollout of which the controller had said nothing yet",
      entry: { state: "Progressing", reason: "RolloutPending", ...available(8) },
      want: "Before",
    },
    { name: "Held, and all there", entry: { state: "Held" }, want: "Yes" },
    { name: "Held with fewer than asked for", entry: { state: "Held", ...available(7) }, want: "Before" },
    {
      name: "Held with old pods",
      entry: { state: "Held", replicas: { desired: 8, updated: 7, ready: 8, available: 8 } },
      want: "Before",
    },
    { name: "Held short of the last change", entry: { state: "Held", observedHash: "old" }, want: "No" },
    { name: "Unknown", entry: { state: "Unknown" }, want: "No" },
  ])("$name: $want", ({ entry, applied = true, want }) => {
    expect(lastKnown(entryOf(entry), true, applied).available).toBe(want);
  });

  test("it is not where it is no longer asked for", () => {
    expect(lastKnown(entryOf({}), false, true).available).toBe("No");
  });
});

describe("what was under way, as the entry of before tells", () => {
  interface Case {
    name: string;
    entry: Partial<ClusterStatusEntry>;
    planned?: boolean;
    want: "Applying" | "RollingOut" | "Removing" | undefined;
  }
  test.each<Case>([
    { name: "nothing where it was Available", entry: {}, want: undefined },
    { name: "nothing where it was Degraded", entry: { state: "Degraded", observedHash: "old" }, want: undefined },
    { name: "a rollout, where all was carried out", entry: { state: "Progressing" }, want: "RollingOut" },
    { name: "a change", entry: { state: "Progressing", observedHash: "old" }, want: "Applying" },
    { name: "the first writing", entry: { state: "Pending", observedHash: "" }, want: "Applying" },
    {
      name: "the removal of a part of it",
      entry: { state: "Progressing", reason: "Removing" },
      want: "Removing",
    },
    { name: "the removal of all of it", entry: {}, planned: false, want: "Removing" },
    {
      name: "nothing that anybody could see, where contact was lost",
      entry: { state: "Unknown", reason: "ClusterUnreachable" },
      planned: false,
      want: undefined,
    },
  ])("$name", ({ entry, planned = true, want }) => {
    const known = lastKnown(entryOf(entry), planned, true);
    expect(known.activity).toBe(want);
    expect("activity" in known).toBe(want !== undefined);
  });
});

describe("an entry of before is current", () => {
  const { observedAt: _, ...never } = entryOf({ state: "Progressing" });
  test.each([
    { name: "when the cluster was in contact", entry: entryOf({}), want: true },
    {
      name: "not when it was out of contact",
      entry: entryOf({ state: "Unknown", reason: "ClusterUnreachable" }),
      want: false,
    },
    { name: "not when nobody had ever seen it", entry: never, want: false },
  ])("$name", ({ entry, want }) => expect(lastKnown(entry, true, true).fresh).toBe(want));
});

test("after a restart a removal goes on by name, before the cluster is heard of again", () => {
  const running = inputOf([view("a"), view("b")]);
  const left = { ...running, target: target(["a"]) };
  const restarted = { ...left, clusters: [view("a"), view("b", { contact: untried, rows: [] })] };
  expect(condition(aggregate(after(restarted, aggregate(left, T0)), T0), "Progressing")).toEqual([
    "True",
    "Removing",
    "removing from b",
  ]);
});

test("a restart that has not tried a cluster yet changes nothing, whatever its state was", () => {
  const rows = [rowWithout(["observedHash", "health"], { inSync: false })];
  const states: StatusInput[] = [
    inputOf([view("a")]),
    inputOf([view("a", { rows: [row({ inSync: false, observedHash: "h0" })] })]),
    inputOf([view("a", { rows: [row({ health: unhealthy("Progressing", 1) })] })]),
    inputOf([view("a", { rows: [row({ health: unhealthy("Degraded", 1) })] })]),
    inputOf([view("a", { contact: refused })]),
    inputOf([view("a", { contact: neverMet, rows })]),
    inputOf([view("a")], {
      target: target(["a"], { suspended: true, clusters: [{ name: "a", replicas: 2, frozen: true, objects: [] }] }),
    }),
  ];
  for (const input of states) {
    const restarted = after({ ...input, clusters: [view("a", { contact: untried, rows })] }, aggregate(input, T0));
    expect(aggregate(restarted, T0 + SECOND)).toBe(restarted.previous);
  }
});
