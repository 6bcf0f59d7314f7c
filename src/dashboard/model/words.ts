import type { CauseRow, FleetClusterRow } from "../../query/types.ts";
import { shortName } from "./names.ts";

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** Two units at most: `3h 12m`. Empty for a time that is none. */
export function ageText(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? "");
  if (Number.isNaN(at)) return "";
  let left = Math.max(0, now - at);
  const parts: string[] = [];
  for (const [unit, ms] of UNITS) {
    const count = Math.floor(left / ms);
    left -= count * ms;
    if (count > 0) parts.push(`${count}${unit}`);
    // 3d 0h 5m is 3d.
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0s" : parts.join(" ");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `14 objects in 2 clusters`; `14 objects, on no cluster` if the objects as a whole are in trouble. */
export function extentOf({ objects, clusters }: CauseRow): string {
  if (clusters.length === 0) return `${counted(objects, "object")}, on no cluster`;
  return `${counted(objects, "object")} in ${counted(clusters.length, "cluster")}`;
}

/** `after generation 7 of shop/web`. Undefined: the change behind it is not known. */
export function changeText({ change }: CauseRow): string | undefined {
  return change === undefined ? undefined : `after generation ${change.generation} of ${shortName(change.object)}`;
}

/** `answers`, or since when it does not. */
export function contactText({ state, lastContact }: FleetClusterRow, now: number): string {
  if (lastContact !== undefined) return `last contact ${ageText(lastContact, now)} ago`;
  return state === "Pending" ? "no contact yet" : "answers";
}

/** Up to `most` names, and how many more there are. */
export function namesText(names: readonly string[], most = 4): string {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

/** The address without the punctuation of the sentence around it. */
function withoutEnd(address: string): string {
  let end = address.length;
  while (end > 0 && ".,;:!?)]".includes(address[end - 1] ?? "")) end -= 1;
  return address.slice(0, end);
}

export type TextPart = { text: string; href?: string };

const ADDRESS = /https?:\/\/[^\s<>"'`]+/g;

/** A message of a cluster with its http and https addresses as links. Whatever else looks like an address stays text. */
export function linked(message: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const found of message.matchAll(ADDRESS)) {
    const text = withoutEnd(found[0]);
    const href = safeHref(text);
    if (href === undefined) continue;
    if (found.index > end) parts.push({ text: message.slice(end, found.index) });
    parts.push({ text, href });
    end = found.index + text.length;
  }
  if (end < message.length) parts.push({ text: message.slice(end) });
  return parts;
}

/** The address if it is one of http or https. */
export function safeHref(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}
