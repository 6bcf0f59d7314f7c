const begin = (name: string): string => `<!-- ${name}: written by \`npm run generate\` -->`;
const end = (name: string): string => `<!-- end of ${name} -->`;

/** Undefined unless the page has both markers of that name, once each and in this order. */
export function withBlock(page: string, name: string, text: string): string | undefined {
  const [before, middle, ...more] = page.split(begin(name));
  const [, after, ...others] = middle?.split(end(name)) ?? [];
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0) return undefined;
  return `${before}${begin(name)}\n\n${text}\n\n${end(name)}${after}`;
}

/** Throws for a block without markers in the page. */
export function withBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((written, [name, text]) => {
    const next = withBlock(written, name, text);
    if (next === undefined) throw new Error(`the page has lost the markers around its ${name}: ${begin(name)}`);
    return next;
  }, page);
}

/** Columns are as wide as their widest cell. A bar inside a cell is escaped. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heading, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[], fill = " "): string =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width, fill)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), line([], "-"), ...body.map((row) => line(row))].join("\n");
}
