import { type FederatedStatus, parseApiVersion, type ReplicaCounts } from "../../apis/index.ts";
import { memberKindOf } from "../../interpreter/index.ts";
import type { DesiredObject, Observation, Target } from "../types.ts";

const NO_REPLICAS: ReplicaCounts = { desired: 0, updated: 0, ready: 0, available: 0 };

/** Copies as far as the hub alone knows. The content is unknown where the status says that the desired state lacks. */
export function knownCopies(target: Target, status: FederatedStatus | undefined): Observation[] {
  const copies: Observation[] = [];
  const anywhere = target.clusters.find(({ objects }) => objects.length > 0)?.objects ?? [];
  const reported = new Map(status?.clusters?.map((entry) => [entry.name, entry]));
  const names = new Set([...reported.keys(), ...(status?.unlistedClusters ?? [])]);
  for (const cluster of names) {
    const entry = reported.get(cluster);
    // No copy has been observed on this cluster yet.
    if (entry !== undefined && entry.observedHash === undefined) continue;
    const wanted = target.clusters.find(({ name }) => name === cluster)?.objects;
    const isCurrent = wanted !== undefined && (entry === undefined || entry.desiredHash === entry.observedHash);
    const { state = "Available", replicas } = entry ?? {};
    for (const desired of wanted ?? anywhere) {
      copies.push(copyOf(cluster, desired, target, { isCurrent, isAvailable: state === "Available", replicas }));
    }
  }
  return copies;
}

interface KnownState {
  isCurrent: boolean;
  isAvailable: boolean;
  replicas: ReplicaCounts | undefined;
}

function copyOf(
  cluster: string,
  { ref, hash, role }: DesiredObject,
  { owner }: Target,
  { isCurrent, isAvailable, replicas = NO_REPLICAS }: KnownState,
): Observation {
  const kind = memberKindOf(parseApiVersion(ref.apiVersion).group, ref.kind);
  const counts = role === "rendered" && kind.withReplicas !== undefined ? { replicas } : {};
  return {
    cluster,
    ref,
    present: {
      uid: `${cluster}/${ref.kind}/${ref.name}`,
      ...(isCurrent ? { hash } : {}),
      owner,
      proven: true,
      deleting: false,
      health: { state: isAvailable ? "Available" : "Progressing", ...counts },
    },
    ...(isCurrent ? { inSyncWith: hash } : {}),
    writing: false,
    revision: 0,
  };
}
