import {
  type FederatedStatus,
  generationOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  refKey,
  refOf,
  TRACEPARENT_ANNOTATION,
} from "../../apis/index.ts";
import type { HubCache, Policy } from "../../hub/index.ts";
import { follow, type Following, type Origin, parseTraceparent } from "../../observability/index.ts";
import type { Clock, ReconcileContext } from "../../runtime/index.ts";
import type { Cause, PartStore, Story } from "./objectParts.ts";

/** Age up to which an object that this manager did not know before counts as just made. */
const JUST_MADE_MS = 60_000;

export function causeOf(ref: ObjectRef, { annotations }: Pick<ObjectMeta, "annotations">): Cause {
  return { key: refKey(ref), context: parseTraceparent(annotations?.[TRACEPARENT_ANNOTATION]) };
}

/** The beginning of a run, and the facts about its object at that time. */
export interface Moment {
  /** This manager knew the object before the change. */
  isPlanned: boolean;
  status: FederatedStatus | undefined;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Decides which trace the runs for an object belong to. The first run that sees a change belongs to the trace in the
 * object's annotation `traceparent`. Later runs for the change are its children if it was a moment ago, otherwise
 * linked to it. A manager that finds the change at its own start only links: the change may be old.
 */
export class ObjectTraces {
  readonly #states: PartStore<"story" | "cause">;

  constructor(states: PartStore<"story" | "cause">) {
    this.#states = states;
  }

  because(cause: Cause, owner: string): void {
    this.#states.setPart(owner, "cause", cause);
  }

  /** Notes the policy as the cause for each of the owners, as the owners are read. */
  *becauseOf(policy: Policy, owners: Iterable<string | undefined>): Iterable<string | undefined> {
    const { apiVersion, kind, metadata } = policy;
    const cause = causeOf(refOf({ apiVersion, kind, metadata }), metadata);
    for (const owner of owners) {
      if (owner !== undefined) this.because(cause, owner);
      yield owner;
    }
  }

  /** The parent and links of a run that is about to plan the object. */
  follow(owner: string, object: KubeObject | undefined, moment: Moment): Following | undefined {
    const { story: known, cause } = this.#states.get(owner) ?? {};
    this.#states.clear(owner, "cause");
    if (object === undefined) {
      this.#states.clear(owner, "story");
      return known?.change && follow(known.change, moment.now);
    }
    const annotated = object.metadata.annotations?.[TRACEPARENT_ANNOTATION];
    const context = parseTraceparent(annotated);
    const text = context === undefined ? undefined : annotated;
    const version = versionOf(object, text);
    if (known?.version === version && known.change !== undefined) return this.#goOn(known, cause, moment);
    this.#states.setPart(owner, "story", { version, text, change: undefined, last: undefined, cause });
    if (context === undefined) return undefined;
    const isWitnessed = moment.isPlanned || isJustMade(object, moment.now);
    const isNew = known?.text === undefined ? isWitnessed && isUnanswered(object, moment.status) : known.text !== text;
    return isNew ? { parent: context } : { links: [context], ...(known === undefined ? { change: context } : {}) };
  }

  /** Continues with another run for the same version of the object. */
  #goOn(story: Story, cause: Cause | undefined, { now }: Moment): Following {
    const next = follow(story.change, now);
    if (cause === undefined) return next;
    story.cause = cause;
    const links = [...(next.links ?? []), ...(cause.context === undefined ? [] : [cause.context])];
    // Objects that a person applies together are one change. A later change of another object is a separate change.
    if (next.parent !== undefined) return { ...next, links };
    story.change = undefined;
    return { links };
  }

  /** A run has begun to plan the object. */
  ran(owner: string, { span, origin }: Pick<ReconcileContext, "span" | "origin">): void {
    const story = this.#states.get(owner)?.story;
    if (story === undefined) return;
    story.change ??= origin;
    story.last = origin;
    if (story.cause !== undefined) span?.setAttribute("reconcile.cause", story.cause.key);
  }

  /** Our own claim wrote the object. The write is no new change, although the generation may differ. */
  claimed(owner: string, before: KubeObject, after: KubeObject): void {
    const story = this.#states.get(owner)?.story;
    if (story?.version === versionOf(before, story?.text)) story.version = versionOf(after, story.text);
  }

  lastOf(owner: string): Origin | undefined {
    return this.#states.get(owner)?.story?.last;
  }

  /** Returns and clears the key of the cause: only the next plan reports it. The object itself is no cause. */
  takeCause(owner: string): string | undefined {
    const story = this.#states.get(owner)?.story;
    const key = story?.cause?.key;
    if (story !== undefined) story.cause = undefined;
    return key;
  }
}

export interface TraceSources {
  hub: Pick<HubCache, "object" | "planned" | "statuses">;
  states: { planOf(owner: string): unknown; readonly traces: ObjectTraces };
  clock: Clock;
}

/** The parent and links of the next run for the object. Called when the run begins. */
export function followingOf({ hub, states, clock }: TraceSources, owner: string): Following | undefined {
  const found = hub.object(owner)?.object;
  // Nothing is kept for an object that is not planned any more.
  const object = found !== undefined && hub.planned.includes(found) ? found : undefined;
  return states.traces.follow(owner, object, {
    isPlanned: states.planOf(owner) !== undefined,
    status: object === undefined ? undefined : hub.statuses.of(object),
    now: clock.now(),
  });
}

/** True if the status does not describe the present generation: the change is still to be carried out. */
export function isUnanswered({ metadata }: KubeObject, status: FederatedStatus | undefined): boolean {
  return status?.observedGeneration !== generationOf(metadata);
}

function isJustMade({ metadata }: KubeObject, now: number): boolean {
  return now - Date.parse(metadata.creationTimestamp ?? "") < JUST_MADE_MS;
}

function versionOf({ metadata }: KubeObject, text = ""): string {
  const { uid = "", deletionTimestamp = "" } = metadata;
  return [uid, generationOf(metadata), deletionTimestamp, text].join(" ");
}
