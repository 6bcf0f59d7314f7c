import { type FinishedRecord, type FinishedWork, NOTHING_FINISHED, withEnds, writeFinished } from "../../apis/index.ts";
import { isRendered } from "./rows.ts";
import type { ClusterView, RowView } from "../types.ts";

/** The record of finished work: the plan's record and the ends observed since. */
export function finishedBy(
  planned: FinishedWork = NOTHING_FINISHED,
  views: readonly ClusterView[],
): FinishedRecord | undefined {
  if (planned.runs.size === 0 && !views.some(({ rows }) => rows.some(({ ended }) => ended !== undefined)))
    return undefined;
  const seen = views.flatMap(({ name, rows }) =>
    rows.flatMap(({ ref, ended }) =>
      ended === undefined ? [] : [{ cluster: name, ref, hash: ended.run, end: ended.end }],
    ),
  );
  const { runs } = withEnds(planned, seen);
  const everything = new Set(views.flatMap(({ name, rows }) => (isFinished(rows) ? [name] : [])));
  return writeFinished({ runs, everything });
}

/** True if all rendered objects on the cluster have finished. */
export function isFinished(rows: readonly RowView[]): boolean {
  let isAny = false;
  for (const row of rows) {
    if (!isRendered(row)) continue;
    if (row.ended === undefined) return false;
    isAny = true;
  }
  return isAny;
}
