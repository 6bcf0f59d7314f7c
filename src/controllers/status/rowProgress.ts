import { isInSync } from "../../desiredstate/index.ts";
import type { Assignments, Cell, Observations } from "../tables/index.ts";
import type { ObjectStates } from "../states/index.ts";

export interface RowProgressSources {
  states: ObjectStates;
  assignments: Assignments;
  observations: Observations;
}

/**
 * A member object whose row is still to be carried out on a cluster that answers. Undefined if every other row is
 * carried out or has failed. `known`: the previous result, which mostly still holds.
 */
export function openCell(sources: RowProgressSources, owner: string, known: Cell | undefined): Cell | undefined {
  if (known?.rows.has(owner) === true && isOpen(sources, owner, known)) return known;
  for (const cell of sources.assignments.of(owner)) if (isOpen(sources, owner, cell)) return cell;
  return undefined;
}

function isOpen(sources: RowProgressSources, owner: string, { cluster, key, rows, effective }: Cell): boolean {
  const { observations } = sources;
  const row = rows.get(owner);
  // Wait for known copies only: not for confirm rows, nor for copies on clusters outside the record.
  if (row !== undefined && row.verb !== "Apply" && !isRelevant(sources, owner, cluster)) return false;
  const observation = observations.get(cluster, key);
  const isAwaited =
    row?.verb === "Apply"
      ? !isInSync(effective, observation) && observation?.failure === undefined
      : (row?.verb !== "Hold" || !row.wanted) && (observation?.present !== undefined || observation?.writing === true);
  return isAwaited && observations.contactOf(cluster).ok;
}

function isRelevant({ states }: RowProgressSources, owner: string, cluster: string): boolean {
  const { target, remaining } = states.planOf(owner) ?? {};
  return remaining?.has(cluster) === true || target?.clusters.some(({ name }) => name === cluster) === true;
}

export function awaitsAnswer({ states, observations }: RowProgressSources, owner: string): boolean {
  const remaining = states.planOf(owner)?.remaining ?? [];
  return [...remaining].some((cluster) => !observations.contactOf(cluster).ok);
}

export function hasBegun({ assignments, observations }: RowProgressSources, owner: string, plannedAt: number): boolean {
  for (const cell of assignments.of(owner)) {
    if (cell.assignedAt < plannedAt) continue;
    const observation = observations.get(cell.cluster, cell.key);
    if (observation?.failure !== undefined) return true;
    if (isInSync(cell.effective, observation)) return true;
  }
  return false;
}
