import { formatTable, paint, type Tone } from "./terminal.ts";
import { EXIT, onOneLine } from "./outcome.ts";

/** What `check` and `analyze` find. Pure. */

/** Info: worth knowing, and nothing to mend. */
export type Severity = "Error" | "Warning" | "Info";

export interface Finding {
  /** CamelCase word for programs. */
  code: string;
  severity: Severity;
  /** `hub`, `cluster NAME`, or the object of a file. */
  where: string;
  what: string;
  /** A whole instruction without its full stop. */
  remedy: string;
}

const ORDER: readonly Severity[] = ["Error", "Warning", "Info"];
const TONES: Readonly<Record<Severity, Tone>> = { Error: "bad", Warning: "bad", Info: "plain" };

/** The worst first; findings of one severity keep their order. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

/** True for a finding that a person should act on. */
function isTrouble({ severity }: Pick<Finding, "severity">): boolean {
  return severity !== "Info";
}

export function exitOf(findings: readonly Finding[]): number {
  return findings.some(isTrouble) ? EXIT.found : EXIT.ok;
}

/** `2 errors, 1 warning`; `nothing found` without findings. */
export function countText(findings: readonly Finding[]): string {
  const words = { Error: ["error", "errors"], Warning: ["warning", "warnings"], Info: ["note", "notes"] } as const;
  const parts = ORDER.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${words[severity][count === 1 ? 0 : 1]}`];
  });
  return parts.length === 0 ? "nothing found" : parts.join(", ");
}

/** Two lines for each finding: what was found, and what to do. */
export function findingLines({ code, severity, what, remedy }: Finding, color: boolean): string {
  return `    ${paint(severity, TONES[severity], color)} ${code}: ${onOneLine(what)}\n      remedy: ${onOneLine(remedy)}\n`;
}

/** Lines of a table without a header. */
export function tableLines(rows: Parameters<typeof formatTable>[1], color: boolean): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  // An empty header takes no width.
  return formatTable(
    first.map(() => ""),
    rows,
    color,
  )
    .split("\n")
    .slice(1, -1);
}
