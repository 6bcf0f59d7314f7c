import { describe, expect, test } from "vitest";
import type { Filtered } from "../filter/filterClusters.ts";
import { cluster, NOW, placement, subject } from "../testing.ts";
import type { Step, Subject } from "../types.ts";
import { firstFittingGroup, type Round, type Selection } from "./firstFittingGroup.ts";

const NEVER = Number.POSITIVE_INFINITY;
const MINUTE = 60_000;
const refusedBy = (name: string): Filtered => {
  const refusal: Step = { stage: "filter", name, fits: false, reason: "No", message: "no" };
  return { steps: [refusal], refusal, until: NEVER };
};
/** `F`: the cluster fits; `3`: it fits for 3 ms; `T`: a taint refuses it; `-`: it is outside the group. */
const ANSWERS: Record<string, Filtered> = {
  F: { steps: [], refusal: undefined, until: NEVER },
  "3": { steps: [], refusal: undefined, until: NOW + 3 },
  T: refusedBy("TaintToleration"),
  "-": refusedBy("Affinity"),
};
const answersIn = (text: string): Filtered[] => text.split("").map((letter) => ANSWERS[letter] as Filtered);

const stepOf = (message: string): Step => ({
  stage: "select",
  name: "FirstFittingGroup",
  fits: true,
  reason: "Selected",
  message,
});

interface Setting {
  /** Answers of the filters for the clusters a, b and c, by group; `""`: the placement has no groups. */
  answers: Record<string, string>;
  pick?: Round["pick"];
  /** Minutes since when a cluster is ready; a negative number: since when it is not. */
  ready?: Record<string, number>;
  who?: Partial<Subject>;
  returnAfter?: string;
}

/** The selection, the names of its clusters, and the groups that were asked. */
function select({ answers, pick, ready = {}, who, returnAfter }: Setting) {
  const asked: (string | undefined)[] = [];
  const groups = Object.keys(answers).filter((name) => name !== "");
  const clusters = ["a", "b", "c"].map((name) => {
    const minutes = ready[name];
    if (minutes === undefined) return cluster(name);
    return cluster(name, {
      ready: { status: minutes < 0 ? "False" : "True", since: NOW - Math.abs(minutes) * MINUTE },
    });
  });
  const rules = placement(returnAfter === undefined ? {} : { failover: { returnAfter } });
  const selection: Selection = firstFittingGroup(
    clusters,
    groups.map((name) => ({ name })),
    { subject: subject(who), placement: rules, now: NOW },
    (group) => {
      asked.push(group?.name);
      return { filtered: answersIn(answers[group?.name ?? ""] ?? ""), pick };
    },
  );
  return { selection, selected: selection.selected.map(({ name }) => name).join(" "), asked: asked.join(" ") };
}

test("where no group fits, the first group whose selector took a cluster answers for it, else the first group", () => {
  const { selection } = select({ answers: { one: "-T-", two: "TT-" } });
  expect(selection).toMatchObject({ group: undefined, selected: [], until: NEVER, notes: [] });
  expect(selection.filtered).toEqual(answersIn("TT-"));
  const groups = selection.stepsByCluster?.map((step) => step?.message);
  expect(groups).toEqual(["in group two", "in group one", "in group one"]);
});

describe("clusters that fit are picked from", () => {
  const step = (message: string): Step => ({ ...stepOf(message), name: "Test" });
  const pick: Round["pick"] = (clusters) => ({
    taken: clusters.map(({ name }) => name !== "b"),
    scores: clusters.map(({ name }) => step(`score of ${name}`)),
    steps: clusters.map(({ name }) => step(`step of ${name}`)),
    notes: [`of ${clusters.map(({ name }) => name).join()}`],
  });

  test("and what is said of each stands in its place", () => {
    const { selection, selected } = select({ answers: { one: "TF3" }, pick });
    expect(selected).toBe("c");
    expect(selection).toMatchObject({ until: NOW + 3, notes: ["of b,c"], step: stepOf("in group one") });
    expect(selection.scores).toEqual([undefined, step("score of b"), step("score of c")]);
    expect(selection.picks).toEqual([undefined, step("step of b"), step("step of c")]);
  });

  test("and a group of which none is taken is passed over, with what was said of its clusters", () => {
    const { selection } = select({ answers: { one: "-F-" }, pick });
    expect(selection).toMatchObject({ group: undefined, selected: [], until: NEVER, notes: [] });
    expect(selection.scores).toEqual([undefined, step("score of b"), undefined]);
    expect(selection.picks).toEqual([undefined, step("step of b"), undefined]);
  });
});

describe("an object that runs in a later group", () => {
  const answers = { one: "F--", two: "-F-", three: "--F" };
  const on = (...names: string[]) => ({ current: new Map(names.map((name) => [name, 1])) });
  const returnAfter = "10m";
  const soon = { answers, ready: { a: 5 }, returnAfter };

  test.each<[name: string, setting: Setting, group: string, returnsIn?: number]>([
    ["returns at that moment", { ...soon, ready: { a: 10 }, who: on("b") }, "one"],
    ["stays a moment before it", { ...soon, ready: { a: 10 - 1 / MINUTE }, who: on("b") }, "two", 1],
    ["returns at once if nobody knows since when the cluster is ready", { answers, who: on("b"), returnAfter }, "one"],
    ["waits for no cluster that is not ready", { ...soon, ready: { a: -1 }, who: on("b") }, "one"],
    [
      "stays until the later of both moments",
      { ...soon, who: { ...on("b"), returnNotBefore: NOW + 3 * MINUTE } },
      "two",
      5 * MINUTE,
    ],
    [
      "waits for the cluster that is ready longest",
      { ...soon, answers: { one: "F-F", two: "-F-" }, ready: { a: 8, c: 2 }, who: on("b") },
      "two",
      2 * MINUTE,
    ],
    [
      "stays in its own group, whatever runs it",
      { ...soon, who: { ...on("b"), currentGroup: "three" } },
      "three",
      5 * MINUTE,
    ],
    ["stays in the first group if that is its own", { ...soon, who: { ...on("b"), currentGroup: "one" } }, "one"],
    [
      "returns when its own group takes no cluster",
      { ...soon, answers: { one: "F--", two: "-T-" }, who: { ...on("b"), currentGroup: "two" } },
      "one",
    ],
    ["waits for nothing when it runs nowhere", { ...soon, who: { currentGroup: "two" } }, "one"],
    ["stays in the first group if it runs there, too", { ...soon, who: on("a", "b") }, "one"],
  ])("%s", (_name, setting, group, returnsIn) => {
    const { selection } = select(setting);
    expect(selection.group?.name).toBe(group);
    expect(selection.returning).toEqual(returnsIn === undefined ? undefined : { group: "one", at: NOW + returnsIn });
    expect(selection.until).toBe(returnsIn === undefined ? NEVER : NOW + returnsIn);
  });

  test("is decided anew when its own cluster fits no longer, though it returns only later", () => {
    const { selection } = select({ ...soon, answers: { ...answers, two: "-3-" }, who: on("b") });
    expect(selection).toMatchObject({ until: NOW + 3, returning: { group: "one", at: NOW + 5 * MINUTE } });
  });
});
