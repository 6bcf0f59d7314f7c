import { describe, expect, test } from "vitest";
import { fleetOf } from "../fleet.ts";
import { cluster, NOW, subject } from "../testing.ts";
import type { ClusterSnapshot, Subject } from "../types.ts";
import type { FilterContext } from "./filter.ts";
import { type Filtered, filterClusters } from "./filterClusters.ts";

function filtered(
  clusters: readonly ClusterSnapshot[],
  who: Partial<Subject> = {},
  more: Partial<FilterContext> = {},
): Filtered[] {
  const fleet = fleetOf(clusters);
  const context = { subject: subject(who), tolerations: [], group: undefined, picks: false, fleet, now: NOW, ...more };
  return filterClusters(context, clusters);
}

const asked = ({ steps }: Filtered): string[] => steps.map(({ name, fits }) => `${name} ${fits ? "yes" : "no"}`);
const ready = (status: "True" | "False") => ({ ready: { status, since: 0 } });
const ALWAYS = ["Affinity yes", "ClusterLifecycle yes", "TaintToleration yes"];

describe("which filters are asked", () => {
  const evicted = new Map([["b", { reason: "ClusterLost", message: "it is lost" }]]);
  test.each<[string, Partial<ClusterSnapshot>, Partial<Subject>, string[]]>([
    ["always", {}, {}, []],
    [
      "of everything at once, in this order",
      { namespaces: ["shop"], ...ready("False") },
      { namespace: "shop", evicted, apis: ["v1"] },
      ["GrantedNamespace yes", "Eviction yes", "ClusterReadiness yes", "ApiEnablement yes"],
    ],
  ])("%s", (_what, one, who, more) =>
    expect(filtered([cluster("a", one)], who).map(asked)).toEqual([[...ALWAYS, ...more]]),
  );
});

test("the first refusal counts", () => {
  const taints = [{ key: "k", effect: "NoSchedule" as const }];
  const [a, b] = filtered([cluster("a", { deleting: true, taints }), cluster("b")]);
  expect(a?.steps.map(({ reason }) => reason)).toEqual(["InAffinity", "ClusterDeleting", "TaintNotTolerated"]);
  expect(a?.refusal).toBe(a?.steps[1]);
  expect([b?.refusal, b?.until]).toEqual([undefined, Number.POSITIVE_INFINITY]);
});

describe("what clusters are answered alike is one value", () => {
  test("where one filter is asked of one of them, and a later one of each", () => {
    const fleet = ["a", "b", "c"].map((name) =>
      cluster(name, { apis: new Set(name === "b" ? [] : ["v1"]), ...ready("True") }),
    );
    const all = filtered(fleet, { apis: ["v1"] }, { picks: true });
    expect(all.map(asked)).toEqual(
      [true, false, true].map((isServed) => [
        ...ALWAYS,
        "ClusterReadiness yes",
        `ApiEnablement ${isServed ? "yes" : "no"}`,
      ]),
    );
    expect(all[0]).toBe(all[2]);
  });

  test("where one filter is asked of each, and a later one of one of them", () => {
    const fleet = ["a", "b"].map((name) =>
      cluster(name, { apis: new Set(["v1"]), ...ready(name === "a" ? "True" : "False") }),
    );
    const all = filtered(fleet, { apis: ["v1"] }, { picks: true });
    expect(all.map(asked)).toEqual([
      [...ALWAYS, "ClusterReadiness yes", "ApiEnablement yes"],
      [...ALWAYS, "ClusterReadiness no", "ApiEnablement yes"],
    ]);
  });
});
