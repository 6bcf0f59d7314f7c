import { isSameMessage, sameValue } from "../../apis/index.ts";
import { type ApplyRow, type Row, sameReportTerms, type Why } from "../../desiredstate/index.ts";

/** True if both rows ask for the same state of one member object. */
export function isSameRow(a: Row, b: Row | undefined): boolean {
  if (b === undefined || a.verb !== b.verb || a.role !== b.role) return false;
  if (!sameReportTerms(a.reporting, b.reporting) || a.run !== b.run || a.done !== b.done) return false;
  switch (a.verb) {
    case "Apply":
      return b.verb === "Apply" && isSameApply(a, b);
    case "Hold":
      return (
        b.verb === "Hold" &&
        a.wanted === b.wanted &&
        a.unplaced === b.unplaced &&
        a.confirm === b.confirm &&
        a.hash === b.hash &&
        sameValue(a.namespaceLabels, b.namespaceLabels) &&
        isSameWhy(a.why, b.why)
      );
    case "Delete":
      return (
        b.verb === a.verb &&
        a.uid === b.uid &&
        a.agreed === b.agreed &&
        a.keepsClaims === b.keepsClaims &&
        isSameWhy(a.why, b.why)
      );
    case "Release":
      return b.verb === a.verb && a.uid === b.uid && isSameWhy(a.why, b.why);
  }
}

function isSameApply(a: ApplyRow, b: ApplyRow): boolean {
  const { alternatives: mine = [] } = a;
  const { alternatives: theirs = [] } = b;
  if (a.hash !== b.hash || a.conflictResolution !== b.conflictResolution || mine.length !== theirs.length) return false;
  if (!sameValue(a.namespaceLabels, b.namespaceLabels) || !sameValue(a.unwritten, b.unwritten)) return false;
  if (!sameValue(a.hubOwned, b.hubOwned)) return false;
  return mine.every(({ hash }, index) => hash === theirs[index]?.hash);
}

function isSameWhy(a: Why, b: Why): boolean {
  return a.reason === b.reason && isSameMessage(a.message, b.message);
}
