import { defined, fullMessage, inFull, type KubeObject, type ObjectRef, refKey, refOf } from "../../apis/index.ts";
import type { Rehearsed } from "../../clusters/index.ts";
import {
  type ApplyRow,
  assembleSnapshot,
  type BlastRadius,
  blastRadius,
  type ClusterChange,
  computeTarget,
  type DeleteRow,
  type FieldChange,
  fieldChanges,
  type MemberObjectChange,
  type NearMiss,
  nearMisses,
  type StageAssignment,
  type Target,
} from "../../desiredstate/index.ts";
import { refText } from "../shared/index.ts";
import type { PlannedObject } from "./planning.ts";
import { isPlaceable, type PlannerHubState } from "./state/index.ts";

/**
 * The output of `meridian plan -o json`. New fields may be added; existing fields stay. Objects are sorted by kind,
 * namespace and name. Only objects with changes are listed.
 */
export interface PlanReport {
  summary: BlastRadius & { text: string };
  objects: PlannedObjectReport[];
  unplaced: readonly UnplacedReport[];
  /** Unknown facts and warnings for the person, one sentence each. */
  notes: string[];
}

export interface PlannedObjectReport extends ObjectRef {
  /** The policy that would place the object, as `Kind namespace/name`; empty: no policy. */
  placement: string;
  /** The policy that places the object now, if it is another one. */
  placementBefore?: string;
  scheduled: ReturnType<typeof inFull<Target["scheduled"]>>;
  stages?: readonly string[];
  clusters: PlannedClusterReport[];
}

export interface WhyText {
  reason: string;
  message: string;
}

export interface PlannedClusterReport extends Partial<WhyText> {
  name: string;
  change: ClusterChange["verb"];
  stage?: string;
  to?: readonly string[];
  from?: readonly string[];
  replicas?: ClusterChange["replicas"];
  objects: PlannedMemberObjectReport[];
}

export interface PlannedMemberObjectReport extends ObjectRef, Partial<WhyText> {
  change: MemberObjectChange["verb"];
  /** Values of Secrets are never shown. */
  fields?: readonly FieldChange[];
  /** `Member`: by the member's answer to a `dryRun`. `Hub`: by what the hub sends now. */
  fieldsFrom?: "Member" | "Hub";
  refused?: WhyText;
}

export type RehearsedRow = ApplyRow | DeleteRow;

export interface ReportInput {
  planned: readonly PlannedObject[];
  allClusters: number;
  rehearsed: ReadonlyMap<RehearsedRow, Rehearsed>;
  /** By the key of the object; undefined: all clusters at once. */
  stages: ReadonlyMap<string, StageAssignment | undefined>;
  unplaced: readonly UnplacedReport[];
  notes: readonly string[];
}

export function planReport({ planned, allClusters, rehearsed, stages, unplaced, notes }: ReportInput): PlanReport {
  const concerned = planned.filter(({ changes }) => changes.length > 0);
  const radius = blastRadius(
    concerned.map(({ changes }) => changes),
    allClusters,
  );
  return {
    summary: { text: summaryText(radius), ...radius },
    objects: concerned
      .map((one) => objectReport(one, rehearsed, stages.get(one.key)))
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    unplaced,
    notes: [...notes],
  };
}

export function summaryText({
  objects,
  clusters,
  allClusters,
  created,
  changed,
  moved,
  deleted,
  held,
}: BlastRadius): string {
  const what = `${created} created, ${changed} changed, ${moved} moved, ${deleted} deleted`;
  return `${objects} ${objects === 1 ? "object" : "objects"} on ${clusters} of ${allClusters} ${allClusters === 1 ? "cluster" : "clusters"}: ${what}${held === 0 ? "" : `, ${held} held`}`;
}

function objectReport(
  { object, before, after, changes }: PlannedObject,
  rehearsed: ReportInput["rehearsed"],
  stages: StageAssignment | undefined,
): PlannedObjectReport {
  const [placement, placementBefore] = [placedBy(after), placedBy(before)];
  return {
    ...refOf(object),
    placement,
    ...(before === undefined || placementBefore === placement ? {} : { placementBefore }),
    scheduled: inFull(after.scheduled),
    ...defined({ stages: stages?.names }),
    clusters: changes.map((change): PlannedClusterReport => {
      const { cluster, verb, to, from, replicas, why, objects } = change;
      const stage = verb === "Held" ? undefined : stages?.stages.get(cluster);
      return {
        name: cluster,
        change: verb,
        ...defined({ stage, to, from, replicas }),
        ...(why === undefined ? {} : inFull(why)),
        objects: objects.map((one) => memberObjectReport(one, cluster, before, rehearsed)),
      };
    }),
  };
}

function memberObjectReport(
  { ref, verb, why, row, removal }: MemberObjectChange,
  cluster: string,
  before: Target | undefined,
  rehearsed: ReportInput["rehearsed"],
): PlannedMemberObjectReport {
  const said = row === undefined ? undefined : rehearsed.get(row);
  const kept = removal?.verb === "Delete" ? rehearsed.get(removal) : undefined;
  if (kept?.kind === "Refused")
    return { ...ref, change: "Held", reason: kept.reason, message: fullMessage(kept.message) };
  const refused =
    said?.kind === "Refused" ? { refused: { reason: said.reason, message: fullMessage(said.message) } } : {};
  return {
    ...ref,
    change: verb,
    ...(why === undefined ? {} : inFull(why)),
    ...(verb === "Changed" && row !== undefined ? fieldsOf(row, cluster, before, said) : {}),
    ...refused,
  };
}

function fieldsOf(
  row: ApplyRow,
  cluster: string,
  before: Target | undefined,
  said: Rehearsed | undefined,
): Pick<PlannedMemberObjectReport, "fields" | "fieldsFrom"> {
  if (said?.kind === "Written") {
    // Fields that are left to the member keep the member's value: the manager gives up these fields before it applies.
    const given = new Set(
      row.unretained === undefined ? [] : fieldChanges(row.object, row.unretained).map(({ path }) => path),
    );
    const fields = fieldChanges(said.before, said.after).filter(({ path }) => !given.has(path));
    return { fields, fieldsFrom: "Member" };
  }
  const old = before?.clusters
    .find(({ name }) => name === cluster)
    ?.objects.find(
      ({ ref }) => ref.kind === row.ref.kind && ref.name === row.ref.name && ref.namespace === row.ref.namespace,
    );
  return old === undefined ? {} : { fields: fieldChanges(old.object, row.object), fieldsFrom: "Hub" };
}

function placedBy(target: Target | undefined): string {
  const placement = target?.placement;
  return placement === undefined ? "" : refText(placement);
}

function sortKey({ kind, namespace = "", name }: ObjectRef): string {
  return `${kind}/${namespace}/${name}`;
}

export interface UnplacedReport extends ObjectRef {
  reason: string;
  message: string;
  /** Policies of the object's kind that do not select the object, the closest first. */
  nearly: readonly NearMiss[];
}

/** The files' objects that would run on no cluster, without those that go along with another object. */
export function unplacedAmong(
  given: readonly KubeObject[],
  state: PlannerHubState,
  goesAlong: (key: string) => boolean,
  now: number,
): UnplacedReport[] {
  return given.flatMap((one): UnplacedReport[] => {
    const key = refKey(refOf(one));
    const object = state.objects.get(key);
    if (object === undefined || !isPlaceable(object) || object.metadata.deletionTimestamp !== undefined) return [];
    if (goesAlong(key)) return [];
    const snapshot = assembleSnapshot(state, object, { dependencies: state.dependencies });
    const { scheduled, clusters, placement } = computeTarget(snapshot, now);
    if (clusters.length > 0 || scheduled.status === "True") return [];
    const { reason } = scheduled;
    const unseen = [...state.hidden].filter((kind) => kind !== "clusteroverridepolicies");
    const but = unseen.length === 0 ? "" : `, as far as you may see (hidden from you: ${unseen.toSorted().join(", ")})`;
    const message = `${fullMessage(scheduled.message)}${but}`;
    const nearly = placement === undefined ? nearMisses(object, state.placements, snapshot.setting) : [];
    return [{ ...refOf(object), reason, message, nearly }];
  });
}
