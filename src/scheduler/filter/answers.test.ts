import { expect, test } from "vitest";
import type { AffinityGroup } from "../../apis/index.ts";
import { fleetOf } from "../fleet.ts";
import { cluster, NOW, subject } from "../testing.ts";
import type { ClusterSnapshot, Subject } from "../types.ts";
import { affinity } from "./affinity.ts";
import { apiEnablement } from "./apiEnablement.ts";
import { clusterLifecycle } from "./clusterLifecycle.ts";
import { clusterReadiness } from "./clusterReadiness.ts";
import type { Filter } from "./filter.ts";
import { grantedNamespace } from "./grantedNamespace.ts";

/** What the decision suite does not show of each filter. */

interface Setting {
  who?: Partial<Subject>;
  group?: AffinityGroup;
  picks?: boolean;
  fleet?: ClusterSnapshot[];
}

/** `yes` or `no` and the reason of the filter's answer about each cluster. */
function said(filter: Filter, { who, group, picks = false, fleet = [cluster("a")] }: Setting): string[] {
  const context = { subject: subject(who), tolerations: [], group, picks, fleet: fleetOf(fleet), now: NOW };
  return fleet.map(filter.prepare(context)).map(({ fits, reason }) => `${fits ? "yes" : "no"} ${reason}`);
}
const runs: Partial<Subject> = { current: new Map([["a", undefined]]) };
/** The cluster is known by its copy alone. */
const found: Partial<Subject> = { ...runs, found: new Set(["a"]) };

test.each<[string, Partial<ClusterSnapshot>, Partial<Subject>, string]>([
  ["stays", {}, { sentAsItIs: true }, "yes ClusterStays"],
  ["is being deleted, with what runs there", { deleting: true, undecided: true }, runs, "no ClusterDeleting"],
  ["may go, and takes nothing new", { undecided: true }, {}, "no ClusterDeleting"],
  ["may go, and keeps what runs there", { undecided: true }, runs, "yes ClusterStays"],
  ["may go, and only a copy is known", { undecided: true }, found, "no ClusterDeleting"],
  ["is the hub, which has the object already", { local: true }, { sentAsItIs: true }, "no OnHubAlready"],
  ["is the hub, which lacks the rendered objects", { local: true }, {}, "yes ClusterStays"],
  ["is the hub, and is being deleted", { local: true, deleting: true }, {}, "no ClusterDeleting"],
])("clusterLifecycle: a cluster that %s", (_what, one, who, want) =>
  expect(said(clusterLifecycle, { who, fleet: [cluster("a", one)] })).toEqual([want]),
);

test("a copy of which only the member knows keeps the object nowhere", () => {
  const [unready, without] = [{ ready: { status: "False" as const, since: 0 } }, { apis: new Set<string>() }];
  const answers = (who: Partial<Subject>): string[] => [
    ...said(clusterReadiness, { who, picks: true, fleet: [cluster("a", unready)] }),
    ...said(apiEnablement, { who: { ...who, apis: ["v1"] }, picks: true, fleet: [cluster("a", without)] }),
  ];
  expect(answers(runs)).toEqual(["yes ClusterNotReady", "yes ApiNotServed"]);
  expect(answers(found)).toEqual(["no ClusterNotReady", "no ApiNotServed"]);
});

test("affinity takes no label that every JavaScript object inherits, and says Excluded first", () => {
  const group = { name: "g", exclude: ["a"], matchLabelKeys: ["constructor"] };
  expect(said(affinity, { group, fleet: [cluster("a"), cluster("b")] })).toEqual(["no Excluded", "no LabelKeyMissing"]);
});

test("grantedNamespace takes every namespace where none is named, and no cluster-scoped object where some are", () => {
  const fleet = [cluster("a"), cluster("b", { namespaces: ["shop"] }), cluster("c", { namespaces: ["bank"] })];
  const [yes, no] = ["yes NamespaceGranted", "no NamespaceNotGranted"];
  expect(said(grantedNamespace, { fleet, who: { namespace: "shop" } })).toEqual([yes, yes, no]);
  expect(said(grantedNamespace, { fleet })).toEqual([yes, no, no]);
});
