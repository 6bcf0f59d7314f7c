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
import { follow, type Following, type Origin, parseTraceparent, type SpanContext } from "../../observability/index.ts";
import type { Clock, ReconcileContext } from "../../runtime/index.ts";

/** An object that is older was changed at a time that nobody knows, unless this manager was there. */
const JUST_MADE_MS = 60_000;

/** What else than the object has changed, so that the object is planned again: a policy, or a Secret that it reads. */
export interface Cause {
  key: string;
  /** The trace that its annotation brings along. */
  context: SpanContext | undefined;
}

export function causeOf(ref: ObjectRef, { annotations }: Pick<ObjectMeta, "annotations">): Cause {
  return { key: refKey(ref), context: parseTraceparent(annotations?.[TRACEPARENT_ANNOTATION]) };
}

/** When a run begins, and what is known of its object. */
export interface Moment {
  /** This manager knew the object before the change. */
  isPlanned: boolean;
  /** What was said of the object last. */
  status: FederatedStatus | undefined;
  /** Epoch milliseconds. */
  now: number;
  /** Monotonic milliseconds. */
  monotonic: number;
}

interface Story {
  /** The life and the version of the object, with its annotation. */
  version: string;
  /** The annotation, where it is one. */
  text: string | undefined;
  /** The first run for that version, or the one that something else made necessary. */
  change: Origin | undefined;
  /** The last run. */
  last: Origin | undefined;
  /** What made the runs necessary that no plan has told of yet. */
  cause: Cause | undefined;
}

/**
 * Which trace the runs for an object belong to. A change begins with the first run that sees it, and what follows from it (the steps of a rollout,
 * a plan that had to wait for what it needs, the status) goes on from that run: beneath it where it is a moment ago, and else with a link. The first
 * run has its place in the trace that the object brings along in its annotation `traceparent`; a manager that finds a change when it starts,
 * however long after it, links to that trace.
 */
export class ObjectTraces {
  readonly #stories = new Map<string, Story>();
  /** Of objects that are about to be planned again. */
  readonly #causes = new Map<string, Cause>();

  /** Notes why an object is to be planned again. */
  because(cause: Cause, owner: string): void {
    this.#causes.set(owner, cause);
  }

  /** The same for the objects that a policy selects, as they are read. */
  *becauseOf(policy: Policy, owners: Iterable<string | undefined>): Iterable<string | undefined> {
    const { apiVersion, kind, metadata } = policy;
    const cause = causeOf(refOf({ apiVersion, kind, metadata }), metadata);
    for (const owner of owners) {
      if (owner !== undefined) this.because(cause, owner);
      yield owner;
    }
  }

  /** What a run follows from that is about to plan the object. */
  follow(owner: string, object: KubeObject | undefined, moment: Moment): Following | undefined {
    const known = this.#stories.get(owner);
    const cause = this.#causes.get(owner);
    this.#causes.delete(owner);
    if (object === undefined) {
      this.#stories.delete(owner);
      return known?.change && follow(known.change, moment.monotonic);
    }
    const annotated = object.metadata.annotations?.[TRACEPARENT_ANNOTATION];
    const context = parseTraceparent(annotated);
    const text = context === undefined ? undefined : annotated;
    const version = versionOf(object, text);
    if (known?.version === version && known.change !== undefined) return this.#goOn(known, cause, moment);
    this.#stories.set(owner, { version, text, change: undefined, last: undefined, cause });
    if (context === undefined) return undefined;
    const isWitnessed = moment.isPlanned || isJustMade(object, moment.now);
    const isNew = known?.text === undefined ? isWitnessed && isUnanswered(object, moment.status) : known.text !== text;
    return isNew ? { parent: context } : { links: [context], ...(known === undefined ? { change: context } : {}) };
  }

  /** The same version of the object once more. */
  #goOn(story: Story, cause: Cause | undefined, { monotonic }: Moment): Following {
    const next = follow(story.change, monotonic);
    if (cause === undefined) return next;
    story.cause = cause;
    const links = [...(next.links ?? []), ...(cause.context === undefined ? [] : [cause.context])];
    // What somebody applies in one go is one change. Later, another object that changes is another change.
    if (next.parent !== undefined) return { ...next, links };
    story.change = undefined;
    return { links };
  }

  /** A run has begun to plan the object. */
  ran(owner: string, { span, origin }: Pick<ReconcileContext, "span" | "origin">): void {
    const story = this.#stories.get(owner);
    if (story === undefined) return;
    story.change ??= origin;
    story.last = origin;
    if (story.cause !== undefined) span?.setAttribute("reconcile.cause", story.cause.key);
  }

  /** Our own claim made this of the object: it is no other change, though the generation may be another one. */
  claimed(owner: string, before: KubeObject, after: KubeObject): void {
    const story = this.#stories.get(owner);
    if (story?.version === versionOf(before, story?.text)) story.version = versionOf(after, story.text);
  }

  /** The last run that planned the object. */
  lastOf(owner: string): Origin | undefined {
    return this.#stories.get(owner)?.last;
  }

  /** The key of what made it necessary to plan the object again, other than a change of its own: once, for the plan that follows. */
  takeCause(owner: string): string | undefined {
    const story = this.#stories.get(owner);
    const key = story?.cause?.key;
    if (story !== undefined) story.cause = undefined;
    return key;
  }
}

export interface TraceSources {
  hub: Pick<HubCache, "object" | "planned" | "statuses">;
  plans: { get(owner: string): unknown; readonly traces: ObjectTraces };
  clock: Clock;
}

/** What the next run for the object follows from: asked when that begins. */
export function followingOf({ hub, plans, clock }: TraceSources, owner: string): Following | undefined {
  const found = hub.object(owner)?.object;
  // Of what nobody plans any more nothing is kept.
  const object = found !== undefined && hub.planned.includes(found) ? found : undefined;
  return plans.traces.follow(owner, object, {
    isPlanned: plans.get(owner) !== undefined,
    status: object === undefined ? undefined : hub.statuses.of(object),
    now: clock.now(),
    monotonic: clock.monotonic(),
  });
}

/** No status speaks of the object as it is now, so that the change is still to be carried out. */
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
