import { kindKey, kindKeyOf, type Message, type ObjectRef } from "../../apis/index.ts";
import { readabilityKey } from "../../desiredstate/index.ts";
import type { GroupKind } from "../../interpreter/index.ts";
import type { Logger, Metrics } from "../../observability/index.ts";
import type { Clock, Informer, ResourceType } from "../../runtime/index.ts";
import { type MemberObjects, observeAnswer, type ObservedObject } from "../model/index.ts";
import { InitialSync } from "./initialSync.ts";
import { KindsOnMember } from "./kindsOnMember.ts";
import { memberInformer } from "./memberInformer.ts";
import { MemberWatch, type Watched } from "./memberWatch.ts";
import { MemberWatches } from "./memberWatches.ts";
import { type Readability, readabilityOf } from "./readability.ts";
import type { LaneMember } from "../lane/index.ts";
import type { Written } from "../write/index.ts";
import type { MemberSession } from "../types.ts";

export interface ClusterCacheOptions {
  session: MemberSession;
  objects: MemberObjects;
  hubId: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Pick<Metrics, "setDeletionsHeld">;
  /** By the hub's record; undefined until the hub has sent its record. */
  expected: () => readonly string[] | undefined;
  /** Called when the served kinds or their versions have changed. */
  kindsChanged: () => void;
  /** Called when one more kind is known, or the absence of objects can be trusted. */
  knowsMore: () => void;
  /** Called when less is known, or {@link ClusterCache.readability} has changed. */
  readabilityChanged: () => void;
}

/**
 * Watches of one session on a member, selecting objects with our label: one per kind, or, for an account of single
 * namespaces, one per namespaced kind and namespace. They feed the member objects until the session ends.
 */
export class ClusterCache implements Pick<
  LaneMember,
  "isSynced" | "lacks" | "denial" | "mayRemove" | "doubtKind" | "observe"
> {
  readonly #options: ClusterCacheOptions;
  readonly #watches: MemberWatches;
  readonly #initialSync: InitialSync;
  readonly #kinds: KindsOnMember;

  constructor(options: ClusterCacheOptions) {
    this.#options = options;
    const { session, objects, clock, random, logger } = options;
    const { cluster, signal } = session;
    this.#watches = new MemberWatches(session.namespaces !== undefined);
    this.#initialSync = new InitialSync({
      ...{ cluster, signal, objects, clock, random, logger },
      expected: options.expected,
      informers: () => [...this.#watches.essential()].filter(({ isKnown }) => isKnown).map(({ informer }) => informer),
      isComplete: () => this.#isReadAsFarAsCanBe,
      changed: () => this.#trustChanged(),
    });
    this.#kinds = new KindsOnMember({
      ...{ session, clock, random, logger },
      hasObjects: (kind) => this.#hasObjects(kind),
      changed: () => {
        this.#follow();
        options.kindsChanged();
      },
      removed: (kind) => objects.gone((ref) => kindKeyOf(ref) === kind),
    });
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  /** Watches exactly these kinds. A kind that not every API server has is watched only if the member serves it. */
  setKinds(kinds: readonly ResourceType[], others: readonly GroupKind[]): void {
    if (this.#options.session.signal.aborted) return;
    this.#kinds.set(kinds, others);
    this.#follow();
  }

  /** Called when a definition of ours has changed on the member: discovery and unserved kinds are retried. */
  reviewKinds(): void {
    if (this.#options.session.signal.aborted) return;
    this.#kinds.review();
    for (const { isUnserved, informer } of this.#watches) if (isUnserved) informer.retryNow();
  }

  #hasObjects(kind: string): boolean {
    for (const watch of this.#watches) if (watch.kind === kind && watch.informer.size > 0) return true;
    // An earlier session may have seen objects of the kind.
    for (const { ref, observed } of this.#options.objects.all())
      if (observed !== undefined && kindKeyOf(ref) === kind) return true;
    return false;
  }

  #follow(): void {
    const wanted = new Map<string, Watched>();
    for (const type of this.#kinds.served)
      for (const namespace of this.#placesOf(type))
        wanted.set(readabilityKey(kindKey(type), namespace), { type, namespace });
    for (const watch of [...this.#watches]) {
      const watched = wanted.get(watch.key);
      if (watched !== undefined && watch.isAlike(watched)) wanted.delete(watch.key);
      else this.#stop(watch);
    }
    const added = [...wanted.values()].map((watched) => this.#watch(watched));
    for (const watch of added) this.#watches.add(watch);
    for (const watch of added) void this.#run(watch);
    this.advance();
  }

  /** Namespaces in which to watch the kind; undefined stands for the whole cluster. */
  #placesOf({ namespaced }: ResourceType): readonly (string | undefined)[] {
    const { namespaces } = this.#options.session;
    if (namespaces === undefined) return [undefined];
    return namespaced ? namespaces : [];
  }

  /** Called when the hub's record, or a new list of kinds, has arrived. */
  advance(): void {
    this.#initialSync.advance();
    this.#trustChanged();
  }

  /** True when every object of ours on the member is known, and a missing object is certainly absent. */
  get isFullySynced(): boolean {
    return this.isPartlySynced && this.readability.unreadable.size === 0;
  }

  /** As {@link isFullySynced}, except for unreadable kinds. */
  get isPartlySynced(): boolean {
    return this.#initialSync.isTrusted && this.#isReadAsFarAsCanBe && !this.#watches.areInDoubt;
  }

  /** True when every kind is known or cannot be read, and at least one kind is known. */
  get #isReadAsFarAsCanBe(): boolean {
    return !this.#kinds.isPending && this.#watches.areReadAsFarAsCanBe;
  }

  get readability(): Readability {
    return readabilityOf(this.#watches, this.#kinds.unsure, this.#options.session);
  }

  /** The type in which the object is watched. */
  typeOf(ref: ObjectRef): ResourceType | undefined {
    return this.#watches.of(ref)?.type;
  }

  /** False when the member certainly does not serve the kind in this version. */
  serves(ref: ObjectRef): boolean {
    return this.#kinds.serves(ref);
  }

  isSynced(ref: ObjectRef): boolean {
    return this.#watches.of(ref)?.isKnown ?? false;
  }

  lacks(ref: ObjectRef): "No" | "Perhaps" | "Surely" {
    return this.#kinds.lacks(ref);
  }

  denial(ref: ObjectRef): Message | undefined {
    return this.#watches.of(ref)?.denial;
  }

  mayRemove(ref: ObjectRef): boolean {
    const watch = this.#watches.of(ref);
    return watch?.isKnown === true && !watch.informer.deletionsHeld && !watch.informer.isBehind;
  }

  /** The member does not serve the kind, by its own answer. */
  doubtKind(ref: ObjectRef): void {
    this.#options.session.discovery.invalidate();
    this.#kinds.doubt(kindKeyOf(ref));
  }

  /** Called when the member is back. */
  retryWatches(): void {
    for (const watch of this.#watches) watch.retry();
  }

  /** Takes an answer to a write through the cache of the watch that brings the object too, if any. */
  observe({ type, object }: Written): void {
    const { objects, hubId } = this.#options;
    const observed = observeAnswer(object, hubId, { keepsContent: objects.contents.isKeptOf(type), scale: type.scale });
    if (observed.visible) this.#watches.of(observed.ref)?.informer.observe(object);
    else objects.observe(observed.ref, observed);
  }

  /** `failure`: why the previous watch was broken. */
  #watch(watched: Watched, failure?: Message): MemberWatch {
    const { session, clock, readabilityChanged } = this.#options;
    return new MemberWatch(
      {
        ...watched,
        session,
        clock,
        readabilityChanged,
        informer: (watch) => this.#informerOf(watch),
        // The initial sync may be complete without this kind.
        gaveUp: () => this.#initialSync.advance(),
        trustChanged: () => this.#trustChanged(),
        lostRight: (watch) => this.#forgetUnreadable(watch),
        regainedRight: (watch) => this.#watchAgain(watch),
        unserved: ({ kind }) => this.#kinds.doubt(kind),
      },
      failure,
    );
  }

  #informerOf(watch: MemberWatch): Informer<ObservedObject> {
    const { session, objects, hubId, clock, random, logger, expected } = this.#options;
    const informer = memberInformer(watch, {
      ...{ session, objects, hubId, clock, random, logger },
      expected: () => expected()?.length ?? 0,
    });
    informer.onDeletionsHeld(() => this.#trustChanged());
    return informer;
  }

  /** Called when it has changed whether the absence of objects can be trusted. */
  #trustChanged(): void {
    const { session, metrics, knowsMore, readabilityChanged } = this.#options;
    if (session.signal.aborted) return;
    metrics.setDeletionsHeld(session.cluster, this.#initialSync.isDoubted || this.#watches.holdDeletions);
    if (this.isPartlySynced) knowsMore();
    else readabilityChanged();
  }

  async #run({ informer, stop: { signal } }: MemberWatch): Promise<void> {
    const running = informer.run(signal);
    try {
      await informer.waitForSync(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (!signal.aborted) {
      this.#initialSync.advance();
      this.#options.knowsMore();
    }
    await running;
  }

  #stop(watch: MemberWatch): void {
    this.#watches.delete(watch);
    watch.end(new Error(`${watch.key} is not watched any more`));
  }

  #end(): void {
    const { session, metrics } = this.#options;
    metrics.setDeletionsHeld(session.cluster, false);
    for (const watch of this.#watches) watch.end(session.signal.reason);
  }

  /** Drops what a watch without its permission has shown. The watch keeps trying. */
  #forgetUnreadable(watch: MemberWatch): void {
    this.#options.objects.forgetUnreadable((ref) => this.#watches.of(ref) !== watch);
    this.#initialSync.advance();
    this.#trustChanged();
  }

  /** Lists anew after the permission came back. */
  #watchAgain(watch: MemberWatch): void {
    this.#stop(watch);
    const anew = this.#watch(watch, watch.failure);
    this.#watches.add(anew);
    void this.#run(anew);
  }
}
