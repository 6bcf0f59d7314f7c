import { type ApplyRow, inTheNameOf, type Row } from "../../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";

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
