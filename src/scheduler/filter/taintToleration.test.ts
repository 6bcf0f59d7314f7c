import { describe, expect } from "vitest";
import { test } from "@fast-check/vitest";
import type { Taint, Toleration } from "../../apis/index.ts";
import { schedule } from "../schedule.ts";
import { chosen, cluster, NOW, placement, reasons, subject } from "../testing.ts";
import type { ClusterSnapshot } from "../types.ts";

describe("taints", () => {
  const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1000).toISOString();
  interface Case {
    name: string;
    taint: Partial<Taint>;
    tolerations?: Toleration[];
    current?: boolean;
    found?: boolean;
    fits: boolean;
    recheckIn?: number;
  }
  test.each<Case>([
    { name: "NoSchedule keeps a new object away", taint: { effect: "NoSchedule" }, fits: false },
    { name: "NoSchedule leaves what is there", taint: { effect: "NoSchedule" }, current: true, fits: true },
    {
      name: "NoSchedule keeps away what only a copy says to be there",
      taint: { effect: "NoSchedule" },
      current: true,
      found: true,
      fits: false,
    },
    { name: "PreferNoSchedule refuses nothing", taint: { effect: "PreferNoSchedule" }, fits: true },
    { name: "NoExecute keeps a new object away", taint: { effect: "NoExecute" }, fits: false },
    { name: "NoExecute moves what is there", taint: { effect: "NoExecute" }, current: true, fits: false },
    {
      name: "a toleration by value",
      taint: { effect: "NoSchedule", value: "v" },
      tolerations: [{ key: "k", operator: "Equal", value: "v" }],
      fits: true,
    },
    {
      name: "another value is not tolerated",
      taint: { effect: "NoSchedule", value: "v" },
      tolerations: [{ key: "k", operator: "Equal", value: "w" }],
      fits: false,
    },
    {
      name: "no value equals the empty value",
      taint: { effect: "NoSchedule", value: "" },
      tolerations: [{ key: "k", operator: "Equal" }],
      fits: true,
    },
    {
      name: "Exists takes every value",
      taint: { effect: "NoSchedule", value: "v" },
      tolerations: [{ key: "k", operator: "Exists" }],
      fits: true,
    },
    {
      name: "Exists without a key takes every taint",
      taint: { effect: "NoExecute" },
      tolerations: [{ operator: "Exists" }],
      fits: true,
    },
    {
      name: "Equal without a key takes none",
      taint: { effect: "NoExecute" },
      tolerations: [{ operator: "Equal" }],
      fits: false,
    },
    {
      name: "another key is not tolerated",
      taint: { effect: "NoSchedule" },
      tolerations: [{ key: "x", operator: "Exists" }],
      fits: false,
    },
    {
      name: "another effect is not tolerated",
      taint: { effect: "NoExecute" },
      tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }],
      fits: false,
    },
    {
      name: "NoExecute waits for tolerationSeconds",
      taint: { effect: "NoExecute", timeAdded: at(100) },
      tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
      current: true,
      fits: true,
      recheckIn: 200,
    },
    {
      name: "NoExecute moves what is there once they have passed",
      taint: { effect: "NoExecute", timeAdded: at(300) },
      tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 300 }],
      current: true,
      fits: false,
    },
    {
      name: "a taint of unknown age is tolerated on without an end",
      taint: { effect: "NoExecute" },
      tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 300 }],
      current: true,
      fits: true,
    },
    {
      name: "a time that cannot be read counts as unknown",
      taint: { effect: "NoExecute", timeAdded: "yesterday" },
      tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 1 }],
      fits: true,
    },
    {
      name: "tolerationSeconds mean nothing to NoSchedule",
      taint: { effect: "NoSchedule", timeAdded: at(900) },
      tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 1 }],
      fits: true,
    },
    {
      name: "the first toleration that matches counts",
      taint: { effect: "NoExecute", timeAdded: at(100) },
      tolerations: [
        { key: "k", operator: "Exists", tolerationSeconds: 10 },
        { key: "k", operator: "Exists" },
      ],
      fits: false,
    },
  ])("$name", ({ taint, tolerations = [], current = false, found = false, fits, recheckIn }) => {
    const tainted = cluster("a", { taints: [{ key: "k", effect: "NoSchedule", ...taint }] });
    const decision = schedule(
      subject({ current: new Map(current ? [["a", 1]] : []), ...(found ? { found: new Set(["a"]) } : {}) }),
      placement({ tolerations }),
      [tainted],
      NOW,
    );
    expect(chosen(decision)).toEqual(fits ? ["a"] : []);
    expect(reasons(decision)).toEqual({ a: fits ? "Selected" : "TaintNotTolerated" });
    expect(decision.recheckAt).toBe(recheckIn === undefined ? undefined : NOW + recheckIn * 1000);
  });

  test.each<[string, Taint, Toleration[], string]>([
    ["without a value", { key: "k", effect: "NoSchedule" }, [], "taint k:NoSchedule is not tolerated"],
    ["with an empty value", { key: "k", value: "", effect: "NoSchedule" }, [], "taint k:NoSchedule is not tolerated"],
    [
      "that was tolerated for a while",
      { key: "k", value: "v", effect: "NoExecute", timeAdded: at(300) },
      [{ key: "k", operator: "Exists", tolerationSeconds: 30 }],
      "taint k=v:NoExecute was tolerated for 30s",
    ],
    [
      "that was never tolerated",
      { key: "k", effect: "NoExecute", timeAdded: at(1) },
      [{ key: "k", operator: "Exists", tolerationSeconds: 0 }],
      "taint k:NoExecute was tolerated for 0s",
    ],
  ])("the message names a taint %s", (_what, taint, tolerations, message) => {
    const { verdicts } = schedule(subject(), placement({ tolerations }), [cluster("a", { taints: [taint] })], NOW);
    expect(verdicts[0]?.message).toBe(message);
  });

  test("a cluster without taints, one with taints that keep nothing away, and one whose taints are tolerated", () => {
    const clusters = [
      cluster("a"),
      cluster("b", { taints: [{ key: "k", effect: "PreferNoSchedule" }] }),
      cluster("c", { taints: [{ key: "k", effect: "NoSchedule" }] }),
    ];
    const tolerations: Toleration[] = [{ key: "k", operator: "Exists" }];
    const { verdicts } = schedule(subject(), placement({ tolerations }), clusters, NOW);
    expect(verdicts.map(({ steps }) => steps.find(({ name }) => name === "TaintToleration")?.message)).toEqual([
      "no taint keeps the object away",
      "no taint keeps the object away",
      "its taints are tolerated",
    ]);
  });

  test("the message names the taint", () => {
    const tainted = cluster("a", { taints: [{ key: "maintenance", value: "now", effect: "NoExecute" }] });
    const { verdicts } = schedule(subject(), placement(), [tainted], NOW);
    expect(verdicts[0]?.message).toBe("taint maintenance=now:NoExecute is not tolerated");
  });

  test("the earliest end of a toleration is the time to decide again, and only of clusters that are in question", () => {
    const until = (name: string, secondsAgo: number): ClusterSnapshot =>
      cluster(name, { taints: [{ key: "k", effect: "NoExecute", timeAdded: at(secondsAgo) }] });
    const decision = schedule(
      subject(),
      placement({
        clusterAffinities: [{ name: "g", exclude: ["c"] }],
        tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 300 }],
      }),
      [until("a", 10), until("b", 200), until("c", 290)],
      NOW,
    );
    expect(decision.recheckAt).toBe(NOW + 100_000);
  });
});

test("no taint moves what has come to its end on its cluster", () => {
  const taints: Taint[] = [{ key: "k", effect: "NoExecute" }];
  const clusters = [cluster("a", { taints }), cluster("b", { taints })];
  const who = { current: new Map([["a", undefined]]), finished: new Set(["a"]) };
  expect(chosen(schedule(subject(who), placement({}), clusters, NOW))).toEqual(["a"]);
});
