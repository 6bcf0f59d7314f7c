import type { FieldChange, NearMiss } from "../../desiredstate/index.ts";
import { namesText, paint, refText, type Tone, within } from "../shared/index.ts";
import type {
  PlannedClusterReport,
  PlannedMemberObjectReport,
  PlannedObjectReport,
  PlanReport,
  UnplacedReport,
} from "./report.ts";

/** For people. Clusters with the same change share a line. */
export function planText({ summary, unplaced, objects }: PlanReport, color: boolean): string {
  const parts = [
    `${summary.text}\n`,
    ...unplaced.map((object) => unplacedText(object, color)),
    ...objects.map((object) => objectText(object, color)),
  ];
  return parts.join("\n");
}

function unplacedText({ kind, name, namespace, reason, message, nearly }: UnplacedReport, color: boolean): string {
  const title = `${kind.toLowerCase()}/${name}${within(namespace)} runs nowhere, ${reason}: ${message}`;
  return `${paint(title, "bad", color)}\n${nearMissesText(nearly)}`;
}

function nearMissesText(nearly: readonly NearMiss[]): string {
  return nearly
    .flatMap(({ policy, selector, because }) =>
      because.map((one) => `  ${refText(policy)} nearly selects it: ${one} (${selector})\n`),
    )
    .join("");
}

function objectText(object: PlannedObjectReport, color: boolean): string {
  const { kind, name, namespace, placement, placementBefore, scheduled, clusters } = object;
  const now = placementBefore === undefined ? "" : `, now by ${placementBefore === "" ? "no policy" : placementBefore}`;
  const by = `, placed by ${placement === "" ? "no policy" : placement}${now}`;
  const lines = [`${kind.toLowerCase()}/${name}${within(namespace)}${by}\n`];
  if (scheduled.status === "False") lines.push(`  ${scheduled.reason}: ${scheduled.message}\n`);
  const alike = Map.groupBy(clusters, (cluster) => JSON.stringify({ ...cluster, name: "" }));
  let stage: string | undefined;
  for (const group of inStages([...alike.values()], object.stages)) {
    const [first] = group;
    if (first === undefined) continue;
    if (first.stage !== stage && first.stage !== undefined) lines.push(`  stage ${first.stage}\n`);
    ({ stage } = first);
    lines.push(
      groupText(
        first,
        group.map((one) => one.name),
        color,
      ),
    );
  }
  return lines.join("");
}

/** Sorts by stage; clusters without a stage come last. */
function inStages(groups: readonly PlannedClusterReport[][], stages: readonly string[] = []): PlannedClusterReport[][] {
  const place = ([first]: PlannedClusterReport[]): number =>
    first?.stage === undefined ? stages.length : stages.indexOf(first.stage);
  return groups.toSorted((a, b) => place(a) - place(b));
}

const SIGNS: Record<
  PlannedClusterReport["change"] | PlannedMemberObjectReport["change"],
  { sign: string; tone: Tone }
> = {
  Created: { sign: "+", tone: "good" },
  Changed: { sign: "~", tone: "plain" },
  Moved: { sign: ">", tone: "plain" },
  Deleted: { sign: "-", tone: "bad" },
  Released: { sign: "-", tone: "bad" },
  Held: { sign: "!", tone: "bad" },
  Unchanged: { sign: " ", tone: "plain" },
};

function groupText(cluster: PlannedClusterReport, names: readonly string[], color: boolean): string {
  const { sign, tone } = SIGNS[cluster.change];
  const title = `${sign} ${titleOf(cluster, namesText(names))}`;
  const objects = cluster.objects.map((object) => memberObjectText(object, color));
  return `  ${paint(title, tone, color)}\n${objects.join("")}`;
}

function titleOf({ change, to, from, replicas, reason, message }: PlannedClusterReport, names: string): string {
  const why = reason === undefined ? "" : `, ${reason}: ${message ?? ""}`;
  const count = replicasText(replicas);
  if (to !== undefined) return `moved from ${names} to ${namesText(to)}${message === undefined ? "" : `: ${message}`}`;
  if (from !== undefined) return `moved to ${names} from ${namesText(from)}${count}`;
  switch (change) {
    case "Created":
      return `created on ${names}${count}`;
    case "Changed":
      return `changed on ${names}${count}`;
    case "Deleted":
      return `deleted on ${names}${why}`;
    default:
      return `held on ${names}${why}`;
  }
}

function replicasText(replicas: PlannedClusterReport["replicas"]): string {
  if (replicas === undefined) return "";
  const { before, after } = replicas;
  if (after === undefined) return "";
  const counted = `${after} ${after === 1 ? "replica" : "replicas"}`;
  return before === undefined ? `: ${counted}` : `: ${counted} instead of ${before}`;
}

function memberObjectText(object: PlannedMemberObjectReport, color: boolean): string {
  const { kind, name, change, fields = [], fieldsFrom, refused, reason, message } = object;
  const { sign, tone } = SIGNS[change];
  const released = change === "Released" ? ", left running without Meridian's marks" : "";
  const held =
    (change === "Held" || change === "Changed") && reason !== undefined ? `, ${reason}: ${message ?? ""}` : "";
  const lines = [`      ${paint(`${sign} ${kind} ${name}`, tone, color)}${released}${held}\n`];
  for (const field of fields) lines.push(`          ${fieldText(field)}\n`);
  if (fieldsFrom !== undefined && fields.length === 0) lines.push("          (only Meridian's own marks)\n");
  if (refused !== undefined)
    lines.push(
      `          ${paint(`the member would refuse it, ${refused.reason}: ${refused.message}`, "bad", color)}\n`,
    );
  return lines.join("");
}

function fieldText({ path, before, after, masked }: FieldChange): string {
  if (masked === true) return `${path}: changes (not shown)`;
  if (before === undefined) return `${path}: ${valueText(after)} (new)`;
  if (after === undefined) return `${path}: ${valueText(before)} (goes)`;
  return `${path}: ${valueText(before)} -> ${valueText(after)}`;
}

const LONGEST = 120;

/** On one line, as a person would write it. Long values are cut. */
export function valueText(value: unknown): string {
  const text = typeof value === "string" && isSimple(value) ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** True if the text cannot be taken for a number, a list or null. */
function isSimple(text: string): boolean {
  return /^[A-Za-z/][^\s"'{}[\],]*$/.test(text) && !["true", "false", "null"].includes(text);
}
