import { waitTexts } from "../../desiredstate/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { type Cell, type CommandContext, EXIT, formatColumns, structured } from "../shared/index.ts";
import {
  ago,
  causesOf,
  type ClusterReport,
  formatStatus,
  fullNameOf,
  nameOnCommandLine,
  type ObjectReport,
  sinceText,
  type StatusReport,
} from "../view/index.ts";
import { type EventReport, eventsOf, eventsText } from "./readEvents.ts";
import { withRows } from "./rows.ts";
import type { RowOptions } from "./verb.ts";

/**
 * `meridian describe`: one object or cluster in full. `-o json` and `-o yaml` print `{source, partial, causes,
 * objects, clusters, events}` as `status` and `events` do.
 */
export function describe(name: string, options: RowOptions, context: CommandContext): Promise<number> {
  return withRows(name, options, context, async ({ hub, report, source, partial }) => {
    const { terminal } = context;
    const events = await eventsOf(report, hub, context);
    const whole = { source, partial, causes: causesOf(report), ...report, events };
    terminal.out(
      structured(whole, options.output) ??
        describeText(report, events, { color: terminal.color, now: systemClock.now() }),
    );
    return EXIT.ok;
  });
}

interface Asked {
  color: boolean;
  now: number;
}

const MOST_EVENTS = 10;

function describeText(report: StatusReport, events: readonly EventReport[], asked: Asked): string {
  const { objects, clusters } = report;
  const heads = objects.length > 0 ? objects.map((one) => objectHead(one, asked)) : clusters.map(clusterHead);
  const newest = events.slice(-MOST_EVENTS);
  const conditions = objects.map((one) => conditionTable(one, asked)).filter((text) => text !== "");
  const parts = [
    ...heads,
    formatStatus(report, { ...asked, wide: false, entries: true }),
    ...conditions,
    ...(newest.length === 0 ? [] : [eventsText(newest, asked)]),
    objects.length > 0 ? objects.map(commandsOf).join("") : clusters.map(clusterCommands).join(""),
  ];
  return parts.join("\n");
}

type Line = readonly [name: string, text: string | undefined];

function linesText(lines: readonly Line[]): string {
  return lines.flatMap(([name, text = ""]) => (text === "" ? [] : [`${name.padEnd(14)}${text}\n`])).join("");
}

function objectHead(object: ObjectReport, { now }: Asked): string {
  const { kind, apiVersion, placement, createdAt, change, runs, since, message, waits = [] } = object;
  const changed = change?.at === undefined ? "" : `, written${sinceText(change.at, now).replace(" since", "")}`;
  const rollout = change?.rollout;
  return `${fullNameOf(object)}\n${linesText([
    ["Kind", `${kind} ${apiVersion}`],
    ["Created", ago(createdAt, now)],
    ["Placement", placement || "none"],
    ["Generation", change === undefined ? "" : `${change.generation}${changed}`],
    ["Rollout", rollout === undefined ? "" : [rollout.state, rollout.message ?? ""].filter(Boolean).join(": ")],
    ["Runs", runs?.message ?? runs?.summary],
    ...waitTexts(waits).map((text): Line => ["Waits", text]),
    ["Not well", since === "" ? "" : sinceText(since, now).trim()],
    ["Says", message],
  ])}`;
}

function clusterHead({ name, provider, region, zone, version, message, held }: ClusterReport): string {
  return `membercluster/${name}\n${linesText([
    ["Region", region],
    ["Zone", zone],
    ["Provider", provider],
    ["Version", version],
    ["Says", message],
    ["Held", held],
  ])}`;
}

function conditionTable({ conditions }: ObjectReport, { color, now }: Asked): string {
  if (conditions.length === 0) return "";
  type Condition = ObjectReport["conditions"][number];
  const columns: [string, (condition: Condition) => string | Cell][] = [
    ["CONDITION", ({ type }) => type],
    ["STATUS", ({ status }) => status],
    ["SINCE", ({ lastTransitionTime }) => ago(lastTransitionTime, now)],
    ["REASON", ({ reason }) => reason],
    ["MESSAGE", ({ message }) => message || "-"],
  ];
  return formatColumns(columns, conditions, color);
}

function commandsOf(object: ObjectReport): string {
  const name = nameOnCommandLine(object, { namespace: undefined });
  const stopped = object.change?.rollout === undefined ? "" : `Rollout       \`meridian rollout status ${name}\`\n`;
  return `Placed where  \`meridian why ${name}\`\n${stopped}`;
}

function clusterCommands({ name }: ClusterReport): string {
  return `Objects       \`meridian tree membercluster/${name}\`\n`;
}
