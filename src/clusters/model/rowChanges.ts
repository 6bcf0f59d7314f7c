import { type ApplyRow, inTheNameOf, type Row, sameReportTerms } from "../../desiredstate/index.ts";
import type { RowDelta } from "../../ports/index.ts";
import { divideAgain, judge } from "./comparison.ts";
import { noteEnd } from "./ends.ts";
import { setFailure } from "./failures.ts";
import type { MemberObject } from "./memberObject.ts";
import { forgetContent } from "./observed.ts";

/** True when two rows ask for the same action. Differences that only concern reporting do not count. */
export function asksTheSame(a: Row, b: Row): boolean {
  switch (a.verb) {
    case "Apply":
      return b.verb === "Apply" && isSameApply(a, b);
    case "Hold":
      return b.verb === "Hold" && a.confirm === b.confirm;
    case "Delete":
      return b.verb === "Delete" && a.uid === b.uid && a.agreed === b.agreed && a.keepsClaims === b.keepsClaims;
    case "Release":
      return b.verb === "Release" && a.uid === b.uid;
  }
}

function isSameApply(a: ApplyRow, b: ApplyRow): boolean {
  return (
    a.hash === b.hash &&
    a.conflictResolution === b.conflictResolution &&
    a.run === b.run &&
    (a.done === undefined) === (b.done === undefined)
  );
}

/** True when the object is not observed, has no row and is not being written. */
export function isForgettable({ row, observed, writing }: MemberObject): boolean {
  return row === undefined && observed === undefined && !writing;
}

/** The row in effect: for a shared dependency, that of the owner that the member object names. */
export function rowFor({ given, observed }: Pick<MemberObject, "given" | "observed">): Row | undefined {
  return given === undefined ? undefined : inTheNameOf(given, observed);
}

/** Gives the object a row, or takes its row away. `isNews`: to be reported; `isChange`: there may be work. */
export function replaceRow(
  object: MemberObject,
  { row, revision, origin, backlog }: RowDelta,
): { isNews: boolean; isChange: boolean } {
  const before = object.row;
  object.given = row;
  object.row = rowFor(object);
  const asksToTell = !sameReportTerms(before?.reporting, object.row?.reporting);
  if (object.row?.reporting === undefined) forgetContent(object.observed);
  noteEnd(object);
  const isNew = before === undefined || object.row === undefined || !asksTheSame(before, object.row);
  if (row?.verb === "Apply") object.isAbsent = false;
  const isToAcknowledge = row?.verb !== "Apply" && (isNew || revision !== object.revision);
  object.revision = revision;
  object.origin = origin;
  object.isBacklog = backlog === true;
  let isNews = isToAcknowledge || asksToTell;
  if (isNew) {
    object.carriedOut = false;
    object.contested = undefined;
    if (setFailure(object, undefined)) isNews = true;
  }
  const isDivided = divideAgain(object, before);
  if (judge(object)) isNews = true;
  return { isNews, isChange: isNew || asksToTell || isDivided };
}
