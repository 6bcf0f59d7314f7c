import { type MemberCluster, type Placement, type Reason, timestamp } from "../../apis/index.ts";
import type { ClusterChange, Target, Why } from "../../desiredstate/index.ts";
import { compareText } from "../../scheduler/index.ts";

/** The cluster as the hub would see it after the loss: out of reach for longer than any policy waits. */
export function lostCluster(cluster: MemberCluster): MemberCluster {
  const conditions = cluster.status?.conditions?.filter(({ type }) => type !== "Ready") ?? [];
  const ready = {
    type: "Ready",
    status: "False" as const,
    reason: "ClusterUnreachable",
    message: "lost",
    lastTransitionTime: timestamp(0),
  };
  return { ...cluster, status: { ...cluster.status, conditions: [...conditions, ready] } };
}

export function whyItStays(placement: Placement | undefined, failover: Target["failover"]): Why {
  if (failover?.condition.reason === HELD || failover?.condition.reason === NOWHERE) {
    const { reason, message } = failover.condition;
    return { reason, message };
  }
  if (placement === undefined) return stays("no policy places the object, so nothing moves");
  const { kind, metadata, spec } = placement;
  if (spec.failover === undefined) return stays(`${kind} ${metadata.name} has no failover, so nothing moves`);
  return stays("no other cluster takes what ran there");
}

const HELD: Reason = "FailoverHeld";
const NOWHERE: Reason = "NowhereToGo";

function stays(message: string): Why {
  return { reason: "ClusterUnreachable", message };
}

export function lostOf(target: Target | undefined, lost: ReadonlySet<string>): string[] {
  return (target?.clusters ?? []).map(({ name }) => name).filter((name) => lost.has(name));
}

/** One change for each lost cluster: the object moves away, or stays (`stays.on`). A lost cluster is not written. */
export function withLoss(
  changes: readonly ClusterChange[],
  lost: readonly string[],
  stays: { on: readonly string[]; why: Why },
): ClusterChange[] {
  if (lost.length === 0) return [...changes];
  const left = lost.filter((name) => !stays.on.includes(name));
  const elsewhere = changes.filter(({ cluster }) => !lost.includes(cluster));
  const grows = ({ replicas }: ClusterChange): boolean => (replicas?.after ?? 0) > (replicas?.before ?? 0);
  const arrived = left.length === 0 ? [] : elsewhere.filter(({ verb }) => verb === "Created");
  const grown = elsewhere.filter((one) => one.verb === "Changed" && grows(one));
  const to = [...arrived, ...grown].map(({ cluster }) => cluster);
  const gone = lost.map((cluster): ClusterChange =>
    left.includes(cluster) && to.length > 0
      ? { cluster, verb: "Moved", to, objects: [] }
      : { cluster, verb: "Held", why: stays.why, objects: [] },
  );
  const moved = elsewhere.map((one): ClusterChange =>
    arrived.includes(one) ? { ...one, verb: "Moved", from: left } : one,
  );
  return [...moved, ...gone].toSorted((a, b) => compareText(a.cluster, b.cluster));
}
