import { type KubeObject, OBJECT_FINALIZER, type OwnerRef, unclaimed } from "../../../apis/index.ts";
import {
  copiesOf,
  heldBySuspension,
  type Observation,
  ownerRefOf,
  recordedClusters,
  type WaitFor,
} from "../../../desiredstate/index.ts";
import type { PlacedKind, StatusStore } from "../../../hub/index.ts";
import type { EventSink, Recoveries } from "../../../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from "../../../runtime/index.ts";
import {
  type CopySources,
  type OfGone,
  ownersNamedBy,
  RETRY_FINALIZER_MS,
  setFinalizers,
  wentByTtl,
} from "../../facts/index.ts";
import { recordDeletionEnd } from "../../status/index.ts";
import { type Finalization, lifeOf } from "../../states/index.ts";
import { refOfKey } from "../../tables/index.ts";
import { finalizationOf } from "./finalization.ts";
import { HELD_AGAIN_MS, heldAsGone, heldByKind } from "./heldDeletions.ts";
import { leftoversOf, logChange, logEnd, logRemoval, type RowPlanner } from "../plan/index.ts";
import type { ObjectEnds } from "./objectEnds.ts";
import type { OrphaningDeletions } from "./orphaning.ts";
import type { RolloutStep } from "../rollout/index.ts";

export interface DeletingOptions extends CopySources {
  client: Client;
  store: Pick<StatusStore, "unbind">;
  clock: Clock;
  events: EventSink;
  recoveries: Recoveries;
  orphaning: OrphaningDeletions;
  rolloutStep: RolloutStep;
  rows: RowPlanner;
  ends: ObjectEnds;
}

const DELETED = { reason: "ObjectDeleted", message: "the object is being deleted on the hub" };
const GONE = { reason: "ObjectGone", message: "the object is gone from the hub" };
const OURS: OfGone = { verdict: "Ours" };
/** A removal may wait for any fact about copies. */
const ANY_REMOVAL: readonly WaitFor[] = [{ for: "contact" }, { for: "hubSync" }, { for: "others" }];
/** Reports during a deletion are gathered for this time in milliseconds, since most of them need no decision. */
const GATHER_MS = 50;

/** Removes or releases the copies of an object that is being deleted, or is gone: by rows, like any other plan. */
export class Deleting {
  readonly #options: DeletingOptions;

  constructor(options: DeletingOptions) {
    this.#options = options;
  }

  /** How long reports of the copies are gathered during the deletion of the object, in milliseconds. */
  debounceMs(owner: string | undefined): number | undefined {
    const isDeleting = owner !== undefined && this.#options.states.get(owner)?.finalization !== undefined;
    return isDeleting ? GATHER_MS : undefined;
  }

  /** Carries out the deletion. The finalizer goes when the copies are seen gone or their cluster was unjoined. */
  async finalize(
    owner: string,
    { object, kind }: { object: KubeObject; kind: PlacedKind },
    context: ReconcileContext,
    signal: AbortSignal,
  ): Promise<Result> {
    const { client, hub, hubState, states, classes, store, recoveries, clock } = this.#options;
    const { orphaning, rolloutStep, ends } = this.#options;
    rolloutStep.forget(owner, object.metadata.uid);
    logChange(context, owner, object, { plan: states.planOf(owner), status: hub.statuses.of(object, kind) });
    const next = unclaimed(OBJECT_FINALIZER, object.metadata, classes.classes);
    if (next.length === (object.metadata.finalizers ?? []).length) return await this.cleanUp(owner, context, signal);
    if ((await orphaning.settle(object, kind, signal)) === "Changed") return requeueAfter(RETRY_FINALIZER_MS);
    const isAnywhere = copiesOf(hubState, owner).length > 0;
    const suspension = isAnywhere ? heldBySuspension(hubState, object) : undefined;
    const held = suspension ?? (isAnywhere ? await heldByKind(hub, object, kind, signal) : undefined);
    if (this.#remove(owner, { object, kind }, held, context) > 0)
      return held === suspension ? done : requeueAfter(HELD_AGAIN_MS);
    const released = await setFinalizers(client, kind.type, object, next, signal);
    if (released === undefined) return requeueAfter(RETRY_FINALIZER_MS);
    logEnd(context, owner, object);
    recordDeletionEnd(recoveries, object, states.get(owner)?.tracked?.progress.waited ?? [], clock.now());
    ends.forget(owner);
    await store.unbind({ object, kind }, signal);
    return done;
  }

  /** Hands out the rows of the deletion. Returns the number of clusters where something of the object may be left. */
  #remove(
    owner: string,
    { object, kind }: { object: KubeObject; kind: PlacedKind },
    held: Awaited<ReturnType<typeof heldByKind>>,
    context: ReconcileContext,
  ): number {
    const { hub, hubState, states, progress, assignments, observations, rows } = this.#options;
    const { policy, footprint } = this.#finalizationOf(owner, object, kind);
    const life = ownerRefOf(object);
    const removal = { owner: life, policy, cause: DELETED, ownership: "Ours" as const, held };
    const next = rows.step(owner, undefined, { ...removal, awaitsEnd: wentByTtl(object) });
    progress.planned(owner);
    const clusters = recordedClusters(hubState, owner);
    const sources = { hub, hubState, assignments, observations, progress };
    const remains = leftoversOf(sources, { owner: life, clusters, footprint });
    states.update(owner, { life: "Deleting" });
    states.setPlan(owner, { ...lifeOf(object), target: undefined, remaining: remains.open, ours: true });
    logRemoval(context, owner, object, rows.assign(owner, [...next.rows, ...remains.rows], context));
    if (remains.open.size > 0 && !states.waits.has(owner, "hubSync")) states.waits.set(owner, ANY_REMOVAL, hub.now());
    return remains.open.size;
  }

  /**
   * Cleans up after an object that is gone from the hub or has lost its finalizer. Copies are removed only if this
   * manager owned the object, or if the hub itself has confirmed that the object is gone.
   */
  async cleanUp(owner: string, context: ReconcileContext, signal: AbortSignal): Promise<Result> {
    const { hub, hubState, states, classes, missing, clock, rows, ends } = this.#options;
    const { plan, finalization, deletionPolicy } = states.get(owner) ?? {};
    const here = hub.object(owner);
    const policy =
      finalization?.policy ??
      plan?.target?.deletionPolicy ??
      deletionPolicy ??
      (here === undefined ? undefined : this.#finalizationOf(owner, here.object, here.kind).policy);
    const copies = copiesOf(hubState, owner);
    const named = ownersNamedBy(copies);
    if (plan?.ours === true) for (const { uid } of named) classes.leftBehind(uid);
    if (copies.length > 0 && policy !== undefined) states.update(owner, { deletionPolicy: policy });
    ends.forget(owner);
    if (copies.length === 0) return done;

    const { latest } = missing;
    const { verdict, version } = here === undefined ? await classes.ofGone(named, clock.monotonic(), signal) : OURS;
    const held = await this.#heldAsGone(owner, { here: here?.object, copies, named, verdict }, signal);
    // The object may have come back during the request to the hub. It is then planned separately.
    if (here === undefined && hub.object(owner) !== undefined) return done;
    if (here === undefined) missing.confirmed(owner, latest, version);
    const [ref = unknownOwner(owner)] = named;
    const ownership = verdict === "Ours" ? "Ours" : "Unconfirmed";
    const removal = { owner: ref, policy, cause: GONE, ownership, held, lost: here === undefined } as const;
    rows.assign(owner, rows.step(owner, undefined, removal).rows, context);
    for (const one of verdict === "Present" ? named : []) await hub.relistIfBehind(one, signal);
    return typeof verdict === "number" && Number.isFinite(verdict) ? requeueAfter(verdict) : done;
  }

  async #heldAsGone(
    owner: string,
    gone: {
      here: KubeObject | undefined;
      copies: readonly Observation[];
      named: readonly OwnerRef[];
      verdict: OfGone["verdict"];
    },
    signal: AbortSignal,
  ): ReturnType<typeof heldAsGone> {
    const { hub, missing } = this.#options;
    const { here, copies, named, verdict } = gone;
    const [ref = unknownOwner(owner)] = named;
    const confirmed = here === undefined && verdict === "Ours";
    return await heldAsGone({ hub, missing }, { ref, here, copies, confirmed }, signal);
  }

  #finalizationOf(owner: string, object: KubeObject, kind: PlacedKind): Finalization {
    const { hub, hubState, states, events, orphaning } = this.#options;
    return finalizationOf({ hub, hubState, states, events, orphaning }, owner, object, kind);
  }
}

function unknownOwner(owner: string): OwnerRef {
  return { ...refOfKey(owner), uid: "" };
}
