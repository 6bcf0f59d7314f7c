import { isSameMessage, type ObjectRef, type Reason, refKey } from "../../apis/index.ts";
import { compareText } from "../../scheduler/index.ts";
import { reowned } from "./marks.ts";
import { AWAITING_REPLACEMENT } from "./moves.ts";
import { REPLACED } from "./replacement.ts";
import { isSameRef } from "./rows.ts";
import type { ApplyRow, DeleteRow, HoldRow, ReleaseRow, Observation, Role, Row, Target, Why } from "../types.ts";

export type ChangeVerb = "Created" | "Changed" | "Deleted" | "Released" | "Held" | "Unchanged";

export interface MemberObjectChange {
  ref: ObjectRef;
  role: Role;
  verb: ChangeVerb;
  why?: Why;
  row?: ApplyRow;
  removal?: DeleteRow | ReleaseRow;
}

/** Effect of a change on a hub object, for one cluster. */
export interface ClusterChange {
  cluster: string;
  verb: Exclude<ChangeVerb, "Released"> | "Moved";
  /** Set for a move: the target clusters of an object that leaves, or the source clusters of an object that arrives. */
  to?: readonly string[];
  from?: readonly string[];
  /** Replicas asked for before and after the change. */
  replicas?: { before?: number; after?: number };
  why?: Why;
  /** Only the member objects that change. */
  objects: readonly MemberObjectChange[];
}

export interface DifferenceInput {
  /** The present and the future target. Undefined: nobody plans the object. */
  before: Target | undefined;
  after: Target | undefined;
  /** The rows of `before` and of `after`. */
  rowsBefore: readonly Row[];
  rowsAfter: readonly Row[];
  observations: readonly Observation[];
  /** Hub objects, by {@link refKey}, that would have the copy written; one of them names a shared copy. */
  writersOf?: (cluster: string, ref: ObjectRef) => ReadonlySet<string>;
}

/**
 * Effect of a change on one hub object, cluster by cluster, after all rows are carried out. Writes and removals that
 * would happen without the change do not count. Unaffected clusters are left out. An object that leaves clusters and
 * arrives on others moves, as far as the numbers of both match.
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

/** Clusters on which nothing would be written any more, for example because an override fails. */
function problemsIn(
  before: Target | undefined,
  after: Target | undefined,
  known: ReadonlySet<string>,
): ClusterChange[] {
  const old = new Map(before?.clusters.map(({ name, problem }) => [name, problem?.message]));
  return (after?.clusters ?? []).flatMap(({ name, problem }): ClusterChange[] => {
    if (problem === undefined || known.has(name) || isSameMessage(old.get(name), problem.message)) return [];
    const { reason, message } = problem;
    return [{ cluster: name, verb: "Held", why: { reason, message }, objects: [] }];
  });
}

function keyOf({ cluster, ref }: Pick<Row, "cluster" | "ref">): string {
  return `${cluster}/${refKey(ref)}`;
}

/** True if the cluster has any object of the hub object. A dependency that names another owner does not count. */
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

/** A shared dependency whose named owner is frozen is written on behalf of another owner. */
function isTakenOver(row: Row, copy: Observation | undefined, writers: Writers | undefined): boolean {
  if (row.verb !== "Hold" || !row.wanted || row.role !== "dependency" || writers === undefined) return false;
  const named = copy?.present?.owner;
  return named !== undefined && isSameRef(named, row.owner) && writers.size > 0 && !writers.has(refKey(row.owner));
}

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
  // Another hub object that writes the copy takes it over, and the copy names the new owner from then on.
  if (!wanted && why.reason === NEEDED_BY_OTHERS && writers?.size !== 0) return "Changed";
  if (!wanted) return why.reason === AWAITING_REPLACEMENT || why.reason === "Terminating" ? "Deleted" : "Held";
  // The row waits for the replacement of its dependency only, and is written afterwards.
  if (why.reason === REPLACED) return "Changed";
  return hash === undefined || hash === present?.hash ? "Unchanged" : "Held";
}

/** Compares the hash in the name of the owner that the copy names, since a shared object is written once. */
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

/** The reach of a change. Each cluster counts once per object: as created, changed, moved, deleted or held. */
export interface BlastRadius {
  objects: number;
  clusters: number;
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
