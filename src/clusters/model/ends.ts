import type { MemberObject } from "./memberObject.ts";
import { statusOf } from "./memberObservation.ts";

/**
 * Records the run that the observed object executes, and its end. The end is kept while the row asks for the same run,
 * since the object may disappear at once (`ttlSecondsAfterFinished: 0`).
 */
export function noteEnd(object: MemberObject): void {
  const { row, observed } = object;
  const asked = row?.verb === "Apply" || row?.verb === "Hold" ? row : undefined;
  if (object.ended !== undefined && object.ended.run !== asked?.run) object.ended = undefined;
  if (observed === undefined || !observed.isOurs || !observed.proven) return;
  if (asked?.run !== undefined && observed.hash === asked.hash) object.run = { uid: observed.uid, hash: asked.run };
  const run = object.run?.uid === observed.uid ? object.run.hash : undefined;
  if (observed.ended === undefined || run === undefined || run !== asked?.run) return;
  const status = asked.reporting?.withStatus === true ? statusOf(observed.evidence.content) : undefined;
  const kept = status ?? (object.ended?.run === run ? object.ended.status : undefined);
  object.ended = { run, end: observed.ended, ...(kept === undefined ? {} : { status: kept }) };
}
