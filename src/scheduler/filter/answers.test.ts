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
import { taintToleration } from "./taintToleration.ts";

/** What each filter answers about one cluster, and which answers are one value. */

interface Setting {
  who?: Partial<Subject>;
  group?: AffinityGroup;
  picks?: boolean;
  /** Clusters of the hub. */
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
/** The answers of the filter about each cluster of the fleet. */
const ask = (filter: Filter, setting: Setting): FilterAnswer[] => {
  const { fleet = [cluster("a")] } = setting;
  return fleet.map(filter.prepare(contextOf({ ...setting, fleet })));
};
const runsOn = (...names: string[]): Partial<Subject> => ({
  current: new Map(names.map((name) => [name, undefined])),
});
/** By copies alone. */
const foundOn = (...names: string[]): Partial<Subject> => ({ ...runsOn(...names), found: new Set(names) });
const yes = (reason: string, message: string): FilterAnswer => ({ fits: true, reason, message });
const no = (reason: string, message: string, remedy?: string): FilterAnswer => ({
  fits: false,
  reason,
  message,
  ...(remedy === undefined ? {} : { remedy }),
});

describe("affinity", () => {
  const at = (name: string, labels = {}) => cluster(name, { labels });
  const missing = no("LabelKeyMissing", "the object has no label tier to match");

  test.each<[string, Setting, FilterAnswer[]]>([
    [
      "takes every cluster where there is no group",
      { fleet: [at("a"), at("b")] },
      [
        yes("InAffinity", "the placement has no affinity groups"),
        yes("InAffinity", "the placement has no affinity groups"),
      ],
    ],
    ["takes what the group selects", { group: { name: "g" } }, [yes("InAffinity", "group g selects it")]],
    [
      "names the part that says no",
      { group: { name: "g", exclude: ["b"], clusterNames: ["a", "b"] }, fleet: [at("a"), at("b"), at("c")] },
      [
        yes("InAffinity", "group g selects it"),
        no("Excluded", "excluded by group g"),
        no("NotInAffinity", "not among the clusterNames of group g"),
      ],
    ],
    [
      "names the label of the object that a cluster does not have",
      {
        group: { name: "g", matchLabelKeys: ["tier", "env"] },
        who: { labels: { tier: "web", env: "p" } },
        fleet: [at("a", { tier: "web", env: "p" }), at("b", { tier: "web", env: "q" }), at("c", { env: "p" })],
      },
      [
        yes("InAffinity", "group g selects it"),
        no("NotInAffinity", "label env differs from the object's p"),
        no("NotInAffinity", "label tier differs from the object's web"),
      ],
    ],
    [
      "refuses everywhere for a label that the object does not have, before any other reason",
      {
        group: { name: "g", clusterNames: ["a"], matchLabelKeys: ["env", "tier"] },
        who: { labels: { env: "p" } },
        fleet: [at("a"), at("b")],
      },
      [missing, missing],
    ],
    [
      "says of a cluster that is excluded that it is, also where the object lacks a label",
      { group: { name: "g", exclude: ["a"], matchLabelKeys: ["tier"] }, fleet: [at("a"), at("b", { tier: "web" })] },
      [no("Excluded", "excluded by group g"), missing],
    ],
    [
      "takes no label that every object inherits for one of this object",
      { group: { name: "g", matchLabelKeys: ["constructor"] } },
      [no("LabelKeyMissing", "the object has no label constructor to match")],
    ],
  ])("%s", (_what, setting, want) => expect(ask(affinity, setting)).toEqual(want));

  test("answers alike in one value", () => {
    const group = { name: "g", clusterNames: ["a", "b"] };
    const [a, b, c, d] = ask(affinity, { group, fleet: ["a", "b", "c", "d"].map((name) => at(name)) });
    expect(a).toBe(b);
    expect(c).toBe(d);
  });
});

describe("what a cluster serves", () => {
  const serving = (name: string, ...apis: string[]) => cluster(name, { apis: new Set(apis) });
  const served = yes("ApiServed", "the cluster serves what is sent");
  const unknown = yes("ApiUnknown", "which APIs the cluster serves is not known yet");
  const waits = (api: string) =>
    yes("ApiNotServed", `the cluster does not serve ${api}; the object is applied as soon as it does`);
  const refused = (api: string) =>
    no("ApiNotServed", `the cluster does not serve ${api}`, `install the API ${api} on the cluster`);
  const apis = ["apps/v1", "example.com/v1"];

  test.each<[string, Setting, FilterAnswer[]]>([
    [
      "is enough on each",
      { who: { apis }, fleet: [serving("a", ...apis), serving("b", "v1", ...apis)] },
      [served, served],
    ],
    ["is enough for what asks for nothing", { fleet: [serving("a"), cluster("b")] }, [served, served]],
    [
      "may be enough, not known, or lack one of them",
      { who: { apis }, fleet: [serving("a", ...apis), cluster("b"), serving("c", "apps/v1"), serving("d")] },
      [served, unknown, waits("example.com/v1"), waits("apps/v1")],
    ],
    [
      "keeps the object away where it has others to go to, but for where it runs",
      { who: { apis, ...runsOn("d") }, picks: true, fleet: [cluster("b"), serving("c", "apps/v1"), serving("d")] },
      [unknown, refused("example.com/v1"), waits("apps/v1")],
    ],
    [
      "keeps the object away from where only a copy says that it runs",
      { who: { apis, ...foundOn("d") }, picks: true, fleet: [serving("d")] },
      [refused("apps/v1")],
    ],
  ])("%s", (_what, setting, want) => expect(ask(apiEnablement, setting)).toEqual(want));

  test("is said in one value where it is alike", () => {
    const fleet = [serving("a"), serving("b"), serving("c", "apps/v1"), serving("d", ...apis), serving("e", ...apis)];
    for (const picks of [true, false]) {
      const [a, b, c, d, e] = ask(apiEnablement, { who: { apis }, picks, fleet });
      expect(a).toBe(b);
      expect(a).not.toBe(c);
      expect(d).toBe(e);
    }
  });

  test("is asked once where all serve everything", () => {
    const isAlike = (...fleet: ClusterSnapshot[]) => apiEnablement.isAlike?.(contextOf({ who: { apis }, fleet }));
    expect(isAlike(serving("a", ...apis))).toBe(true);
    expect(isAlike(serving("a", ...apis), cluster("b"))).toBe(false);
    expect(isAlike(serving("a", "apps/v1"))).toBe(false);
    expect(apiEnablement.isAlike?.(contextOf({ fleet: [cluster("a")] }))).toBe(true);
  });
});

describe("a cluster that is ready or not", () => {
  const at = (name: string, status?: "True" | "False" | "Unknown") =>
    cluster(name, status === undefined ? {} : { ready: { status, since: 0 } });
  const ready = yes("ClusterReady", "the cluster is ready");
  const unknown = yes("ClusterReady", "whether the cluster is ready is not known yet");
  const keeps = yes("ClusterNotReady", "the cluster is not ready, and keeps what runs there");
  const waits = yes("ClusterNotReady", "the cluster is not ready; the object goes there as soon as it is");
  const refused = no(
    "ClusterNotReady",
    "the cluster is not ready, and takes nothing new",
    "bring the cluster back: its MemberCluster says under Ready what is wrong",
  );
  const fleet = [at("a"), at("b", "True"), at("c", "False"), at("d", "Unknown")];

  test.each<[string, Setting, FilterAnswer[]]>([
    ["takes the object in any case where it is", { fleet: [at("a", "True"), at("b", "True")] }, [ready, ready]],
    ["is waited for where there is no other to go to", { fleet }, [unknown, ready, waits, waits]],
    ["is none to go to where there are others", { fleet, picks: true }, [unknown, ready, refused, refused]],
    [
      "keeps what runs there, others or not",
      { fleet, picks: true, who: runsOn("a", "b", "c") },
      [unknown, ready, keeps, refused],
    ],
    ["keeps what runs there", { fleet, who: runsOn("d") }, [unknown, ready, waits, keeps]],
    [
      "keeps nothing that only a copy says to run there",
      { fleet, picks: true, who: foundOn("b", "c") },
      [unknown, ready, refused, refused],
    ],
  ])("%s", (_what, setting, want) => expect(ask(clusterReadiness, setting)).toEqual(want));

  test("is asked once where all are ready", () => {
    const isAlike = (...some: ClusterSnapshot[]) => clusterReadiness.isAlike?.(contextOf({ fleet: some }));
    expect(isAlike(at("a", "True"), at("b", "True"))).toBe(true);
    expect(isAlike(at("a", "True"), at("b"))).toBe(false);
    expect(isAlike(at("a", "True"), at("b", "Unknown"))).toBe(false);
  });
});

describe("eviction", () => {
  const fleet = [cluster("a"), cluster("b"), cluster("c")];
  const stays = yes("NotEvicted", "nothing drives the object away");
  const evicted = new Map([
    ["a", { reason: "ClusterLost", message: "it is lost" }],
    ["b", { reason: "Drained", message: "it is drained", remedy: "end the drain" }],
  ]);

  test("refuses with the words of who drives the object away", () => {
    expect(ask(eviction, { fleet, who: { evicted } })).toStrictEqual([
      no("ClusterLost", "it is lost"),
      no("Drained", "it is drained", "end the drain"),
      stays,
    ]);
    expect(ask(eviction, { fleet })).toEqual([stays, stays, stays]);
  });

  test("says it in a short sentence", () => {
    const long = new Map([["a", { reason: "ClusterLost", message: "x".repeat(400) }]]);
    expect(ask(eviction, { who: { evicted: long } })[0]?.message).toHaveLength(120);
  });
});

describe("the life of a cluster", () => {
  const stays = yes("ClusterStays", "the cluster is not being removed from the federation");
  const goes = no("ClusterDeleting", "the cluster is being removed from the federation");
  const isHome = no("OnHubAlready", "the cluster is the hub itself, where the object is already");

  test.each<[string, Partial<ClusterSnapshot>, Partial<Subject>, FilterAnswer]>([
    ["goes on", {}, {}, stays],
    ["ends, and takes what runs there along", { deleting: true }, runsOn("a"), goes],
    ["may end: nothing new goes there", { undecided: true }, {}, goes],
    ["may end: what runs there stays", { undecided: true }, runsOn("a"), stays],
    ["may end: what only a copy says to run there goes nowhere new", { undecided: true }, foundOn("a"), goes],
    ["ends, whoever has said so or not", { deleting: true, undecided: true }, runsOn("a"), goes],
    ["is that of the hub, which has the object already", { local: true }, { sentAsItIs: true }, isHome],
    ["is that of the hub, which has not what is made of the object", { local: true }, {}, stays],
    ["is that of the hub, and ends", { local: true, deleting: true }, {}, goes],
    ["is that of another cluster, to which the object itself goes", {}, { sentAsItIs: true }, stays],
  ])("%s", (_what, one, who, want) =>
    expect(ask(clusterLifecycle, { who, fleet: [cluster("a", one)] })).toStrictEqual([want]),
  );
});

test("every namespace is granted where none is named, and those that are", () => {
  const fleet = [cluster("a"), cluster("b", { namespaces: ["shop"] }), cluster("c", { namespaces: ["bank"] })];
  const answers = ask(grantedNamespace, { fleet, who: { namespace: "shop" } });
  const granted = yes("NamespaceGranted", "the cluster takes objects of every namespace, or of this one");
  expect(answers.slice(0, 2)).toStrictEqual([granted, granted]);
  expect(answers[2]).toMatchObject({ fits: false, reason: "NamespaceNotGranted" });
});

test("filters are told apart by their names", () => {
  const filters = [
    affinity,
    clusterLifecycle,
    taintToleration,
    grantedNamespace,
    eviction,
    clusterReadiness,
    apiEnablement,
  ];
  expect(filters.map(({ name }) => name)).toEqual([
    "Affinity",
    "ClusterLifecycle",
    "TaintToleration",
    "GrantedNamespace",
    "Eviction",
    "ClusterReadiness",
    "ApiEnablement",
  ]);
});
