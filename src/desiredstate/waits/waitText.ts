import { defined, namesText, timestamp } from "../../apis/index.ts";
import type { ShownWait } from "./hubWaits.ts";
import type { WaitReason } from "./types.ts";

/** A wait as readers get it. Times are RFC 3339. */
export interface WaitFields {
  for: WaitReason;
  of?: string;
  since?: string;
  until?: string;
}

export interface SaidWait extends WaitFields {
  /** The whole wait in words, to follow "waits". */
  message: string;
}

export function saidWait(wait: ShownWait): SaidWait {
  const fields = fieldsOf(wait);
  return { ...fields, message: sentenceOf([fields]) };
}

/** One text for each reason, to follow "waits". Waits for several clusters are said together. */
export function waitTexts(waits: readonly WaitFields[]): string[] {
  return [...Map.groupBy(waits, (wait) => wait.for).values()].map(sentenceOf);
}

function fieldsOf({ for: reason, of, since, until }: ShownWait): WaitFields {
  return { for: reason, ...defined({ of, since: timeOf(since), until: timeOf(until) }) };
}

/** A time without an end is left out. */
function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined || !Number.isFinite(ms) ? undefined : timestamp(ms);
}

/** What the object waits for, since when at the earliest, and until when at the latest. */
function sentenceOf(waits: readonly WaitFields[]): string {
  const [first] = waits;
  if (first === undefined) return "";
  // A wait for any of them includes the others.
  const names = waits.some(({ of }) => of === undefined) ? [] : waits.flatMap(({ of = [] }) => of);
  const [since] = waits.flatMap((wait) => wait.since ?? []).toSorted();
  const ends = waits.flatMap(({ until = [] }) => until).toSorted();
  const until = ends.length === waits.length ? ends.at(-1) : undefined;
  const begun = since === undefined ? "" : ` since ${since}`;
  if (first.for === "window") return until === undefined ? `for a time${begun}` : `until ${until}`;
  return `for ${WORDS[first.for](names)}${begun}${until === undefined ? "" : `, until ${until} at the latest`}`;
}

function clusters(names: readonly string[]): string {
  return `${names.length === 1 ? "cluster" : "clusters"} ${namesText(names)}`;
}

/** What the object waits for. No names: any of them. */
const WORDS: Readonly<Record<Exclude<WaitReason, "window">, (names: readonly string[]) => string>> = {
  contact: (names) => `reports of ${names.length === 0 ? "its clusters" : clusters(names)}`,
  dependency: (names) =>
    names.length === 0
      ? "an object that it needs, which is being read on the hub"
      : `namespace ${namesText(names)}, which is being read on the hub`,
  turn: () => "its turn among the rollouts of its policy",
  gate: (names) => (names.length === 0 ? "the gate of its rollout" : `the gate of stage ${namesText(names)}`),
  capacity: (names) => `room on ${names.length === 0 ? "its clusters" : clusters(names)}`,
  approval: (names) =>
    names.length === 0 ? "a person to let it go on" : `a person to approve stage ${namesText(names)}`,
  hubSync: () => "the caches of the hub and the first plans of all objects",
  others: () => "other hub objects or managers",
};
