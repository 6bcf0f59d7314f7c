import { IMPACTS, REASON_GROUPS } from "../reasons/index.ts";
import { markdownTable, withBlocks } from "./generatedBlock.ts";
import { CONDITIONS, type ConditionWords, STATES } from "./statusWords.ts";

/** Throws when the page lacks the markers of a table. */
export function withStatusTables(page: string): string {
  return withBlocks(page, {
    conditions: conditionsTable(),
    states: statesTable(),
    impacts: impactsTable(),
    reasons: reasonsTable(),
  });
}

function impactsTable(): string {
  const rows = IMPACTS.map(({ title, reasons }) => [title, reasons.join(", ")]);
  return markdownTable(["worst first", "reasons"], rows);
}

function conditionsTable(): string {
  const rows = CONDITIONS.map((words, index) => [
    words.on === CONDITIONS[index - 1]?.on ? "" : words.on,
    `\`${words.type}\``,
    words.holds,
    words.whenTrue.join(", "),
    otherwise(words),
  ]);
  return markdownTable(["on", "condition", "True when", "reasons then", "reasons otherwise"], rows);
}

function otherwise({ otherwise: reasons, also }: ConditionWords): string {
  return [...reasons, ...(also === undefined ? [] : [also])].join(", ");
}

function statesTable(): string {
  const rows = Object.entries(STATES).map(([state, { means, reasons }]) => [`\`${state}\``, means, reasons.join(", ")]);
  return markdownTable(["state", "means", "reasons one may see"], rows);
}

function reasonsTable(): string {
  const rows = REASON_GROUPS.flatMap(({ title, reasons }) =>
    Object.entries(reasons).map(([reason, sentence], index) => [index === 0 ? title : "", `\`${reason}\``, sentence]),
  );
  return markdownTable(["about", "reason", "says"], rows);
}
