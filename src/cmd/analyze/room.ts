import { isRecord, type KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { amountOf, podNeedsOf } from "../../interpreter/index.ts";
import { placementOf } from "../plan/index.ts";
import type { Analysis, Planned, Said } from "./analysis.ts";

/** What the replicas of an object ask for, beside the capacity and the ResourceQuotas that are known. Pure. */

type Amounts = Readonly<Record<string, number>>;

export function roomFindings(target: Target, object: KubeObject, analysis: Analysis): Said[] {
  const capacity = target.clusters.flatMap(({ name }) =>
    beyondCapacity(name, requestsOn(target, name, analysis), analysis),
  );
  return [...capacity, ...beyondQuotas(target, object, analysis)];
}

/** Sum over the pods of the object's workloads on the cluster, `pods` included. */
function requestsOn(target: Target, cluster: string, { state }: Analysis): Amounts {
  const podTemplates = placementOf(state, target)?.spec.podTemplates;
  const sum: Record<string, number> = {};
  const there = target.clusters.find(({ name }) => name === cluster);
  for (const { object, role } of there?.objects ?? []) {
    const needs = role === "rendered" ? podNeedsOf(object, podTemplates) : undefined;
    if (needs === undefined) continue;
    const pods = podsOf(object) ?? there?.replicas ?? 1;
    for (const [resource, amount] of [...Object.entries(needs.requests), ["pods", 1] as const])
      sum[resource] = (sum[resource] ?? 0) + amount * pods;
  }
  return sum;
}

function podsOf({ spec }: KubeObject): number | undefined {
  const { replicas, parallelism } = isRecord(spec) ? spec : {};
  return [replicas, parallelism].find((count) => typeof count === "number");
}

function beyondCapacity(cluster: string, asked: Amounts, { state }: Analysis): Said[] {
  const capacity = state.memberCluster(cluster)?.status?.capacity ?? {};
  return Object.entries(asked).flatMap(([resource, amount]): Said[] => {
    const room = amountOf(resource, (capacity as Record<string, unknown>)[resource]);
    if (room === undefined || amount <= room) return [];
    return [
      {
        code: "CapacityExceeded",
        severity: "Warning",
        what: `its replicas on ${cluster} ask for ${amountText(resource, amount)}, and all nodes there have ${amountText(resource, room)}`,
        remedy: `ask for less, divide the replicas over more clusters, or add nodes to ${cluster}`,
      },
    ];
  });
}

/** ResourceQuotas of the hub or the files that go to a cluster of the object, and all that their namespace runs there. */
function beyondQuotas({ clusters }: Target, { metadata: { namespace = "" } }: KubeObject, analysis: Analysis): Said[] {
  const neighbours = namespace === "" ? [] : (analysis.inNamespace.get(namespace) ?? []);
  const quotas = neighbours.filter(
    ({ object: { kind, apiVersion } }) => kind === "ResourceQuota" && apiVersion === "v1",
  );
  if (quotas.length === 0) return [];
  return clusters.flatMap(({ name }) => {
    const isThere = ({ target }: Planned): boolean => target.clusters.some((one) => one.name === name);
    return beyondQuota(name, quotas.filter(isThere), neighbours.filter(isThere), analysis);
  });
}

function beyondQuota(
  cluster: string,
  quotas: readonly Planned[],
  neighbours: readonly Planned[],
  analysis: Analysis,
): Said[] {
  const asked: Record<string, number> = {};
  for (const { target } of neighbours)
    for (const [resource, amount] of Object.entries(requestsOn(target, cluster, analysis)))
      asked[resource] = (asked[resource] ?? 0) + amount;
  return quotas.flatMap(({ object }) => {
    const { hard, scopes, scopeSelector } = isRecord(object["spec"]) ? object["spec"] : {};
    // Which pods such a quota counts depends on their priority and lifetime.
    if (!isRecord(hard) || scopes !== undefined || scopeSelector !== undefined) return [];
    return Object.entries(asked).flatMap(([resource, amount]): Said[] => {
      const most = amountOf(resource, hard[`requests.${resource}`] ?? hard[resource]);
      if (most === undefined || amount <= most) return [];
      return [
        {
          code: "QuotaExceeded",
          severity: "Warning",
          what: `namespace ${object.metadata.namespace} asks for ${amountText(resource, amount)} on ${cluster}, and ResourceQuota ${object.metadata.name} allows ${amountText(resource, most)}`,
          remedy: "raise the quota, or ask for fewer or smaller replicas",
        },
      ];
    });
  });
}

const MEBIBYTE = 2 ** 20;

function amountText(resource: string, amount: number): string {
  if (resource === "cpu") return `${amount / 1_000} CPUs`;
  if (resource === "memory" || resource === "ephemeral-storage")
    return `${Math.round(amount / MEBIBYTE)}Mi of ${resource}`;
  return `${amount} ${resource}`;
}
