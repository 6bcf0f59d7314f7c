import { type ObjectRef, type OwnerRef, parseApiVersion } from "../../apis/index.ts";
import { policyOf, reowned } from "./marks.ts";
import type { ApplyRow, DeletionPolicy, EndedRun, Observation, Row } from "../types.ts";

/** True when the object is there as the row says, in whoever's name it may be, and all of its fields are ours. */
export function isInSync(row: Row | undefined, observation: Observation | undefined): boolean {
  const present = observation?.present;
  // What has come to its end is as it is to be, whatever is left of it.
  if (row?.verb === "Apply" && hasEnded(row, observation)) return true;
  if (row?.verb !== "Apply" || present === undefined || present.deleting) return false;
  const { hash } = inTheNameOf(row, present);
  return present.hash === hash && observation?.inSyncWith === hash;
}

/** The work that the row asks for has come to its end there: by the record on the hub, or as was seen a moment ago. */
export function hasEnded(row: Row, observation: { ended?: EndedRun | undefined } | undefined): boolean {
  if (row.done !== undefined) return true;
  return row.run !== undefined && observation?.ended?.run === row.run;
}

/** What a member object says of itself. */
export interface Marked {
  owner?: OwnerRef | undefined;
  policy?: DeletionPolicy | undefined;
}

/**
 * The row for a member object that names that owner: the owner's own one where the owner asks for the object as well. Of an owner whose
 * policy nobody here knows there are two, and the member object says which.
 */
export function inTheNameOf<R extends Row>(row: R, marked: Marked | undefined): R | ApplyRow {
  const named = marked?.owner;
  if (row.verb !== "Apply" || row.alternatives === undefined || named === undefined) return row;
  if (isSameRef(row.owner, named)) return row;
  const own = row.alternatives.filter(({ owner }) => isSameRef(owner, named));
  return own.find(({ object }) => policyOf(object) === marked?.policy) ?? own[0] ?? row;
}

/**
 * The row that counts when several hub objects ask for one member object. Who wants it wins over who does not. The object that the member object
 * is a copy of, placed by a policy of its own, goes before those that only need it beside them: its overrides count, and its suspension. Where no
 * policy places it, those that need it decide, and its copy keeps its owner. Then an Apply row goes before a Hold row of a wanted copy. Of several
 * Apply rows it is the first, with the others as alternatives: which of them counts is for the member object to say, by the owner that it names. Of
 * several removals it is the most careful one, so that one obstacle is enough.
 */
export function chooseRow(rows: Iterable<Row>): Row | undefined {
  let chosen: Row | undefined;
  const applies: ApplyRow[] = [];
  const unplaced: OwnerRef[] = [];
  for (const row of rows) {
    if (row.verb === "Apply") applies.push(row);
    else if (isUnplaced(row)) unplaced.push(row.owner);
    if (chosen === undefined || precedence(row) < precedence(chosen)) chosen = row;
  }
  if (chosen?.verb !== "Apply" || (applies.length === 1 && unplaced.length === 0)) return chosen;
  const { role } = chosen;
  const [first = chosen, ...alternatives] = applies.filter((row) => row.role === role);
  for (const owner of role === "dependency" ? unplaced : []) alternatives.push(...inTheNamesOf(first, owner));
  return alternatives.length === 0 ? first : { ...first, alternatives };
}

/** The same dependency in the name of an owner whose policy is not known here: the member object says which of the rows is the owner's. */
export function inTheNamesOf({ alternatives: _, ...row }: ApplyRow, owner: OwnerRef): ApplyRow[] {
  return POLICIES.map((policy) => ({ ...row, owner, ...reowned(row.object, owner, policy) }));
}

const POLICIES: readonly DeletionPolicy[] = ["Delete", "Orphan"];

function isUnplaced(row: Row): boolean {
  return row.verb === "Hold" && row.unplaced === true;
}

function precedence(row: Row): number {
  const isDependency = row.role === "dependency";
  switch (row.verb) {
    case "Apply":
      return isDependency ? 2 : 0;
    case "Hold":
      if (!row.wanted) return 4;
      return isDependency || isUnplaced(row) ? 3 : 1;
    case "Release":
      return 5;
    case "Delete":
      return 6;
  }
}

/** Whether both name the same object, in whatever version it is read: as equal {@link refKey}s, without making them. */
export function isSameRef(a: ObjectRef, b: ObjectRef): boolean {
  return (
    a.name === b.name &&
    a.kind === b.kind &&
    (a.namespace ?? "") === (b.namespace ?? "") &&
    (a.apiVersion === b.apiVersion || parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group)
  );
}
