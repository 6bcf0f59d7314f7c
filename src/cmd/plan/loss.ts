import { type Placement, shortMessage } from "../../apis/index.ts";
import type { ClusterChange, Target, Why } from "../../desiredstate/index.ts";
import { compareText } from "../../scheduler/index.ts";

/** What becomes of an object when clusters that it runs on are lost: unreachable for longer than its policy waits. */

/** Of the clusters, so many may be lost at once: else the hub is probably the one that is cut off. */
const DEFAULT_MOST_LOST = "34%";

/** Why nothing moves away from a lost cluster; undefined where the policy moves the object. */
export function whyItStays(placement: Placement | undefined, lost: number, clusters: number): Why | undefined {
  if (placement === undefined) return stays("no policy places the object, so nothing moves");
  const { kind, metadata, spec } = placement;
  const { failover } = spec;
  if (failover === undefined) return stays(`${kind} ${metadata.name} has no failover, so nothing moves`);
  const most = failover.maxUnhealthyClusters ?? DEFAULT_MOST_LOST;
  if (lost > 0 && lost * 100 > Number.parseFloat(most) * clusters)
    return stays(`more than ${most} of the clusters are lost at once, so failover is held`);
  return undefined;
}

function stays(message: string): Why {
  return { reason: "ClusterUnreachable", message: shortMessage(message) };
}

/** The lost clusters of a target, by name. */
export function lostOf(target: Target | undefined, lost: ReadonlySet<string>): string[] {
  return (target?.clusters ?? []).map(({ name }) => name).filter((name) => lost.has(name));
}

/**
 * The changes elsewhere, and one for each lost cluster that the object runs on: where it moves, or why it does not. A lost cluster itself is
 * neither written nor cleaned up.
 */
export function withLoss(
  changes: readonly ClusterChange[],
  lost: readonly string[],
  stays: Why | undefined,
): ClusterChange[] {
  const elsewhere = changes.filter(({ cluster }) => !lost.includes(cluster));
  if (lost.length === 0) return [...elsewhere];
  const grows = ({ replicas }: ClusterChange): boolean => (replicas?.after ?? 0) > (replicas?.before ?? 0);
  const arrived = elsewhere.filter(({ verb }) => verb === "Created");
  const to = [...arrived, ...elsewhere.filter((one) => one.verb === "Changed" && grows(one))].map(
    ({ cluster }) => cluster,
  );
  const gone = lost.map((cluster): ClusterChange => {
    const why = stays ?? (to.length === 0 ? NOWHERE : undefined);
    return why === undefined
      ? { cluster, verb: "Moved", to, objects: [] }
      : { cluster, verb: "Held", why, objects: [] };
  });
  const moved = elsewhere.map((one): ClusterChange =>
    arrived.includes(one) ? { ...one, verb: "Moved", from: lost } : one,
  );
  return [...moved, ...gone].toSorted((a, b) => compareText(a.cluster, b.cluster));
}

const NOWHERE: Why = {
  reason: "ClusterUnreachable",
  message: "what ran there is out of reach, and no other cluster takes it",
};
