import { type ObjectRef, type OwnerRef, parseApiVersion } from "../../apis/index.ts";
import { policyOf, reowned } from "./marks.ts";
import type { ApplyRow, DeletionPolicy, EndedRun, Observation, Row } from "../types.ts";

/** True if the object exists as the row says, in the name of any of its owners, and Meridian owns all its fields. */
export function isInSync(row: Row | undefined, observation: Observation | undefined): boolean {
  const present = observation?.present;
  // Finished work is in sync, whether or not the object still exists.
  if (row?.verb === "Apply" && hasEnded(row, observation)) return true;
  if (row?.verb !== "Apply" || present === undefined || present.deleting) return false;
  const { hash } = inTheNameOf(row, present);
  return present.hash === hash && observation?.inSyncWith === hash;
}

/** True if the work that the row asks for has finished, by the record on the hub or by the latest observation. */
export function hasEnded(row: Row, observation: { ended?: EndedRun | undefined } | undefined): boolean {
  if (row.done !== undefined) return true;
  return row.run !== undefined && observation?.ended?.run === row.run;
}

/** Owner and deletion policy in the marks of a member object. */
export interface Marked {
  owner?: OwnerRef | undefined;
  policy?: DeletionPolicy | undefined;
}

/** The row of the owner that the member object names; of an owner's two rows the member object's policy selects one. */
export function inTheNameOf<R extends Row>(row: R, marked: Marked | undefined): R | ApplyRow {
  const named = marked?.owner;
  if (row.verb !== "Apply" || row.alternatives === undefined || named === undefined) return row;
  if (isSameRef(row.owner, named)) return row;
  const own = row.alternatives.filter(({ owner }) => isSameRef(owner, named));
  return own.find(({ object }) => policyOf(object) === marked?.policy) ?? own[0] ?? row;
}

/**
 * Chooses among the rows of several hub objects for one member object. A row that wants the object precedes a row that
 * does not. The row of a placed owner, which renders the object itself, precedes rows that need the object as a
 * dependency. So the owner's overrides and suspension count. If no policy places that owner, the rows of the dependents
 * decide, and the copy keeps its owner. After that, an Apply row precedes a Hold row of a wanted copy.
 *
 * Of several Apply rows the first is returned, with the others as alternatives; the owner that the member object names
 * selects one of them. Of several removals the most careful one is chosen, so that one obstacle is enough.
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

/** The dependency in the name of an owner whose policy is unknown: the member object's own policy selects the row. */
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

/** True if both refer to the same object in any version. Compares like {@link refKey}, without building the keys. */
export function isSameRef(a: ObjectRef, b: ObjectRef): boolean {
  return (
    a.name === b.name &&
    a.kind === b.kind &&
    (a.namespace ?? "") === (b.namespace ?? "") &&
    (a.apiVersion === b.apiVersion || parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group)
  );
}
