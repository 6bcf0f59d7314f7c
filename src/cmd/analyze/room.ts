import { isRecord, type KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { amountOf, podNeedsOf } from "../../interpreter/index.ts";
import { placementOf } from "../plan/index.ts";
import type { Analysis, Said } from "./analysis.ts";

/** What the replicas of an object ask for, beside the capacity and the ResourceQuotas that are known. Pure. */

type Amounts = Readonly<Record<string, number>>;

export function roomFindings(target: Target, object: KubeObject, analysis: Analysis): Said[] {
  return target.clusters.flatMap(({ name }) => {
    const asked = requestsOn(target, name, analysis);
    return [...beyondCapacity(name, asked, analysis), ...beyondQuota(name, object, analysis)];
  });
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

/** A ResourceQuota of the hub or the files that goes to the cluster, and all that its namespace runs there. */
function beyondQuota(cluster: string, { metadata: { namespace } }: KubeObject, analysis: Analysis): Said[] {
  const isThere = (target: Target): boolean => target.clusters.some(({ name }) => name === cluster);
  const inNamespace = [...analysis.planned.values()].filter(
    ({ object, target }) => namespace !== undefined && object.metadata.namespace === namespace && isThere(target),
  );
  const quotas = inNamespace.filter(({ object }) => object.kind === "ResourceQuota" && object.apiVersion === "v1");
  if (quotas.length === 0) return [];
  const asked: Record<string, number> = {};
  for (const { target } of inNamespace)
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
          what: `namespace ${namespace} asks for ${amountText(resource, amount)} on ${cluster}, and ResourceQuota ${object.metadata.name} allows ${amountText(resource, most)}`,
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
