import { ageText, lastedText, type ObjectRef, refKey } from "../../apis/index.ts";

/** Ended troubles: a bounded list with the number of ends of each, and the notes of the Events about them. Pure. */

export type Ending =
  | "Healthy"
  | "Left"
  /** A problem of the whole object, or of a cluster that stayed in contact, is over. */
  | "Over"
  | "Contact"
  | "Deleted";

export interface EndedTrouble {
  /** The hub object or the MemberCluster. The UID distinguishes recreated objects of the same name. */
  object: ObjectRef & { uid?: string };
  /** Undefined for a trouble of the object as a whole. */
  cluster?: string;
  /** The last CamelCase code of the trouble. */
  reason: string;
  /** RFC 3339; undefined if unknown. */
  since?: string;
  /** RFC 3339. */
  until: string;
  message: string;
  ending: Ending;
}

export interface ListedTrouble extends EndedTrouble {
  /** Number of ends since the trouble entered the list. The times in the entry are from the last one. */
  times: number;
}

export interface TroubleBounds {
  perObject: number;
  whole: number;
}

const BOUNDS: TroubleBounds = { perObject: 64, whole: 1_024 };

/** The latest ended troubles, each listed once with its last times, bounded per object and in total. */
export class EndedTroubles {
  readonly #bounds: TroubleBounds;
  readonly #troubles = new Map<string, ListedTrouble>();

  constructor(bounds: TroubleBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#troubles.size;
  }

  /** Adds an ended trouble and returns its entry in the list. */
  add(ended: EndedTrouble): ListedTrouble {
    const key = keyOf(ended);
    const known = this.#troubles.get(key);
    const last = known === undefined || byEnd(known, ended) > 0 ? ended : known;
    const listed = { ...last, times: 1 + (known?.times ?? 0) };
    this.#troubles.set(key, listed);
    if (known !== undefined) return listed;
    const object = objectKey(ended);
    this.#bound(this.#bounds.perObject, (other) => other.startsWith(object));
    this.#bound(this.#bounds.whole, () => true);
    return listed;
  }

  /** The newest first; for one object or for all. */
  list(object?: EndedTrouble["object"]): ListedTrouble[] {
    const start = object === undefined ? "" : objectKey({ object });
    return [...this.#troubles].flatMap(([key, one]) => (key.startsWith(start) ? [one] : [])).toSorted(byEnd);
  }

  /** Drops the oldest of these troubles if there are more than `most`. */
  #bound(most: number, isMeant: (key: string) => boolean): void {
    let [count, last]: [number, ListedTrouble | undefined] = [0, undefined];
    for (const [key, one] of this.#troubles) {
      if (!isMeant(key)) continue;
      count += 1;
      if (last === undefined || byEnd(one, last) > 0) last = one;
    }
    if (count > most && last !== undefined) this.#troubles.delete(keyOf(last));
  }
}

/** Notes for the Events about these troubles: one per way of ending and cause. */
export function endedNotes(troubles: readonly ListedTrouble[]): { note: string; troubles: ListedTrouble[] }[] {
  return [...Map.groupBy(troubles, ({ ending, reason }) => `${ending} ${reason}`).values()].map((group) => ({
    note: noteOf(group),
    troubles: group,
  }));
}

/** Number of clusters that fit into an Event. The times in the note are those of the longest trouble. */
const MOST_NAMED = 20;

function noteOf(group: readonly ListedTrouble[]): string {
  const [longest] = group.toSorted((a, b) => lastedMs(b) - lastedMs(a));
  if (longest === undefined) return "";
  const { ending, reason, message, since, until } = longest;
  const lasted = lastedText(since, until);
  const what = reason + lasted + timesText(group);
  const said = message === "" || message === reason ? "" : `, ${message}`;
  switch (ending) {
    case "Healthy":
      return `healthy again on ${namesOf(group)} (${what}${said})`;
    case "Left":
      return `no longer on ${namesOf(group)} (${what}${said})`;
    case "Over":
      return `over: ${what}${said}`;
    case "Contact":
      return `contact regained${lasted.replace(" for ", " after ")}${timesText(group)}: ${reason}${said}`;
    case "Deleted":
      return `gone from every cluster ${ageText(lastedMs(longest))} after it was deleted; it said: ${message}`;
  }
}

function namesOf(group: readonly ListedTrouble[]): string {
  const names = [...new Set(group.map(({ cluster = "" }) => cluster))].toSorted();
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return names.slice(0, MOST_NAMED).join(", ") + more;
}

function timesText(group: readonly ListedTrouble[]): string {
  const times = Math.max(...group.map((trouble) => trouble.times));
  return times > 1 ? `, ${times} times` : "";
}

function lastedMs({ since, until }: Pick<EndedTrouble, "since" | "until">): number {
  const ms = Date.parse(until) - Date.parse(since ?? "");
  return Number.isNaN(ms) ? -1 : ms;
}

/** The newest first. Troubles with the same end have a fixed order, whichever was added first. */
function byEnd(a: EndedTrouble, b: EndedTrouble): number {
  return (
    compare(b.until, a.until) ||
    compare(b.since ?? "", a.since ?? "") ||
    compare(`${keyOf(a)} ${a.message}`, `${keyOf(b)} ${b.message}`)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function keyOf({ cluster = "", reason, ending, ...trouble }: EndedTrouble): string {
  return `${objectKey(trouble)}${cluster} ${ending} ${reason}`;
}

/** The start of the keys of the object's troubles. */
function objectKey({ object }: Pick<EndedTrouble, "object">): string {
  return `${refKey(object)} ${object.uid ?? ""} `;
}
