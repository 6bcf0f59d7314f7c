import { describe, expect, test } from "vitest";
import type { Filtered } from "../filter/filterClusters.ts";
import { cluster, NOW, placement, subject } from "../testing.ts";
import type { ClusterSnapshot, Step, Subject } from "../types.ts";
import { firstFittingGroup, type Round, type Selection } from "./firstFittingGroup.ts";

const NEVER = Number.POSITIVE_INFINITY;
const MINUTE = 60_000;
const fits = (until = NEVER): Filtered => ({ steps: [], refusal: undefined, until });
function refusedBy(name: string): Filtered {
  const refusal: Step = { stage: "filter", name, fits: false, reason: "No", message: "no" };
  return { steps: [refusal], refusal, until: NEVER };
}
const outside = refusedBy("Affinity");
const tainted = refusedBy("TaintToleration");

const stepOf = (message: string): Step => ({
  stage: "select",
  name: "FirstFittingGroup",
  fits: true,
  reason: "Selected",
  message,
});

interface Setting {
  clusters?: readonly ClusterSnapshot[];
  /** What the filters say of each cluster, by group. */
  answers: Record<string, readonly Filtered[]>;
  pick?: Round["pick"];
  who?: Partial<Subject>;
  returnAfter?: string;
}

/** The selection, and the groups that were asked for it. */
function select({ clusters = [cluster("a"), cluster("b"), cluster("c")], answers, pick, who, returnAfter }: Setting): {
  selection: Selection;
  asked: (string | undefined)[];
} {
  const asked: (string | undefined)[] = [];
  const groups = Object.keys(answers).filter((name) => name !== "");
  const rules = placement(returnAfter === undefined ? {} : { failover: { returnAfter } });
  const selection = firstFittingGroup(
    clusters,
    groups.map((name) => ({ name })),
    { subject: subject(who), placement: rules, now: NOW },
    (group) => {
      asked.push(group?.name);
      return { filtered: answers[group?.name ?? ""] ?? [], pick };
    },
  );
  return { selection, asked };
}

const namesOf = ({ selected }: Selection): string[] => selected.map(({ name }) => name);

test.each<[string, readonly [] | undefined]>([
  ["no groups", undefined],
  ["a list of none", []],
])("with %s every cluster that fits is selected", (_what, groups) => {
  const clusters = [cluster("a"), cluster("b"), cluster("c")];
  const filtered = [fits(9), tainted, fits(7)];
  expect(
    firstFittingGroup(clusters, groups, { subject: subject(), placement: placement(), now: NOW }, (group) => {
      expect(group).toBeUndefined();
      return { filtered, pick: undefined };
    }),
  ).toEqual({
    group: undefined,
    selected: [clusters[0], clusters[2]],
    filtered,
    step: stepOf("every cluster is allowed"),
    until: 7,
    notes: [],
  });
});

test("the first group in which a cluster fits is used, and no later one is asked", () => {
  const { selection, asked } = select({
    answers: { one: [outside, tainted, outside], two: [outside, outside, fits()], three: [fits(), fits(), fits()] },
    who: { current: new Map([["a", 1]]), currentGroup: "two" },
    returnAfter: "10m",
  });
  expect(asked).toEqual(["one", "two"]);
  expect(namesOf(selection)).toEqual(["c"]);
  expect(selection).toMatchObject({ group: { name: "two" }, step: stepOf("in group two"), until: NEVER, notes: [] });
});

test("where no group fits, each cluster is answered by the first group whose selector took it, else by the first", () => {
  const one = [outside, tainted, outside];
  const two = [tainted, refusedBy("ClusterReadiness"), refusedBy("Affinity")];
  const { selection, asked } = select({ answers: { one, two } });
  expect(asked).toEqual(["one", "two"]);
  expect(selection).toEqual({
    group: undefined,
    selected: [],
    filtered: [two[0], one[1], one[2]],
    scores: [undefined, undefined, undefined],
    picks: [undefined, undefined, undefined],
    step: stepOf("every cluster is allowed"),
    stepsByCluster: [stepOf("in group two"), stepOf("in group one"), stepOf("in group one")],
    until: NEVER,
    notes: [],
  });
});

describe("clusters that fit are picked from", () => {
  const step = (message: string): Step => ({ stage: "select", name: "Test", fits: true, reason: "Selected", message });
  const pick: Round["pick"] = (clusters) => ({
    taken: clusters.map(({ name }) => name !== "b"),
    scores: clusters.map(({ name }) => step(`score of ${name}`)),
    steps: clusters.map(({ name }) => step(`step of ${name}`)),
    notes: [`of ${clusters.map(({ name }) => name).join()}`],
  });

  test("and what is said of each stands in its place", () => {
    const { selection } = select({ answers: { one: [tainted, fits(3), fits(5)] }, pick });
    expect(namesOf(selection)).toEqual(["c"]);
    expect(selection).toMatchObject({ until: 5, notes: ["of b,c"], step: stepOf("in group one") });
    expect(selection.scores).toEqual([undefined, step("score of b"), step("score of c")]);
    expect(selection.picks).toEqual([undefined, step("step of b"), step("step of c")]);
  });

  test("and a group of which none is taken is passed over, with what was said of its clusters", () => {
    const { selection, asked } = select({ answers: { one: [outside, fits(), outside] }, pick });
    expect(asked).toEqual(["one"]);
    expect(selection).toMatchObject({ group: undefined, selected: [], until: NEVER, notes: [] });
    expect(selection.scores).toEqual([undefined, step("score of b"), undefined]);
    expect(selection.picks).toEqual([undefined, step("step of b"), undefined]);
    expect(selection.stepsByCluster).toEqual(Array.from({ length: 3 }, () => stepOf("in group one")));
  });
});

describe("an object that runs in a later group", () => {
  const ready = (name: string, since: number, status: "True" | "False" = "True") =>
    cluster(name, { ready: { status, since: NOW + since } });
  const answers = {
    one: [fits(), outside, outside],
    two: [outside, fits(), outside],
    three: [outside, outside, fits()],
  };
  const all = (first: ClusterSnapshot) => [first, cluster("b"), cluster("c")];
  const on = (...names: string[]) => ({ current: new Map(names.map((name) => [name, 1])) });

  interface Case extends Setting {
    name: string;
    /** The group that is used, and when the object returns, in milliseconds from now. */
    want: [group: string, returnsIn?: number];
  }
  test.each<Case>([
    {
      name: "stays until the earlier one has fitted for long enough",
      clusters: all(ready("a", -5 * MINUTE)),
      answers,
      who: on("b"),
      returnAfter: "10m",
      want: ["two", 5 * MINUTE],
    },
    {
      name: "returns at the moment when it has",
      clusters: all(ready("a", -10 * MINUTE)),
      answers,
      who: on("b"),
      returnAfter: "10m",
      want: ["one"],
    },
    {
      name: "stays a moment before that",
      clusters: all(ready("a", -10 * MINUTE + 1)),
      answers,
      who: on("b"),
      returnAfter: "10m",
      want: ["two", 1],
    },
    {
      name: "returns at once where nothing else is said",
      clusters: all(ready("a", 0)),
      answers,
      who: on("b"),
      want: ["one"],
    },
    {
      name: "returns at once to a cluster of which it is not known since when it is ready",
      answers,
      who: on("b"),
      returnAfter: "10m",
      want: ["one"],
    },
    {
      name: "does not wait for a cluster that is not ready to have been so for long",
      clusters: all(ready("a", -MINUTE, "False")),
      answers,
      who: on("b"),
      returnAfter: "10m",
      want: ["one"],
    },
    {
      name: "stays until the moment before which it may not return",
      clusters: all(ready("a", -60 * MINUTE)),
      answers,
      who: { ...on("b"), returnNotBefore: NOW + 3 * MINUTE },
      want: ["two", 3 * MINUTE],
    },
    {
      name: "stays until the later of both moments",
      clusters: all(ready("a", -5 * MINUTE)),
      answers,
      who: { ...on("b"), returnNotBefore: NOW + 3 * MINUTE },
      returnAfter: "10m",
      want: ["two", 5 * MINUTE],
    },
    {
      name: "waits for none but the cluster that has been ready for longest",
      clusters: [ready("a", -8 * MINUTE), cluster("b"), ready("c", -2 * MINUTE)],
      answers: { one: [fits(), outside, fits()], two: [outside, fits(), outside] },
      who: on("b"),
      returnAfter: "10m",
      want: ["two", 2 * MINUTE],
    },
    {
      name: "stays in the third as well",
      clusters: all(ready("a", -5 * MINUTE)),
      answers,
      who: on("c"),
      returnAfter: "10m",
      want: ["three", 5 * MINUTE],
    },
    {
      name: "stays in the group that is said to be its own, whatever runs it now",
      clusters: all(ready("a", -5 * MINUTE)),
      answers,
      who: { ...on("b"), currentGroup: "three" },
      returnAfter: "10m",
      want: ["three", 5 * MINUTE],
    },
    {
      name: "is where it belongs when the first group is its own",
      clusters: all(ready("a", -5 * MINUTE)),
      answers,
      who: { ...on("b"), currentGroup: "one" },
      returnAfter: "10m",
      want: ["one"],
    },
    {
      name: "is where it belongs when it runs in the first group too",
      clusters: all(ready("a", -5 * MINUTE)),
      answers,
      who: on("a", "b"),
      returnAfter: "10m",
      want: ["one"],
    },
    {
      name: "returns when its own group takes no cluster any more",
      clusters: all(ready("a", -5 * MINUTE)),
      answers: { one: answers.one, two: [outside, tainted, outside] },
      who: { ...on("b"), currentGroup: "two" },
      returnAfter: "10m",
      want: ["one"],
    },
    {
      name: "waits for nothing when it runs nowhere",
      clusters: all(ready("a", -5 * MINUTE)),
      answers,
      who: { currentGroup: "two" },
      returnAfter: "10m",
      want: ["one"],
    },
  ])("$name", ({ want: [group, returnsIn], ...setting }) => {
    const { selection } = select(setting);
    expect(selection.group?.name).toBe(group);
    expect(selection.returning).toEqual(returnsIn === undefined ? undefined : { group: "one", at: NOW + returnsIn });
    expect(selection.until).toBe(returnsIn === undefined ? NEVER : NOW + returnsIn);
  });

  test("is decided anew when its own cluster fits no longer, though it returns only later", () => {
    const { selection } = select({
      clusters: all(ready("a", -5 * MINUTE)),
      answers: { ...answers, two: [outside, fits(NOW + MINUTE), outside] },
      who: on("b"),
      returnAfter: "10m",
    });
    expect(selection.until).toBe(NOW + MINUTE);
    expect(selection.returning).toEqual({ group: "one", at: NOW + 5 * MINUTE });
  });
});
