import { type AppliedRule, type ExplainedCluster, type Explanation, waitTexts } from "../../desiredstate/index.ts";
import { type Cell, formatColumns, formatTable, refText, within } from "../shared/index.ts";
import { runningThereText } from "../../status/index.ts";
import { valueText } from "../plan/index.ts";

export interface ExplanationTextOptions {
  wide: boolean;
  color: boolean;
  cluster?: string | undefined;
}

export function explanationText(explanation: Explanation, { wide, color, cluster }: ExplanationTextOptions): string {
  const { deletion, clusters } = explanation;
  // An object that is being deleted is chosen for no cluster. Only the clusters that still have copies matter.
  const left = clusters.filter(({ state }) => state !== undefined);
  const all = deletion === undefined ? clusters : left.map((one) => ({ ...one, chosen: false, remedies: [] }));
  const chosen = cluster === undefined ? all : all.filter(({ name }) => name === cluster);
  const parts = [header(explanation), clustersTable(chosen, color)];
  const detailed = wide || cluster !== undefined;
  for (const one of detailed ? chosen : []) parts.push(detailsOf(one, color));
  if (!detailed) parts.push(remediesText(chosen));
  return parts.filter((part) => part !== "").join("\n");
}

function header({ object, deletion, placement, passedOver, scheduled, group, ...rest }: Explanation): string {
  const { nearly = [], division, notes, overrides, returning, stages, stageProblems = [], failover } = rest;
  const lines: [string, string][] = [];
  if (deletion !== undefined) lines.push(["Deleted", `since ${deletion.since}, ${deletion.message}`]);
  lines.push(["Scheduled", `${scheduled.status === "True" ? "yes" : "no"}, ${scheduled.reason}: ${scheduled.message}`]);
  const inGroup = group === undefined ? "" : `, group ${group}`;
  const by = placement === undefined ? "no policy" : `${refText(placement)}, priority ${placement.priority}${inGroup}`;
  lines.push(["Placed by", by]);
  for (const { policy, because } of passedOver) lines.push(["Passed over", `${refText(policy)}, since ${because}`]);
  if (rest.runs !== undefined) lines.push(["Runs", rest.runs]);
  for (const { policy, selector, because } of nearly)
    lines.push(["Nearly", `${refText(policy)} (${selector}): ${because.join("; ")}`]);
  if (division !== undefined) {
    const { mode, strategy, asked, given } = division;
    const how = strategy === undefined ? mode : `${mode}, ${strategy}`;
    lines.push(["Replicas", `${how}: ${asked === undefined ? "" : `${asked} asked for, `}${given} in all`]);
  }
  for (const [i, { policy, applies, because }] of overrides.entries())
    lines.push([
      "Override",
      `${i + 1}. ${refText(policy)}${applies || because === undefined ? "" : `: no effect, ${because}`}`,
    ]);
  if (failover !== undefined && failover.message !== "")
    lines.push(["Failover", `${failover.reason}: ${failover.message}`]);
  for (const text of waitTexts(rest.waits ?? [])) lines.push(["Waits", text]);
  if (returning !== undefined) lines.push(["Returns", `to group ${returning.group} at ${returning.at}`]);
  if (stages !== undefined) lines.push(["Stages", stages.join(", ")]);
  for (const note of [...notes, ...stageProblems]) lines.push(["Note", note]);
  const rows = lines.map(([name, text]) => `${name.padEnd(13)}${text}\n`);
  return `${object.kind.toLowerCase()}/${object.name}${within(object.namespace)}\n${rows.join("")}`;
}

function clustersTable(clusters: readonly ExplainedCluster[], color: boolean): string {
  if (clusters.length === 0) return "";
  const columns: [string, (cluster: ExplainedCluster) => string | Cell][] = [
    ["CLUSTER", ({ name }) => name],
    ["REGION", ({ region }) => region ?? "-"],
    ["CHOSEN", ({ chosen }) => ({ text: chosen ? "yes" : "no", tone: chosen ? "good" : "bad" })],
    ["REPLICAS", ({ replicas }) => textOrDash(replicas)],
    ["SCORE", ({ scores }) => (scores === undefined ? "-" : Object.values(scores).join(", "))],
    ["STAGE", ({ stage }) => stage ?? "-"],
    ["REASON", ({ reason }) => reason],
    ["MESSAGE", ({ message }) => message],
    ["NOW", ({ state }) => state ?? "-"],
    ["RUNS", ({ runs }) => (runs === undefined ? "-" : runningThereText(runs))],
    ["HEALTH", healthText],
  ];
  const shown = columns.filter(
    ([name, cell]) =>
      !["REPLICAS", "SCORE", "STAGE", "NOW", "RUNS", "HEALTH"].includes(name) ||
      clusters.some((one) => cell(one) !== "-"),
  );
  return formatColumns(shown, clusters, color);
}

/** The object's health on the cluster, with the cause. The reason for choosing the cluster is not part of it. */
function healthText({ problem, frozen, health }: ExplainedCluster): string {
  const { reason = "", message = "" } = problem ?? frozen ?? health ?? {};
  if (reason === "") return "-";
  const since = health?.reason === reason && health.since !== undefined ? ` (since ${health.since})` : "";
  return `${reason}${message === "" ? "" : `: ${message}`}${since}`;
}

function detailsOf(cluster: ExplainedCluster, color: boolean): string {
  const parts = [`${cluster.name}\n`];
  if (cluster.steps.length > 0) {
    const rows = cluster.steps.map(({ stage, name, fits, score, reason, message }): (string | Cell)[] => [
      `  ${stage}`,
      name,
      { text: fits ? "yes" : "no", tone: fits ? "good" : "bad" },
      textOrDash(score),
      reason,
      message,
    ]);
    parts.push(formatTable(["  STAGE", "STEP", "ANSWER", "SCORE", "REASON", "MESSAGE"], rows, color));
  }
  for (const rule of cluster.overrides) parts.push(overrideText(rule));
  for (const remedy of cluster.remedies) parts.push(`  To run there: ${remedy}\n`);
  return parts.join("");
}

function overrideText({ policy, rule, fields, problem }: AppliedRule): string {
  const title = `  ${refText(policy)}, rule ${rule}`;
  if (problem !== undefined) return `${title}: cannot be applied: ${problem}\n`;
  if (fields.length === 0) return `${title}: changes nothing\n`;
  const lines = fields.map(({ kind, path, value, masked, overriddenBy }) => {
    const what = `${kind === undefined ? "" : `${kind} `}${path}`;
    const later = overriddenBy === undefined ? "" : `, and ${refText(overriddenBy)} has the last word`;
    return `    ${what}: ${masked === true ? "(not shown)" : value === undefined ? "removed" : valueText(value)}${later}\n`;
  });
  return `${title}:\n${lines.join("")}`;
}

const MOST_REMEDIES = 10;

function remediesText(clusters: readonly ExplainedCluster[]): string {
  const lines = clusters.flatMap(({ name, remedies }) => remedies.map((remedy) => `  ${name}: ${remedy}\n`));
  if (lines.length === 0) return "";
  const more =
    lines.length > MOST_REMEDIES
      ? `  and ${lines.length - MOST_REMEDIES} more: --cluster NAME shows those of one cluster\n`
      : "";
  return `For it to run elsewhere too:\n${lines.slice(0, MOST_REMEDIES).join("")}${more}`;
}

function textOrDash(value: number | undefined): string {
  return value === undefined ? "-" : String(value);
}
