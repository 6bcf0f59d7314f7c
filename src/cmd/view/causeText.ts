import { ageText, shortMessage } from "../../apis/index.ts";
import { paint } from "../shared/index.ts";
import type { CauseReport, Standing } from "./statusCauses.ts";
import { fullNameOf } from "./statusView.ts";

/** Causes as sentences for a person. Pure. */

interface Asked {
  color: boolean;
  /** Epoch milliseconds. */
  now: number;
  /** Every cause, with its whole message. */
  wide: boolean;
}

const TITLES: Readonly<Record<Standing, string>> = {
  Trouble: "TROUBLE",
  WaitsForPerson: "WAITS FOR A PERSON",
  Waits: "WAITS",
};
const ORDER: readonly Standing[] = ["Trouble", "WaitsForPerson", "Waits"];
const MOST_CAUSES = 10;
const NAMED = 3;

/** A part for each standing: trouble, what waits for a person, what waits for something else. */
export function causeParts(causes: readonly CauseReport[], asked: Asked): string[] {
  return ORDER.flatMap((standing) => {
    const own = causes.filter((cause) => cause.standing === standing);
    if (own.length === 0) return [];
    const most = asked.wide ? own.length : MOST_CAUSES;
    const more = own.length - most;
    const rest = more > 0 ? [`and ${more} more: \`meridian status -o wide\` shows them`] : [];
    const lines = [TITLES[standing], ...own.slice(0, most).flatMap((cause) => linesOf(cause, asked)), ...rest];
    return [`${lines.join("\n")}\n`];
  });
}

function linesOf(cause: CauseReport, { color, now, wide }: Asked): string[] {
  const { reason, standing, message, nextStep } = cause;
  const title = paint(reason, standing === "Trouble" ? "bad" : "plain", color);
  const where = cause.objects.length > 1 || cause.clusters.length > 1 ? placesOf(cause) : "";
  const says = wide ? message : shortMessage(message);
  const detail = [where, says].filter((text) => text !== "").join(": ");
  return [
    `${title}: ${extentOf(cause)}${sinceText(cause.since, now)}${afterText(cause)}`,
    ...(detail === "" ? [] : [`  ${detail}`]),
    ...(nextStep === "" ? [] : [`  next: ${nextStep}`]),
  ];
}

/** `14 objects in 2 clusters`; a single object or cluster is named. */
function extentOf({ objects, clusters }: CauseReport): string {
  const [object] = objects;
  const [cluster = ""] = clusters;
  const places = clusters.length === 1 ? cluster : `${clusters.length} clusters`;
  if (object === undefined) return clusters.length === 1 ? `cluster ${cluster}` : places;
  const what = objects.length === 1 ? fullNameOf(object) : `${objects.length} objects`;
  return clusters.length === 0 ? what : `${what} in ${places}`;
}

function placesOf({ objects, clusters }: CauseReport): string {
  const what = namesOf(objects.map(fullNameOf));
  const where = namesOf(clusters);
  return what === "" || where === "" ? what || where : `${what} in ${where}`;
}

export function namesOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return names.slice(0, NAMED).join(", ") + more;
}

const DAY_MS = 86_400_000;

/** ` since 14:02 UTC (12m)`; with the date if that is longer than a day ago. */
export function sinceText(since: string, now: number): string {
  const at = Date.parse(since);
  if (Number.isNaN(at)) return "";
  const [date, time = ""] = new Date(at).toISOString().split("T");
  const day = now - at > DAY_MS ? `${date} ` : "";
  return ` since ${day}${time.slice(0, 5)} UTC (${ageText(now - at)})`;
}

function afterText({ change }: CauseReport): string {
  return change === undefined ? "" : `, after generation ${change.generation} of ${fullNameOf(change.object)}`;
}
