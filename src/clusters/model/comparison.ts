import { FIELD_MANAGER, type KubeObject, sameValue } from "../../apis/index.ts";
import { type ApplyRow, expectedOf, hasEnded, type Row } from "../../desiredstate/index.ts";
import { alteredFields, appliedAtOf, lostPlaces, onlyKept, withKept } from "../../interpreter/index.ts";
import { setFailure, withoutEffect } from "./failures.ts";
import type { EffectiveApply, MemberObject } from "./memberObject.ts";
import type { ObservedObject } from "./observed.ts";
import { divideLost, keptBy } from "./yielding.ts";

/** Hash of the row that the member object was compared with and found in sync with. */
export function inSyncWith({ observed, judged }: MemberObject): string | undefined {
  if (observed === undefined || observed.deleting || judged === undefined) return undefined;
  if (judged.lost.length > 0 || judged.altered.length > 0 || judged.isStale === true) return undefined;
  return observed.hash === judged.hash ? judged.hash : undefined;
}

/** True when we own all fields of the Apply row with the row's values, or its run has ended. */
export function isInSync(object: MemberObject): boolean {
  const { row } = object;
  return row?.verb === "Apply" && (hasEnded(row, object) || inSyncWith(object) === row.hash);
}

/**
 * Compares ownership and values once for each observation. Drops the live object when it is in sync. True when the
 * object has something new to report.
 */
export function judge(object: MemberObject): boolean {
  const { row, observed } = object;
  if (row?.verb !== "Apply" || observed === undefined) return false;
  // A different hash means an earlier desired state, or, after the row was carried out, a changed annotation.
  if (observed.hash !== row.hash && !object.carriedOut) return false;
  const { live } = observed.evidence;
  const isNew = object.judged?.hash !== row.hash && live !== undefined;
  if (isNew) compare(object, row, observed, live);
  if (!isInSync(object)) return isNew;
  // The row counts as carried out, whoever made the object match.
  object.carriedOut = true;
  return setFailure(object, undefined) || isNew;
}

/** Makes the next {@link judge} compare again if the row's `unwritten` or `hubOwned` fields alone have changed. */
export function divideAgain(object: MemberObject, before: Row | undefined): boolean {
  const { row, judged, observed } = object;
  if (row?.verb !== "Apply" || judged?.hash !== row.hash || before?.verb !== "Apply") return false;
  if (sameValue(row.unwritten, before.unwritten) && sameValue(row.hubOwned, before.hubOwned)) return false;
  if (observed?.evidence.live !== undefined) object.judged = undefined;
  else {
    const isStale = !sameValue(keptBy(object, row), keptBy(object, before));
    object.judged = { ...judged, ...divideLost(object, row, [...judged.lost, ...judged.yielded]), isStale };
  }
  return true;
}

function compare(object: MemberObject, row: ApplyRow, { evidence }: ObservedObject, live: KubeObject): void {
  const managed = live.metadata.managedFields ?? [];
  const places = lostPlaces(expectedOf(row.object, live), managed, FIELD_MANAGER, live);
  const { lost, yielded } = divideLost(object, row, places);
  // Lost fields are taken back first. The answer to that write shows whether admission alters values.
  const altered = lost.length > 0 ? [] : alteredIn(object, row, live);
  const kept = keptBy(object, row);
  const isStale = kept.length > 0 && alteredFields(onlyKept(row.object, kept), live, FIELD_MANAGER).length > 0;
  object.judged = { hash: row.hash, lost, yielded, altered, isStale, sent: withKept(row.object, kept) };
  if (lost.length === 0 && altered.length === 0 && !isStale) evidence.live = undefined;
  else if (altered.length > 0 && object.failure === undefined) setFailure(object, withoutEffect(altered));
}

function alteredIn(object: MemberObject, row: ApplyRow, live: KubeObject): readonly string[] {
  const apply = applyOf(row, live);
  if (isSameApplyOf(object.effective, apply)) return [];
  const altered = alteredFields(row.object, live, FIELD_MANAGER);
  // managedFields give times in seconds, so a write that is still under way may get the same time.
  object.effective = altered.length === 0 && !object.writing ? apply : undefined;
  return altered;
}

/** Last apply of ours that the object shows; undefined when `managedFields` give no time for it. */
function applyOf({ hash }: ApplyRow, { metadata }: KubeObject): EffectiveApply | undefined {
  const appliedAt = appliedAtOf(metadata.managedFields, FIELD_MANAGER);
  return appliedAt === undefined || metadata.uid === undefined ? undefined : { uid: metadata.uid, hash, appliedAt };
}

function isSameApplyOf(a: EffectiveApply | undefined, b: EffectiveApply | undefined): boolean {
  return a !== undefined && b !== undefined && a.uid === b.uid && a.hash === b.hash && a.appliedAt === b.appliedAt;
}
