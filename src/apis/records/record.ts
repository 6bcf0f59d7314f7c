import { type FederatedStatus } from "../kinds/index.ts";
import {
  DELETION_POLICY_ANNOTATION,
  FIRST_RECORD_ANNOTATION,
  type KubeObject,
  type ObjectMeta,
} from "../metadata/index.ts";

/**
 * The record of where something of a hub object may be. It stands on the object itself, so that whoever leads next finds it there: the
 * status names every such cluster, listed one by one or not; before there is a status an annotation does, written with the finalizer.
 *
 * Nothing is sent to a cluster before the record names it, and a name goes from the record only when nothing is left on that cluster, or
 * the cluster was unjoined. What a member claims beyond that counts for nothing.
 */
export interface ClusterRecord {
  names: ReadonlySet<string>;
  /** Regions of which the status only says how many clusters run the object, as earlier versions wrote it: each cluster there may be meant. */
  regions: ReadonlySet<string>;
}

/** What the annotation of a new object holds. */
export interface FirstRecord {
  clusters: readonly string[];
  deletionPolicy?: "Orphan";
}

/** An object's annotations may hold 256 KiB together, and other people's belong there too. */
const MAX_ANNOTATION = 64 * 1024;

type Recorded = Pick<KubeObject, "metadata"> & { status?: unknown };

export function recordOf(object: Recorded): ClusterRecord {
  const status = object.status as FederatedStatus | undefined;
  const names = namesIn(status);
  for (const name of firstRecordOf(object)?.clusters ?? []) names.add(name);
  const isCounted = status?.summary !== undefined && status.unlistedClusters === undefined;
  return { names, regions: new Set(isCounted ? status.summary?.map(({ region }) => region) : []) };
}

/** The clusters that a status names, listed or not. */
export function namesIn(status: FederatedStatus | undefined): Set<string> {
  const names = new Set(status?.unlistedClusters);
  for (const { name } of status?.clusters ?? []) names.add(name);
  return names;
}

/** Undefined once the object has a status, and for what nobody can read. */
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
    // Somebody wrote over the annotation: then the object is recorded nowhere, as one without the annotation.
    return undefined;
  }
}

/** Undefined when it is too long for an annotation: then the status has to name the clusters first. */
export function firstRecordText(record: FirstRecord): string | undefined {
  const text = JSON.stringify(record);
  return text.length > MAX_ANNOTATION ? undefined : text;
}

/** Whoever deleted the object wants what runs to be left; `undefined`: its Placement decides. */
export function orphanedBy({ annotations, deletionTimestamp }: ObjectMeta): "Orphan" | undefined {
  return deletionTimestamp !== undefined && annotations?.[DELETION_POLICY_ANNOTATION] === "Orphan"
    ? "Orphan"
    : undefined;
}

/** A kind as `status.kinds` names it: `Deployment.apps`, `ConfigMap`. */
export function recordedKindText({ group, kind }: { group: string; kind: string }): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** The reverse of {@link recordedKindText}. */
export function recordedKind(text: string): { group: string; kind: string } {
  const dot = text.indexOf(".");
  return dot < 0 ? { group: "", kind: text } : { group: text.slice(dot + 1), kind: text.slice(0, dot) };
}
