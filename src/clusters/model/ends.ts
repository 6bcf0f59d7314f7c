import type { MemberObject } from "./memberObject.ts";
import { statusOf } from "./memberObservation.ts";

/**
 * Notes which work the observed object does, and that the work has come to its end. What has ended is remembered for as long as the row asks for
 * the same work: the object itself may be gone in the next moment, as a Job with a TTL of nothing is.
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
