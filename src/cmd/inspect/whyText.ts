import { isUnderWay, shortMessage } from "../../apis/index.ts";
import { type ExplainedCluster, type Explanation, waitTexts } from "../../desiredstate/index.ts";
import { shapeOf } from "../../query/index.ts";
import { type Cell, formatColumns, namesText, paint, refText, within } from "../shared/index.ts";

/** The placement of an object on one screen. Pure. */

export interface WhyTextOptions {
  cluster: string | undefined;
  color: boolean;
  /** About the health of a copy; empty: nothing to do. */
  nextStep: (cluster: ExplainedCluster) => string;
}

export function whyText(explanation: Explanation, options: WhyTextOptions): string {
  const { cluster } = options;
  const { object, clusters } = explanation;
  const title = `${object.kind.toLowerCase()}/${object.name}${within(object.namespace)}`;
  const [one] = clusters;
  const body =
    cluster === undefined || one === undefined
      ? everywhere(explanation, options)
      : onCluster(explanation, one, options);
  return `${title}${cluster === undefined ? "" : ` on cluster ${cluster}`}\n${body}`;
}

type Line = [name: string, text: string];

function linesText(lines: readonly Line[]): string {
  return lines.map(([name, text]) => `${name.padEnd(14)}${text}\n`).join("");
}

function onCluster(explanation: Explanation, cluster: ExplainedCluster, { color, nextStep }: WhyTextOptions): string {
  const { chosen, reason, message, state, health, replicas, stage, remedies, frozen, problem } = cluster;
  const answer = paint(chosen ? "yes" : "no", chosen ? "good" : "bad", color);
  const lines: Line[] = [...deletion(explanation), ["Placed there", `${answer}, ${saying(reason, message)}`]];
  lines.push(policy(explanation));
  if (replicas !== undefined) lines.push(["Replicas", String(replicas)]);
  if (stage !== undefined) lines.push(["Stage", stage]);
  lines.push(...waits(explanation, cluster.name));
  lines.push(["Now", nowText(state, health)]);
  for (const held of [frozen, problem]) if (held !== undefined) lines.push(["Held", saying(held.reason, held.message)]);
  const step = nextStep(cluster);
  const isWell = health?.reason === undefined || isUnderWay(health.reason);
  if (!isWell && step !== "") lines.push(["Next", step]);
  for (const remedy of remedies) lines.push(["To run there", remedy]);
  lines.push(["More", `\`meridian explain ${commandName(explanation)} --cluster ${cluster.name}\` shows every step`]);
  return linesText(lines);
}

function commandName({ object: { kind, name, namespace } }: Explanation): string {
  const called = kind === "DemoApplication" ? name : `${kind.toLowerCase()}/${name}`;
  return namespace === undefined ? called : `${called} -n ${namespace}`;
}

function nowText(state: ExplainedCluster["state"], health: ExplainedCluster["health"]): string {
  if (state === undefined) return "nothing runs there";
  return health?.reason === undefined ? state : `${state}, ${saying(health.reason, health.message ?? "")}`;
}

function saying(reason: string, message: string): string {
  return message === "" ? reason : `${reason}: ${shortMessage(message, LONGEST)}`;
}

const LONGEST = 240;
const MOST_GROUPS = 12;
const NAMED = 4;

function everywhere(explanation: Explanation, { color }: WhyTextOptions): string {
  const { scheduled, clusters, nearly = [] } = explanation;
  const chosen = clusters.filter((cluster) => cluster.chosen).length;
  const isPlaced = scheduled.status === "True";
  const answer = paint(isPlaced ? "yes" : "no", isPlaced ? "good" : "bad", color);
  const count = isPlaced ? `, on ${chosen} of ${clusters.length} clusters` : "";
  const lines: Line[] = [
    ...deletion(explanation),
    ["Placed", `${answer}${count}, ${saying(scheduled.reason, scheduled.message)}`],
    policy(explanation),
    ...waits(explanation),
  ];
  for (const { policy: near, selector, because } of nearly.slice(0, NAMED))
    lines.push(["Nearly", `${refText(near)} (${selector}): ${because.join("; ")}`]);
  const groups = groupsOf(clusters);
  if (groups.length === 0) return linesText(lines);
  const columns: [string, (group: Group) => string | Cell][] = [
    ["PLACED", ({ first }) => ({ text: first.chosen ? "yes" : "no", tone: first.chosen ? "good" : "plain" })],
    ["CLUSTERS", ({ names }) => namesText(names, NAMED)],
    ["WHY", ({ first }) => saying(first.reason, first.message)],
    ["TO RUN THERE", ({ first }) => first.remedies.join("; ") || "-"],
  ];
  const more = groups.length - MOST_GROUPS;
  const rest = more > 0 ? `and ${more} more: \`meridian explain ${commandName(explanation)}\` shows all\n` : "";
  return `${linesText(lines)}\n${formatColumns(columns, groups.slice(0, MOST_GROUPS), color)}${rest}`;
}

interface Group {
  first: ExplainedCluster;
  names: string[];
}

/** Clusters with the same answer are one line; the chosen first, then the largest group. */
function groupsOf(clusters: readonly ExplainedCluster[]): Group[] {
  const key = ({ chosen, reason, message, remedies, name, region = "" }: ExplainedCluster): string =>
    [chosen, reason, ...[message, ...remedies].map((text) => shapeOf(text, [name, region]))].join("\n");
  return [...Map.groupBy(clusters, key).values()]
    .flatMap((group): Group[] => {
      const [first] = group;
      return first === undefined ? [] : [{ first, names: group.map(({ name }) => name) }];
    })
    .toSorted((a, b) => Number(b.first.chosen) - Number(a.first.chosen) || b.names.length - a.names.length);
}

function deletion({ deletion: going }: Explanation): Line[] {
  return going === undefined ? [] : [["Deleted", `since ${going.since}, ${going.message}`]];
}

/** On one cluster, the waits for this cluster and for the object as a whole. */
function waits({ waits: open = [] }: Explanation, cluster?: string): Line[] {
  const shown = open.filter(({ for: reason, of }) => cluster === undefined || reason !== "contact" || of === cluster);
  return waitTexts(shown).map((text): Line => ["Waits", text]);
}

function policy({ placement }: Explanation): Line {
  return ["Decided by", placement === undefined ? "no policy" : refText(placement)];
}
