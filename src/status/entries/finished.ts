import { type FinishedRecord, type FinishedWork, NOTHING_FINISHED, withEnds, writeFinished } from "../../apis/index.ts";
import { isRendered } from "./rows.ts";
import type { ClusterView, RowView } from "../types.ts";

/** The record of finished work: the plan's record and the ends observed since. */
export function finishedBy(
  planned: FinishedWork = NOTHING_FINISHED,
  views: readonly ClusterView[],
): FinishedRecord | undefined {
  const seen = views.flatMap(({ name: cluster, rows }) =>
    rows.flatMap(({ ref, ended }) => (ended === undefined ? [] : { cluster, ref, hash: ended.run, end: ended.end })),
  );
  if (planned.runs.size === 0 && seen.length === 0) return undefined;
  const { runs } = withEnds(planned, seen);
  const everything = new Set(views.flatMap(({ name, rows }) => (isFinished(rows) ? [name] : [])));
  return writeFinished({ runs, everything });
}

/** True if all rendered objects on the cluster have finished. */
export function isFinished(rows: readonly RowView[]): boolean {
  const rendered = rows.filter(isRendered);
  return rendered.length > 0 && rendered.every(({ ended }) => ended !== undefined);
}
