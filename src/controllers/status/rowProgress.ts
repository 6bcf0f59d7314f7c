import { isInSync } from "../../desiredstate/index.ts";
import { type Assignments, type Cell, type Observations, type Plans } from "../tables/index.ts";

/** How far the rows of one hub object are carried out. */

export interface RowProgressSources {
  plans: Plans;
  assignments: Assignments;
  observations: Observations;
}

/**
 * A member object of which something is still to come from a cluster that answers; undefined when every row is carried out, has failed, or is
 * about a cluster that does not answer. `known`: the answer of before. This is asked with every observation, and what was open a moment ago
 * mostly is so still.
 */
export function openCell(sources: RowProgressSources, owner: string, known: Cell | undefined): Cell | undefined {
  if (known?.rows.has(owner) === true && isOpen(sources, owner, known)) return known;
  for (const cell of sources.assignments.of(owner)) if (isOpen(sources, owner, cell)) return cell;
  return undefined;
}

function isOpen(sources: RowProgressSources, owner: string, { cluster, key, rows, effective }: Cell): boolean {
  const { observations } = sources;
  const row = rows.get(owner);
  // A copy is waited for; certainty is not, nor what a cluster claims to have that the record does not name.
  if (row !== undefined && row.verb !== "Apply" && !isRelevant(sources, owner, cluster)) return false;
  const observation = observations.get(cluster, key);
  const isAwaited =
    row?.verb === "Apply"
      ? !isInSync(effective, observation) && observation?.failure === undefined
      : (row?.verb !== "Hold" || !row.wanted) && (observation?.present !== undefined || observation?.writing === true);
  return isAwaited && observations.contactOf(cluster).ok;
}

function isRelevant({ plans }: RowProgressSources, owner: string, cluster: string): boolean {
  const { target, remaining } = plans.get(owner) ?? {};
  return remaining?.has(cluster) === true || target?.clusters.some(({ name }) => name === cluster) === true;
}

/** Something of the object may be left on a cluster that does not answer. */
export function awaitsAnswer({ plans, observations }: RowProgressSources, owner: string): boolean {
  const remaining = plans.get(owner)?.remaining ?? [];
  return [...remaining].some((cluster) => !observations.contactOf(cluster).ok);
}

/** Something that these rows ask for anew has come to be, or has failed. */
export function hasBegun({ assignments, observations }: RowProgressSources, owner: string, plannedAt: number): boolean {
  for (const cell of assignments.of(owner)) {
    if (cell.assignedAt < plannedAt) continue;
    const observation = observations.get(cell.cluster, cell.key);
    if (observation?.failure !== undefined) return true;
    if (isInSync(cell.effective, observation)) return true;
  }
  return false;
}
