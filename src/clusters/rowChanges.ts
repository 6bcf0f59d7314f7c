import { type ApplyRow, inTheNameOf, type Row } from "../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";

/** Whether two rows ask for the same to be done: what is only told of the member object aside. */
export function asksTheSame(a: Row, b: Row): boolean {
  if (a.verb === "Apply" && b.verb === "Apply") return isSameApply(a, b);
  if (a.verb === "Hold" && b.verb === "Hold") return a.confirm === b.confirm;
  if (a.verb === "Hold" || b.verb === "Hold" || a.verb === "Apply" || b.verb === "Apply") return false;
  return a.verb === b.verb && a.uid === b.uid && isAgreed(a) === isAgreed(b);
}

function isAgreed(row: Row): boolean {
  return row.verb === "Delete" && row.agreed === true;
}

function isSameApply(a: ApplyRow, b: ApplyRow): boolean {
  return a.hash === b.hash && a.conflictResolution === b.conflictResolution;
}

/** Nothing is there, nothing is asked for, and nothing is under way. */
export function isForgettable({ row, observed, writing }: MemberObject): boolean {
  return row === undefined && observed === undefined && !writing;
}

/** What is asked for; a dependency that several hub objects need stays in the name of the one that the member object names. */
export function rowFor({ given, observed }: Pick<MemberObject, "given" | "observed">): Row | undefined {
  return given === undefined ? undefined : inTheNameOf(given, observed);
}
