import type { Wait } from "../../desiredstate/index.ts";
import type { Origin, SpanContext } from "../../observability/index.ts";
import type { GateReply } from "../../rollout/index.ts";
import type { Tracked } from "./tracked.ts";

/** Parts of an object's record. A part may begin before the first plan and outlive the last one: its writer clears it. */
export interface ObjectParts {
  waits?: readonly Wait[];
  /** Origin of the runs for the object. */
  story?: Story;
  /** Why the object is about to be planned again, if another object is the cause. */
  cause?: Cause;
  /** What the object needs on the hub. */
  needs?: NeededThere;
  /** Why a handover to another controller class still waits; empty: nothing to tell. */
  handover?: string;
  orphaning?: Orphaning;
  /** Queries of rollout gates, by the attempt of a stage. */
  gates?: Map<string, GateQuestion>;
  slot?: RolloutSlot;
  /** Absent if this manager does not write the status of the object. */
  tracked?: Tracked;
  /** Keys of the policies whose status waits until the object has been planned. */
  awaitedBy?: ReadonlySet<string>;
}

/** Dependencies of an object, with their dependencies. */
export interface NeededThere {
  keys: readonly string[];
  /** Keys of the watches that read them. */
  watches: readonly string[];
}

/** Another object whose change makes a new plan necessary: a policy, or a Secret that the planned object reads. */
export interface Cause {
  key: string;
  context: SpanContext | undefined;
}

/** The runs for one version of an object. */
export interface Story {
  /** UID, generation, deletionTimestamp and trace annotation of the object. */
  version: string;
  /** The trace annotation, if it is valid. */
  text: string | undefined;
  /** The first run for this version, or the run that another cause made necessary. */
  change: Origin | undefined;
  last: Origin | undefined;
  /** Cause of the present runs. Cleared when a plan reports the cause. */
  cause: Cause | undefined;
}

/** What is known of a deletion that is to leave the copies alone. */
export interface Orphaning {
  /** UID of the object in deletion. */
  uid: string;
  /** False: this process did not see the beginning of the deletion. */
  isProven: boolean;
}

/** A query of a rollout gate that is being asked, or has been answered. */
export interface GateQuestion {
  owner: string;
  about: string;
  query: string;
  reply?: GateReply;
  /** The timer after which the query is sent again. */
  again?: Disposable;
}

/** The object among the rollouts of a policy that limits their number. */
export interface RolloutSlot {
  /** Key of the policy. */
  policy: string;
  /** `None`: it neither holds a slot nor waits for one. */
  place: "None" | "Waiting" | "Taken";
  /** Duration of all earlier stops, in milliseconds. Repeated pauses add up. */
  spentMs: number;
  stop?: SlotStop;
}

/** A stop of a run that holds a slot. Times are epoch milliseconds. */
export interface SlotStop {
  since: number;
  /** Time from which objects of other namespaces do not wait for the run. */
  yieldsAt: number;
}

export type Part = keyof ObjectParts;

/** Access to one part of each record. */
export interface PartStore<P extends Part> {
  get(owner: string): Pick<ObjectParts, P> | undefined;
  setPart<Q extends P>(owner: string, part: Q, value: NonNullable<ObjectParts[Q]>): void;
  clear(owner: string, part: P): void;
}

/** Parts whose objects can be listed. */
export type ListedPart = "handover" | "gates";
const LISTED: ReadonlySet<Part> = new Set<ListedPart>(["handover", "gates"]);

export function isListed(part: Part): part is ListedPart {
  return LISTED.has(part);
}

const PARTS = Object.keys({
  waits: true,
  needs: true,
  story: true,
  cause: true,
  handover: true,
  orphaning: true,
  gates: true,
  slot: true,
  tracked: true,
  awaitedBy: true,
} satisfies Record<Part, true>) as Part[];

/** Undefined if there is none. */
export function partsOf(state: ObjectParts): ObjectParts | undefined {
  const parts = PARTS.filter((part) => state[part] !== undefined);
  return parts.length === 0 ? undefined : Object.fromEntries(parts.map((part) => [part, state[part]]));
}
