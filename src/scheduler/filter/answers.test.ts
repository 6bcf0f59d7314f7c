import { describe, expect, test } from "vitest";
import type { AffinityGroup } from "../../apis/index.ts";
import { fleetOf } from "../fleet.ts";
import { cluster, NOW, subject } from "../testing.ts";
import type { ClusterSnapshot, Subject } from "../types.ts";
import { affinity } from "./affinity.ts";
import { apiEnablement } from "./apiEnablement.ts";
import { clusterLifecycle } from "./clusterLifecycle.ts";
import { clusterReadiness } from "./clusterReadiness.ts";
import { eviction } from "./eviction.ts";
import type { Filter, FilterAnswer, FilterContext } from "./filter.ts";
import { grantedNamespace } from "./grantedNamespace.ts";

/** Answers of each filter about single clusters, and which answers are one value. The decision suite has the words. */

interface Setting {
  who?: Partial<Subject>;
  group?: AffinityGroup;
  picks?: boolean;
  fleet?: ClusterSnapshot[];
}

const contextOf = ({ who, group, picks = false, fleet = [cluster("a")] }: Setting): FilterContext => ({
  subject: subject(who),
  tolerations: [],
  group,
  picks,
  fleet: fleetOf(fleet),
  now: NOW,
});
/** Answers of the filter about each cluster of the fleet. */
const ask = (filter: Filter, setting: Setting): FilterAnswer[] => {
  const { fleet = [cluster("a")] } = setting;
  return fleet.map(filter.prepare(contextOf({ ...setting, fleet })));
};
/** `yes` or `no` and the reason of each answer. */
const said = (filter: Filter, setting: Setting): string[] =>
  ask(filter, setting).map(({ fits, reason }) => `${fits ? "yes" : "no"} ${reason}`);
const runsOn = (...names: string[]): Partial<Subject> => ({
  current: new Map(names.map((name) => [name, undefined])),
});
/** The clusters are known by their copies alone. */
const foundOn = (...names: string[]): Partial<Subject> => ({ ...runsOn(...names), found: new Set(names) });

describe("affinity", () => {
  const at = (name: string, labels = {}) => cluster(name, { labels });
  const group = { name: "g" };

  test.each<[string, Setting, string[]]>([
    ["takes every cluster without a group", { fleet: [at("a"), at("b")] }, ["yes InAffinity", "yes InAffinity"]],
    ["takes what the group selects", { group }, ["yes InAffinity"]],
    [
      "names the part that refuses",
      { group: { ...group, exclude: ["b"], clusterNames: ["a", "b"] }, fleet: [at("a"), at("b"), at("c")] },
      ["yes InAffinity", "no Excluded", "no NotInAffinity"],
    ],
    [
      "refuses everywhere for a label that the object lacks, except where a cluster is excluded",
      { group: { ...group, exclude: ["a"], matchLabelKeys: ["tier"] }, fleet: [at("a"), at("b", { tier: "web" })] },
      ["no Excluded", "no LabelKeyMissing"],
    ],
    [
      "names the missing label before other parts",
      { group: { ...group, clusterNames: ["a"], matchLabelKeys: ["env", "tier"] }, who: { labels: { env: "p" } } },
      ["no LabelKeyMissing"],
    ],
    [
      "takes no label that every JavaScript object inherits",
      { group: { ...group, matchLabelKeys: ["constructor"] } },
      ["no LabelKeyMissing"],
    ],
  ])("%s", (_what, setting, want) => expect(said(affinity, setting)).toEqual(want));

  test("names the label that differs, and answers alike in one value", () => {
    const [a, b, c, d] = ask(affinity, {
      group: { ...group, matchLabelKeys: ["tier", "env"] },
      who: { labels: { tier: "web", env: "p" } },
      fleet: [at("a", { tier: "web", env: "q" }), at("b", { env: "p" }), at("c"), at("d", { tier: "web", env: "p" })],
    });
    expect([a?.message, b?.message]).toEqual([
      "label env differs from the object's p",
      "label tier differs from the object's web",
    ]);
    expect(b).toBe(c);
    expect(d?.fits).toBe(true);
  });
});

describe("apiEnablement", () => {
  const apis = ["apps/v1", "example.com/v1"];
  const serving = (name: string, ...some: string[]) => cluster(name, { apis: new Set(some) });
  const fleet = [serving("a", ...apis), cluster("b"), serving("c", "apps/v1"), serving("d")];

  test.each<[string, Setting, string[]]>([
    [
      "needs nothing for an object without APIs",
      { fleet: [serving("a"), cluster("b")] },
      ["yes ApiServed", "yes ApiServed"],
    ],
    [
      "lets an object wait",
      { who: { apis }, fleet },
      ["yes ApiServed", "yes ApiUnknown", "yes ApiNotServed", "yes ApiNotServed"],
    ],
    [
      "refuses where there are other clusters, except where the object runs",
      { who: { apis, ...runsOn("d") }, picks: true, fleet },
      ["yes ApiServed", "yes ApiUnknown", "no ApiNotServed", "yes ApiNotServed"],
    ],
    [
      "refuses where only a copy is known",
      { who: { apis, ...foundOn("d") }, picks: true, fleet: [serving("d")] },
      ["no ApiNotServed"],
    ],
  ])("%s", (_what, setting, want) => expect(said(apiEnablement, setting)).toEqual(want));

  test.each([true, false])("answers alike in one value, and names the first missing API (picks: %s)", (picks) => {
    const [a, b, c, d, e] = ask(apiEnablement, {
      who: { apis },
      picks,
      fleet: [serving("a"), serving("b"), serving("c", "apps/v1"), serving("d", ...apis), serving("e", ...apis)],
    });
    expect([a, d]).toEqual([b, e]);
    expect(a).toBe(b);
    expect(d).toBe(e);
    expect([a?.message, c?.message].map((message) => /serve ([^;]+)/.exec(message ?? "")?.[1])).toEqual(apis);
  });

  test("is asked once where all serve everything", () => {
    const isAlike = (...some: ClusterSnapshot[]) => apiEnablement.isAlike?.(contextOf({ who: { apis }, fleet: some }));
    expect([
      isAlike(serving("a", ...apis)),
      isAlike(serving("a", ...apis), cluster("b")),
      isAlike(serving("a", "v1")),
    ]).toEqual([true, false, false]);
    expect(apiEnablement.isAlike?.(contextOf({}))).toBe(true);
  });
});

describe("clusterReadiness", () => {
  const at = (name: string, status?: "True" | "False" | "Unknown") =>
    cluster(name, status === undefined ? {} : { ready: { status, since: 0 } });
  const fleet = [at("a"), at("b", "True"), at("c", "False"), at("d", "Unknown")];
  const fine = ["yes ClusterReady", "yes ClusterReady"];

  test.each<[string, Setting, string[]]>([
    ["lets an object wait", { fleet }, [...fine, "yes ClusterNotReady", "yes ClusterNotReady"]],
    [
      "refuses where there are other clusters",
      { fleet, picks: true },
      [...fine, "no ClusterNotReady", "no ClusterNotReady"],
    ],
    [
      "keeps what runs there",
      { fleet, picks: true, who: runsOn("a", "c") },
      [...fine, "yes ClusterNotReady", "no ClusterNotReady"],
    ],
    [
      "refuses where only a copy is known",
      { fleet, picks: true, who: foundOn("b", "c") },
      [...fine, "no ClusterNotReady", "no ClusterNotReady"],
    ],
  ])("%s", (_what, setting, want) => expect(said(clusterReadiness, setting)).toEqual(want));

  test("says of a cluster that is not ready whether it keeps the object or will get it", () => {
    const messages = ask(clusterReadiness, { fleet, who: runsOn("d") }).map(({ message }) => message);
    expect(messages.slice(2)).toEqual([
      "the cluster is not ready; the object goes there as soon as it is",
      "the cluster is not ready, and keeps what runs there",
    ]);
  });

  test("is asked once where all are ready", () => {
    const isAlike = (...some: ClusterSnapshot[]) => clusterReadiness.isAlike?.(contextOf({ fleet: some }));
    expect([isAlike(at("a", "True"), at("b", "True")), isAlike(at("a", "True"), at("b"))]).toEqual([true, false]);
  });
});

test("eviction refuses with the reason, and with a message of at most 120 characters", () => {
  const evicted = new Map([
    ["a", { reason: "ClusterLost", message: "x".repeat(400) }],
    ["b", { reason: "Drained", message: "it is drained", remedy: "end the drain" }],
  ]);
  const fleet = [cluster("a"), cluster("b"), cluster("c")];
  const [a, b, c] = ask(eviction, { fleet, who: { evicted } });
  expect([a?.reason, a?.message.length, a?.remedy]).toEqual(["ClusterLost", 120, undefined]);
  expect(b).toStrictEqual({ fits: false, reason: "Drained", message: "it is drained", remedy: "end the drain" });
  expect(c).toMatchObject({ fits: true, reason: "NotEvicted" });
  expect(said(eviction, { fleet })).toEqual(Array(3).fill("yes NotEvicted"));
});

test.each<[string, Partial<ClusterSnapshot>, Partial<Subject>, string]>([
  ["stays", {}, {}, "yes ClusterStays"],
  ["is being deleted, with what runs there", { deleting: true }, runsOn("a"), "no ClusterDeleting"],
  ["may go, and takes nothing new", { undecided: true }, {}, "no ClusterDeleting"],
  ["may go, and keeps what runs there", { undecided: true }, runsOn("a"), "yes ClusterStays"],
  ["may go, and only a copy is known", { undecided: true }, foundOn("a"), "no ClusterDeleting"],
  ["is being deleted, decided or not", { deleting: true, undecided: true }, runsOn("a"), "no ClusterDeleting"],
  ["is the hub, which has the object already", { local: true }, { sentAsItIs: true }, "no OnHubAlready"],
  ["is the hub, which lacks the rendered objects", { local: true }, {}, "yes ClusterStays"],
  ["is the hub, and is being deleted", { local: true, deleting: true }, {}, "no ClusterDeleting"],
  ["is not the hub", {}, { sentAsItIs: true }, "yes ClusterStays"],
])("clusterLifecycle: a cluster that %s", (_what, one, who, want) =>
  expect(said(clusterLifecycle, { who, fleet: [cluster("a", one)] })).toEqual([want]),
);

test("grantedNamespace takes every namespace where none is named, and no cluster-scoped object where some are", () => {
  const fleet = [cluster("a"), cluster("b", { namespaces: ["shop"] }), cluster("c", { namespaces: ["bank"] })];
  const [yes, no] = ["yes NamespaceGranted", "no NamespaceNotGranted"];
  expect(said(grantedNamespace, { fleet, who: { namespace: "shop" } })).toEqual([yes, yes, no]);
  expect(said(grantedNamespace, { fleet })).toEqual([yes, no, no]);
});
