import { countText, type Finding, findingLines, paint, tableLines, worstFirst } from "../shared/index.ts";
import type { CheckResult } from "./result.ts";

const MARKS = {
  Fine: { text: "ok", tone: "good" },
  Found: { text: "found", tone: "bad" },
  NotChecked: { text: "skipped", tone: "plain" },
} as const;

/** A line for each check, with the findings and their remedies below. Pure. */
export function checkText(results: readonly CheckResult[], color: boolean): string {
  const rows = results.map(({ check, where, result, what }) => [MARKS[result], where, check, what]);
  const lines = tableLines(rows, color);
  const parts = results.map(({ findings }, index) => {
    const found = worstFirst(findings).map((finding) => findingLines(finding, color));
    return `${lines[index]}\n${found.join("")}`;
  });
  return `${parts.join("")}\n${summaryText(results, color)}\n`;
}

function summaryText(results: readonly CheckResult[], color: boolean): string {
  const findings = results.flatMap((one) => one.findings);
  const skipped = results.filter(({ result }) => result === "NotChecked").length;
  const more = skipped === 0 ? "" : `; ${skipped} not checked`;
  const isFine = results.every(({ result }) => result === "Fine");
  return paint(
    `${results.length} ${results.length === 1 ? "check" : "checks"}: ${countText(findings)}${more}`,
    isFine ? "good" : "bad",
    color,
  );
}

/** The answer for programs. New fields may be added; existing fields stay. */
export interface CheckReport {
  checks: Omit<CheckResult, "findings">[];
  /** The worst first. */
  findings: Finding[];
}

export function checkReport(results: readonly CheckResult[]): CheckReport {
  return {
    checks: results.map(({ check, where, result, what }) => ({ check, where, result, what })),
    findings: worstFirst(results.flatMap(({ findings }) => findings)),
  };
}
