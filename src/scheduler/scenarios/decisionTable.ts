import type { Decision, Step } from "../types.ts";

/** Renders a decision as a table for people: each cluster with its verdict, then all steps, equal ones once. */
export function decisionTable(decision: Decision, now: number): string {
  const { group, clusters, verdicts, recheckAt, notes = [], returning } = decision;
  const replicas = new Map(clusters.map((cluster) => [cluster.name, cluster.replicas]));
  const rows = verdicts.map(({ cluster, fits, reason, message }) => [
    cluster,
    fits ? "yes" : "no",
    String(replicas.get(cluster) ?? ""),
    reason,
    message,
  ]);
  const lines = [...aligned([["CLUSTER", "CHOSEN", "REPLICAS", "REASON", "MESSAGE"], ...rows]), ""];
  if (group !== undefined) lines.push(`group: ${group}`);
  if (recheckAt !== undefined) lines.push(`decided anew after: ${seconds(recheckAt - now)}`);
  if (returning !== undefined) lines.push(`returns to: ${returning.group} after ${seconds(returning.at - now)}`);
  for (const note of notes) lines.push(`note: ${note}`);
  const remedies = verdicts.flatMap(({ cluster, steps }) =>
    steps.flatMap(({ remedy }) => (remedy === undefined ? [] : [`to run on ${cluster}: ${remedy}`])),
  );
  lines.push(...remedies, ...(lines.at(-1) === "" && remedies.length === 0 ? [] : [""]), "steps:");
  const alike = new Map<readonly Step[], string[]>();
  for (const { cluster, steps } of verdicts) {
    const same = [...alike.keys()].find((other) => JSON.stringify(other) === JSON.stringify(steps));
    if (same === undefined) alike.set(steps, [cluster]);
    else alike.get(same)?.push(cluster);
  }
  for (const [steps, names] of alike) {
    lines.push(`  ${names.join(", ")}`);
    const table = steps.map(({ stage, name, fits, reason, message, score }) => [
      `    ${stage}`,
      name,
      fits ? "yes" : "no",
      reason,
      score === undefined ? message : `${message} (${score})`,
    ]);
    lines.push(...aligned(table));
  }
  return `${lines.join("\n")}\n`;
}

const seconds = (ms: number): string => `${ms / 1000}s`;

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
