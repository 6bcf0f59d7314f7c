import { countText, exitOf, EXIT, type Finding, findingLines, paint, worstFirst } from "../shared/index.ts";

/** The answer for programs. New fields may be added; existing fields stay. */
export interface AnalysisReport {
  /** Number of objects in the files. */
  analyzed: number;
  /** In the order of the files; of one object the worst first. */
  findings: Finding[];
  notes: string[];
}

/** The findings below their objects. Pure. */
export function analysisText({ analyzed, findings }: AnalysisReport, color: boolean): string {
  const groups = Map.groupBy(findings, ({ where }) => where);
  const parts = Array.from(groups, ([where, of]) => {
    const lines = worstFirst(of).map((finding) => findingLines(finding, color));
    return `${where}\n${lines.join("")}\n`;
  });
  const objects = analyzed === 1 ? "1 object" : `${analyzed} objects`;
  const tone = exitOf(findings) === EXIT.ok ? "good" : "bad";
  return `${parts.join("")}${paint(`${objects}: ${countText(findings)}`, tone, color)}\n`;
}
