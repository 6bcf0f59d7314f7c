import { type FederatedStatus, parseApiVersion, type ReplicaCounts } from "../../apis/index.ts";
import { memberKindOf } from "../../interpreter/index.ts";
import type { Observation, Target } from "../types.ts";

const NO_REPLICAS: ReplicaCounts = { desired: 0, updated: 0, ready: 0, available: 0 };

/** Copies as far as the hub alone knows. The content is unknown where the status says that the desired state lacks. */
export function knownCopies(target: Target, status: FederatedStatus | undefined): Observation[] {
  const anywhere = target.clusters.find(({ objects }) => objects.length > 0)?.objects ?? [];
  const reported = new Map(status?.clusters?.map((entry) => [entry.name, entry]));
  return [...new Set([...reported.keys(), ...(status?.unlistedClusters ?? [])])].flatMap((cluster) => {
    const entry = reported.get(cluster);
    // No copy has been observed on this cluster yet.
    if (entry !== undefined && entry.observedHash === undefined) return [];
    const wanted = target.clusters.find(({ name }) => name === cluster)?.objects;
    const isCurrent = wanted !== undefined && (entry === undefined || entry.desiredHash === entry.observedHash);
    const { state: said = "Available", replicas = NO_REPLICAS } = entry ?? {};
    const state = said === "Available" ? ("Available" as const) : ("Progressing" as const);
    return (wanted ?? anywhere).map(({ ref, hash, role }): Observation => {
      const kind = memberKindOf(parseApiVersion(ref.apiVersion).group, ref.kind);
      const counts = role === "rendered" && kind.withReplicas !== undefined ? { replicas } : {};
      const uid = `${cluster}/${ref.kind}/${ref.name}`;
      const present = { uid, owner: target.owner, proven: true, deleting: false, health: { state, ...counts } };
      return {
        ...{ cluster, ref, writing: false, revision: 0 },
        ...(isCurrent ? { present: { ...present, hash }, inSyncWith: hash } : { present }),
      };
    });
  });
}
