import { type ObjectRef, type Reason, refKey } from "../../apis/index.ts";
import { compareText } from "../../scheduler/index.ts";
import { reowned } from "./marks.ts";
import { AWAITING_REPLACEMENT } from "./moves.ts";
import { REPLACED } from "./replacement.ts";
import { isSameRef } from "./rows.ts";
import type { ApplyRow, DeleteRow, HoldRow, ReleaseRow, Observation, Role, Row, Target, Why } from "../types.ts";

/** What becomes of a member object. */
export type ChangeVerb = "Created" | "Changed" | "Deleted" | "Released" | "Held" | "Unchanged";

export interface MemberObjectChange {
  ref: ObjectRef;
  role: Role;
  verb: ChangeVerb;
  /** Why it goes, stays, or is let go of. */
  why?: Why;
  /** What is to be there. */
  row?: ApplyRow;
  /** What is to go. */
  removal?: DeleteRow | ReleaseRow;
}

/** What becomes of a hub object on one cluster. */
export interface ClusterChange {
  cluster: string;
  verb: Exclude<ChangeVerb, "Released"> | "Moved";
  /** Of what moves away: where to. Of what moves here: where from. */
  to?: readonly string[];
  from?: readonly string[];
  /** What was asked for before, and what will be. */
  replicas?: { before?: number; after?: number };
  /** Why the object goes, or nothing is done. */
  why?: Why;
  /** Of the member objects those that something becomes of. */
  objects: readonly MemberObjectChange[];
}

export interface DifferenceInput {
  /** What is asked for now, and what would be. Undefined: nothing; nobody plans the object. */
  before: Target | undefined;
  after: Target | undefined;
  /** The rows of both. */
  rowsBefore: readonly Row[];
  rowsAfter: readonly Row[];
  /** What is on the members. */
  observations: readonly Observation[];
  /** Which hub objects, by {@link refKey}, would have that copy written: what several share is in the name of one of these. */
  writersOf?: (cluster: string, ref: ObjectRef) => ReadonlySet<string>;
}

/**
 * What a change does to one hub object, cluster by cluster, once everything has been carried out: what would be written or removed in any case
 * does not count. Clusters on which nothing happens are left out. An object that leaves clusters and comes to others moves, as far as there are
 * as many of one as of the other.
 */
export function differenceOf(input: DifferenceInput): ClusterChange[] {
  const { before, after, rowsBefore, rowsAfter, observations, writersOf } = input;
  const old = new Map(rowsBefore.map((row) => [keyOf(row), row]));
  const copies = new Map(observations.map((copy) => [keyOf(copy), copy]));
  const changes: ClusterChange[] = [];
  for (const [cluster, rows] of Map.groupBy(rowsAfter, (row) => row.cluster)) {
    const objects = rows
      .map((row) => changeOf(row, copies.get(keyOf(row)), old.get(keyOf(row)), writersOf?.(cluster, row.ref)))
      .filter(({ verb }) => verb !== "Unchanged");
    if (objects.length === 0) continue;
    const replicas = replicasOf(cluster, before, after);
    const verb = verbOf(objects, isThere(rows, observations));
    const why = objects.find((one) => one.why !== undefined && one.verb !== "Created" && one.verb !== "Changed")?.why;
    changes.push({
      cluster,
      verb,
      ...(replicas === undefined ? {} : { replicas }),
      ...(why === undefined || verb === "Created" || verb === "Changed" ? {} : { why }),
      objects,
    });
  }
  changes.push(...problemsIn(before, after, new Set(changes.map(({ cluster }) => cluster))));
  return withMoves(changes.toSorted((a, b) => compareText(a.cluster, b.cluster)));
}

/** Clusters on which nothing would be written any more, since an override cannot be applied there, say. */
function problemsIn(
  before: Target | undefined,
  after: Target | undefined,
  known: ReadonlySet<string>,
): ClusterChange[] {
  const old = new Map(before?.clusters.map(({ name, problem }) => [name, problem?.message]));
  return (after?.clusters ?? []).flatMap(({ name, problem }): ClusterChange[] => {
    if (problem === undefined || known.has(name) || old.get(name) === problem.message) return [];
    const { reason, message } = problem;
    return [{ cluster: name, verb: "Held", why: { reason, message }, objects: [] }];
  });
}

function keyOf({ cluster, ref }: Pick<Row, "cluster" | "ref">): string {
  return `${cluster}/${refKey(ref)}`;
}

/** Whether anything of the hub object is on the cluster of its rows. A dependency that names another one was brought by that, and says nothing of it. */
function isThere(rows: readonly Row[], observations: readonly Observation[]): boolean {
  const [first] = rows;
  if (first === undefined) return false;
  const roles = new Map(rows.map(({ ref, role }) => [refKey(ref), role]));
  return observations.some(({ cluster, ref, present }) => {
    if (cluster !== first.cluster || present === undefined) return false;
    const isRendered = roles.get(refKey(ref)) === "rendered";
    return isRendered || present.owner === undefined || isSameRef(present.owner, first.owner);
  });
}

function changeOf(
  row: Row,
  copy: Observation | undefined,
  old: Row | undefined,
  writers?: Writers,
): MemberObjectChange {
  const { ref, role } = row;
  if (isTakenOver(row, copy, writers)) return { ref, role, verb: "Changed", why: TAKEN_OVER };
  const verb = old !== undefined && isSameAsk(row, old) ? "Unchanged" : verbOfRow(row, copy, writers);
  const why = row.verb === "Apply" ? undefined : row.why;
  return {
    ref,
    role,
    verb,
    ...(why === undefined ? {} : { why }),
    ...(row.verb === "Apply" ? { row } : {}),
    ...(row.verb === "Delete" || row.verb === "Release" ? { removal: row } : {}),
  };
}

type Writers = ReadonlySet<string>;

const TAKEN_OVER: Why = { reason: "NeededByOthers", message: "another object on the hub needs it there" };

/** What is left as it is by the one whose name it bears is written in the name of another one that needs it. */
function isTakenOver(row: Row, copy: Observation | undefined, writers: Writers | undefined): boolean {
  if (row.verb !== "Hold" || !row.wanted || row.role !== "dependency" || writers === undefined) return false;
  const named = copy?.present?.owner;
  return named !== undefined && isSameRef(named, row.owner) && writers.size > 0 && !writers.has(refKey(row.owner));
}

/** It would be so in any case. */
function isSameAsk(row: Row, old: Row): boolean {
  if (row.verb !== old.verb) return false;
  if (row.verb === "Apply" && old.verb === "Apply") return row.hash === old.hash;
  if (row.verb === "Hold" && old.verb === "Hold") return row.wanted === old.wanted && row.hash === old.hash;
  return true;
}

function verbOfRow(row: Row, copy: Observation | undefined, writers: Writers | undefined): ChangeVerb {
  const present = copy?.present;
  if (row.done !== undefined) return "Unchanged";
  switch (row.verb) {
    case "Apply":
      if (present === undefined) return "Created";
      return isAlready(row, present, writers) ? "Unchanged" : "Changed";
    case "Delete":
      return "Deleted";
    case "Release":
      return "Released";
    case "Hold":
      return held(row, present, writers);
  }
}

const NEEDED_BY_OTHERS: Reason = "NeededByOthers";

function held(
  { wanted, why, hash }: HoldRow,
  present: Observation["present"],
  writers: Writers | undefined,
): ChangeVerb {
  // Another hub object that writes the copy takes the copy over, and is named in it from then on.
  if (!wanted && why.reason === NEEDED_BY_OTHERS && writers?.size !== 0) return "Changed";
  if (!wanted) return why.reason === AWAITING_REPLACEMENT || why.reason === "Terminating" ? "Deleted" : "Held";
  // It waits for its dependency alone, and is written then.
  if (why.reason === REPLACED) return "Changed";
  return hash === undefined || hash === present?.hash ? "Unchanged" : "Held";
}

/** In the name of whichever hub object the copy names: what several share is written once. */
function isAlready(
  row: ApplyRow,
  { hash, owner, policy }: NonNullable<Observation["present"]>,
  writers: Writers | undefined,
): boolean {
  if (hash === row.hash) return true;
  if (owner === undefined || isSameRef(owner, row.owner) || writers?.has(refKey(owner)) === false) return false;
  return reowned(row.object, owner, policy ?? "Delete").hash === hash;
}

function verbOf(objects: readonly MemberObjectChange[], partly: boolean): ClusterChange["verb"] {
  const ours = objects.filter(({ why }) => why?.reason !== NEEDED_BY_OTHERS);
  const rendered = ours.filter(({ role }) => role === "rendered");
  const counting = rendered.length > 0 ? rendered : ours.length > 0 ? ours : objects;
  const is = (...verbs: ChangeVerb[]): boolean => counting.every(({ verb }) => verbs.includes(verb));
  if (is("Held")) return "Held";
  if (is("Created")) return partly ? "Changed" : "Created";
  if (is("Deleted", "Released", "Held")) return "Deleted";
  return "Changed";
}

function replicasOf(
  cluster: string,
  before: Target | undefined,
  after: Target | undefined,
): ClusterChange["replicas"] | undefined {
  const of = (target: Target | undefined): number | undefined =>
    target?.clusters.find(({ name }) => name === cluster)?.replicas;
  const [old, next] = [of(before), of(after)];
  if (old === next) return undefined;
  return { ...(old === undefined ? {} : { before: old }), ...(next === undefined ? {} : { after: next }) };
}

function withMoves(changes: readonly ClusterChange[]): ClusterChange[] {
  const created = changes.filter(({ verb }) => verb === "Created").map(({ cluster }) => cluster);
  const gone = changes.filter(({ verb }) => verb === "Deleted").map(({ cluster }) => cluster);
  const moves = Math.min(created.length, gone.length);
  const [to, from] = [created.slice(0, moves), gone.slice(0, moves)];
  return changes.map((change) => {
    if (from.includes(change.cluster)) return { ...change, verb: "Moved", to };
    if (to.includes(change.cluster)) return { ...change, verb: "Moved", from };
    return change;
  });
}

/** How far a change reaches. Clusters are counted once for each object: what comes to a cluster, changes there, leaves one for another, or goes. */
export interface BlastRadius {
  objects: number;
  clusters: number;
  /** All that there are. */
  allClusters: number;
  created: number;
  changed: number;
  moved: number;
  deleted: number;
  held: number;
}

export function blastRadius(changes: readonly (readonly ClusterChange[])[], allClusters: number): BlastRadius {
  const all = changes.flat();
  const count = (verb: ClusterChange["verb"]): number => all.filter((one) => one.verb === verb).length;
  return {
    objects: changes.filter((one) => one.length > 0).length,
    clusters: new Set(all.map(({ cluster }) => cluster)).size,
    allClusters,
    created: count("Created"),
    changed: count("Changed"),
    moved: all.filter(({ to }) => to !== undefined).length,
    deleted: count("Deleted"),
    held: count("Held"),
  };
}
