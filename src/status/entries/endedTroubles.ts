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
  readonly #objects = new Map<string, Map<string, ListedTrouble>>();
  #size = 0;

  constructor(bounds: TroubleBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an ended trouble and returns its entry in the list. Searches other troubles only beyond a bound. */
  add(ended: EndedTrouble): ListedTrouble {
    const object = objectKey(ended);
    const troubles = this.#objects.get(object) ?? new Map<string, ListedTrouble>();
    this.#objects.set(object, troubles);
    const key = troubleKey(ended);
    const known = troubles.get(key);
    const last = known === undefined || byEnd(known, ended) > 0 ? ended : known;
    const listed = { ...last, times: 1 + (known?.times ?? 0) };
    troubles.set(key, listed);
    if (known === undefined) this.#size += 1;
    if (troubles.size > this.#bounds.perObject) this.#dropOldest([...troubles.values()]);
    if (this.#size > this.#bounds.whole) this.#dropOldest(this.#all());
    return listed;
  }

  /** The newest first; for one object or for all. */
  list(object?: EndedTrouble["object"]): ListedTrouble[] {
    if (object === undefined) return this.#all().toSorted(byEnd);
    return [...(this.#objects.get(objectKey({ object }))?.values() ?? [])].toSorted(byEnd);
  }

  #all(): ListedTrouble[] {
    return [...this.#objects.values()].flatMap((troubles) => [...troubles.values()]);
  }

  #dropOldest(troubles: readonly ListedTrouble[]): void {
    const oldest = troubles.reduce((one, other) => (byEnd(other, one) > 0 ? other : one));
    const object = objectKey(oldest);
    const ofObject = this.#objects.get(object);
    ofObject?.delete(troubleKey(oldest));
    if (ofObject?.size === 0) this.#objects.delete(object);
    this.#size -= 1;
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
  return compare(b.until, a.until) || compare(b.since ?? "", a.since ?? "") || compare(textOf(a), textOf(b));
}

function textOf(trouble: EndedTrouble): string {
  return `${objectKey(trouble)} ${troubleKey(trouble)} ${trouble.message}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function objectKey({ object }: Pick<EndedTrouble, "object">): string {
  return `${refKey(object)} ${object.uid ?? ""}`;
}

function troubleKey({ cluster = "", reason, ending }: EndedTrouble): string {
  return `${cluster} ${ending} ${reason}`;
}
