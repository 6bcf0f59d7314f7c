import {
  byImpact,
  type ClusterStatusEntry,
  type CountedReason,
  defined,
  type FederatedStatus,
  isOutOfContact,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type RolloutStatus,
} from "../../apis/index.ts";

/** The last change of an object, its worst cluster, and the age of what is known of it. Pure. */

export interface ChangeReport {
  generation: number;
  /** Time of the last write to the spec. Absent: the object does not say. */
  at?: string;
  /** Of a rollout that is under way or has stopped: the stage, counted from 1. */
  stage?: number;
  stages?: number;
  /** Absent: no rollout is under way. */
  rollout?: Pick<RolloutStatus, "state" | "reason" | "message" | "since">;
}

const STAGES_DONE: ReadonlySet<string> = new Set(["Succeeded", "RolledBack"]);
const ROLLOUTS_OVER: ReadonlySet<string> = new Set(["Succeeded", "Superseded"]);

export function changeIn(metadata: ObjectMeta, status: FederatedStatus): ChangeReport | undefined {
  // A binding does not know the generation of its object; the status names the generation that was observed.
  const generation = metadata.generation ?? status.observedGeneration;
  if (generation === undefined) return undefined;
  const { rollout } = status;
  const at = specChangedAt(metadata);
  if (rollout === undefined || ROLLOUTS_OVER.has(rollout.state)) return { generation, ...defined({ at }) };
  const { state, reason, message, since, stages = [] } = rollout;
  const done = stages.filter((stage) => STAGES_DONE.has(stage.state)).length;
  const staged = stages.length === 0 ? {} : { stage: Math.min(done + 1, stages.length), stages: stages.length };
  return { generation, ...defined({ at }), ...staged, rollout: { state, ...defined({ reason, message, since }) } };
}

/** The scale subresource changes the spec, too. */
function specChangedAt({ managedFields = [] }: ObjectMeta): string | undefined {
  const isOfSpec = ({ subresource, fieldsV1 }: ManagedFieldsEntry): boolean =>
    fieldsV1?.["f:spec"] !== undefined && (subresource === undefined || subresource === "scale");
  return managedFields
    .filter(isOfSpec)
    .flatMap(({ time }) => time ?? [])
    .toSorted()
    .at(-1);
}

export interface WorstReport {
  /** Absent: the reason is not about a cluster. */
  cluster?: string;
  reason: string;
}

/** `reasons`: of the object, the worst for users first. */
export function worstIn(
  reasons: readonly CountedReason[],
  clusters: readonly ClusterStatusEntry[],
): WorstReport | undefined {
  const [worst] = reasons.toSorted(byImpact);
  if (worst === undefined) return undefined;
  const { reason } = worst;
  const [cluster] = clusters
    .filter((entry) => entry.reason === reason && entry.state !== "Available")
    .toSorted((a, b) => compareSince(a.since, b.since));
  return { ...defined({ cluster: cluster?.name }), reason };
}

/** The longest trouble first. */
function compareSince(a = "~", b = "~"): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The oldest last contact of clusters that are out of contact. Absent: all clusters report. */
export function lastSeenIn(clusters: readonly ClusterStatusEntry[]): string | undefined {
  return clusters
    .filter(isOutOfContact)
    .flatMap(({ observedAt }) => observedAt ?? [])
    .toSorted()[0];
}
