import { defined, fullMessage, inFull, type ObjectRef, refOf } from "../../apis/index.ts";
import type { Rehearsed } from "../../clusters/index.ts";
import {
  type ApplyRow,
  type BlastRadius,
  blastRadius,
  type ClusterChange,
  type DeleteRow,
  type FieldChange,
  fieldChanges,
  type MemberObjectChange,
  type StageAssignment,
  type Target,
} from "../../desiredstate/index.ts";
import type { PlannedObject } from "./planning.ts";
import type { UnplacedReport } from "./unplaced.ts";

/**
 * The output of `meridian plan -o json`, with exactly these fields. New fields may be added; existing fields stay.
 * Objects are sorted by kind, namespace and name, their clusters and member objects by name. Only objects with changes
 * are listed.
 */
export interface PlanReport {
  summary: BlastRadius & { text: string };
  objects: PlannedObjectReport[];
  /** Objects of the files that would run nowhere. */
  unplaced: readonly UnplacedReport[];
  /** Unknown facts and warnings for the person, one sentence each. */
  notes: string[];
}

/** One object of the hub. */
export interface PlannedObjectReport extends ObjectRef {
  /** The policy that would place the object, as `Kind namespace/name`; empty: no policy. */
  placement: string;
  /** The policy that places the object now, if it is another one. */
  placementBefore?: string;
  /** The condition Scheduled after the change. */
  scheduled: ReturnType<typeof inFull<Target["scheduled"]>>;
  /** The stages of the rollout, in order; absent if the policy has no stages. */
  stages?: readonly string[];
  clusters: PlannedClusterReport[];
}

/** A reason with its message as text. */
export interface WhyText {
  reason: string;
  message: string;
}

export interface PlannedClusterReport extends Partial<WhyText> {
  name: string;
  change: ClusterChange["verb"];
  /** The stage of the rollout that contains the change; absent if the policy has no stages. */
  stage?: string;
  to?: readonly string[];
  from?: readonly string[];
  replicas?: ClusterChange["replicas"];
  objects: PlannedMemberObjectReport[];
}

/** One object on a member. */
export interface PlannedMemberObjectReport extends ObjectRef, Partial<WhyText> {
  change: MemberObjectChange["verb"];
  /** Changed fields. Values of Secrets are never shown. */
  fields?: readonly FieldChange[];
  /**
   * `Member`: the member's answer to a server-side apply with `dryRun`. `Hub`: a comparison of what the hub would send
   * with what the hub sends now.
   */
  fieldsFrom?: "Member" | "Hub";
  /** Why the member would refuse the object. */
  refused?: WhyText;
}

/** A row that is rehearsed on the member. */
export type RehearsedRow = ApplyRow | DeleteRow;

export interface ReportInput {
  planned: readonly PlannedObject[];
  allClusters: number;
  /** The members' answers to rehearsed writes. */
  rehearsed: ReadonlyMap<RehearsedRow, Rehearsed>;
  /** The rollout stages of an object's changes, with the clusters of each stage; undefined: all clusters at once. */
  stagesOf: (planned: PlannedObject) => StageAssignment | undefined;
  unplaced: readonly UnplacedReport[];
  notes: readonly string[];
}

export function planReport({ planned, allClusters, rehearsed, stagesOf, unplaced, notes }: ReportInput): PlanReport {
  const concerned = planned.filter(({ changes }) => changes.length > 0);
  const radius = blastRadius(
    concerned.map(({ changes }) => changes),
    allClusters,
  );
  return {
    summary: { text: summaryText(radius), ...radius },
    objects: concerned
      .map((one) => objectReport(one, rehearsed, stagesOf(one)))
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    unplaced,
    notes: [...notes],
  };
}

/** The blast radius in one line. */
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
  if (placement === undefined) return "";
  const { kind, namespace, name } = placement;
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function sortKey({ kind, namespace = "", name }: ObjectRef): string {
  return `${kind}/${namespace}/${name}`;
}
