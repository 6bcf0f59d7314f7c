import { REASON_GROUPS } from "./reasons.ts";

const BEGIN = "<!-- reasons: written by `npm run generate` -->";
const END = "<!-- end of reasons -->";

/** The README with the present list of reasons between its two markers; undefined when it does not have both, once each. */
export function withReasons(readme: string): string | undefined {
  const [before, middle, ...more] = readme.split(BEGIN);
  const [, after, ...others] = middle?.split(END) ?? [];
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0) return undefined;
  return `${before}${BEGIN}\n\n${reasonsTable()}\n\n${END}${after}`;
}

/** Markdown as the formatter writes it: columns as wide as their widest cell. */
function reasonsTable(): string {
  const rows = REASON_GROUPS.flatMap(({ title, reasons }) =>
    Object.entries(reasons).map(([reason, sentence], index) => [index === 0 ? title : "", `\`${reason}\``, sentence]),
  );
  const heading = ["about", "reason", "says"];
  const widths = heading.map((_, column) => Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], fill = " ") =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width, fill)).join(" | ")} |`;
  return [line(heading), line([], "-"), ...rows.map((row) => line(row))].join("\n");
}
