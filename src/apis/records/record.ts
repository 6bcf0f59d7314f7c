import { type FederatedStatus } from "../kinds/index.ts";
import {
  DELETION_POLICY_ANNOTATION,
  FIRST_RECORD_ANNOTATION,
  type KubeObject,
  type ObjectMeta,
} from "../metadata/index.ts";

/**
 * The clusters that may hold copies of a hub object, stored on the object for the next leader: in its status, and
 * before that in an annotation. Nothing is sent to a cluster before the record names the cluster, and a name leaves
 * only when nothing is left there, or the cluster was unjoined. Claims of a member beyond the record do not count.
 */
export interface ClusterRecord {
  names: ReadonlySet<string>;
  /** Regions of which earlier versions wrote only a number of clusters: every cluster there may hold a copy. */
  regions: ReadonlySet<string>;
}

export interface FirstRecord {
  clusters: readonly string[];
  deletionPolicy?: "Orphan";
}

/** All annotations of an object hold 256 KiB together, and other people's need room too. */
const MAX_ANNOTATION = 64 * 1024;

type Recorded = Pick<KubeObject, "metadata"> & { status?: unknown };

export function recordOf(object: Recorded): ClusterRecord {
  const status = object.status as FederatedStatus | undefined;
  const names = namesIn(status);
  for (const name of firstRecordOf(object)?.clusters ?? []) names.add(name);
  const isCounted = status?.summary !== undefined && status.unlistedClusters === undefined;
  return { names, regions: new Set(isCounted ? status.summary?.map(({ region }) => region) : []) };
}

export function namesIn(status: FederatedStatus | undefined): Set<string> {
  const names = reportedIn(status);
  for (const name of status?.plannedClusters ?? []) names.add(name);
  return names;
}

/** The clusters of the report, without clusters that were only planned. */
export function reportedIn(status: FederatedStatus | undefined): Set<string> {
  const names = new Set(status?.unlistedClusters);
  for (const { name } of status?.clusters ?? []) names.add(name);
  return names;
}

/** Clusters without an entry that may hold copies: healthy clusters beyond the list, and planned clusters. */
export function withoutEntryIn(status: FederatedStatus | undefined): Set<string> {
  const names = namesIn(status);
  for (const { name } of status?.clusters ?? []) names.delete(name);
  return names;
}

/** Undefined once there is a status, or if the annotation is unreadable. */
export function firstRecordOf({ metadata, status }: Recorded): FirstRecord | undefined {
  const text = metadata.annotations?.[FIRST_RECORD_ANNOTATION];
  if (text === undefined || (status as FederatedStatus | undefined)?.observedGeneration !== undefined) return undefined;
  try {
    const { clusters, deletionPolicy } = JSON.parse(text) as Partial<FirstRecord>;
    if (!Array.isArray(clusters)) return undefined;
    return {
      clusters: clusters.filter((name) => typeof name === "string"),
      ...(deletionPolicy === "Orphan" ? { deletionPolicy } : {}),
    };
  } catch {
    // Somebody overwrote the annotation. The object then counts as one without the annotation.
    return undefined;
  }
}

/** Undefined when it is too long: the status then has to name the clusters first. */
export function firstRecordText(record: FirstRecord): string | undefined {
  const text = JSON.stringify(record);
  return text.length > MAX_ANNOTATION ? undefined : text;
}

/** Undefined: the Placement decides. */
export function orphanedBy({ annotations, deletionTimestamp }: ObjectMeta): "Orphan" | undefined {
  return deletionTimestamp !== undefined && annotations?.[DELETION_POLICY_ANNOTATION] === "Orphan"
    ? "Orphan"
    : undefined;
}

/** As `status.kinds` names it: `Deployment.apps`, `ConfigMap`. */
export function recordedKindText({ group, kind }: { group: string; kind: string }): string {
  return group === "" ? kind : `${kind}.${group}`;
}

export function recordedKind(text: string): { group: string; kind: string } {
  const dot = text.indexOf(".");
  return dot < 0 ? { group: "", kind: text } : { group: text.slice(dot + 1), kind: text.slice(0, dot) };
}
