import { defined, kindKey, kindKeyOf, MANAGED_BY_LABEL, type Message, type ObjectRef } from "../../apis/index.ts";
import { readabilityKey } from "../../desiredstate/index.ts";
import type { GroupKind } from "../../interpreter/index.ts";
import type { Logger, Metrics } from "../../observability/index.ts";
import { type Clock, Informer, objectKey, type ResourceType } from "../../runtime/index.ts";
import {
  MemberNamespaces,
  type MemberObjects,
  type NamespaceLabels,
  observe,
  observeAnswer,
  type ObservedObject,
} from "../model/index.ts";
import { InitialSync } from "./initialSync.ts";
import { KindsOnMember } from "./kindsOnMember.ts";
import { memberBounds } from "./memberBounds.ts";
import { MemberWatch, type Watched } from "./memberWatch.ts";
import type { LaneMember } from "../lane/index.ts";
import { allNotGranted, MemberWriter, NamespaceWriter, type Written } from "../write/index.ts";
import type { MemberSession } from "../types.ts";

export interface ClusterCacheOptions {
  session: MemberSession;
  objects: MemberObjects;
  hubId: string;
  systemNamespace: string;
  namespaceLabels: NamespaceLabels;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  /** By the hub's record; undefined until the hub has sent its record. */
  expected: () => readonly string[] | undefined;
  /** Called when the served kinds or their versions have changed. */
  kindsChanged: () => void;
  /** Called when one more kind is known, or the absence of objects can be trusted. */
  knowsMore: () => void;
  /** Called when less is known, or {@link ClusterCache.unreadable} or {@link ClusterCache.blindness} has changed. */
  readabilityChanged: () => void;
}

/**
 * Watches of one session on a member, selecting objects with our label: one per kind, or, for an account of single
 * namespaces, one per namespaced kind and namespace. They feed the member objects until the session ends.
 */
export class ClusterCache {
  /** The member as the lane needs it. */
  readonly member: LaneMember;
  readonly #options: ClusterCacheOptions;
  /** By {@link readabilityKey}. */
  readonly #watches = new Map<string, MemberWatch>();
  readonly #initialSync: InitialSync;
  readonly #kinds: KindsOnMember;

  constructor(options: ClusterCacheOptions) {
    this.#options = options;
    const { session, objects, hubId, systemNamespace, clock, random, logger, namespaceLabels } = options;
    const { cluster, client, discovery, local, signal } = session;
    const timing = { clock, random, logger };
    this.#initialSync = new InitialSync({
      ...timing,
      cluster,
      signal,
      objects,
      expected: options.expected,
      informers: () => [...this.#essential()].filter(({ isKnown }) => isKnown).map(({ informer }) => informer),
      isComplete: () => this.#isReadAsFarAsCanBe,
      changed: () => this.#trustChanged(),
    });
    this.#kinds = new KindsOnMember({
      ...timing,
      session,
      hasObjects: (kind) => this.#hasObjects(kind),
      changed: () => {
        this.#follow();
        options.kindsChanged();
      },
      removed: (kind) => objects.gone((ref) => kindKeyOf(ref) === kind),
    });
    const namespaces = new MemberNamespaces(session, hubId, namespaceLabels);
    const writer = new MemberWriter({
      client,
      signal,
      hubId,
      systemNamespace,
      namespaces,
      typeOf: (ref) => this.#watchOf(ref)?.type,
      serves: (ref) => this.#kinds.serves(ref),
      vanished: (ref, uid) => objects.vanished(ref, uid),
    });
    this.member = {
      writer,
      namespaces: new NamespaceWriter(session, namespaces),
      signal,
      isJoined: !local,
      isSynced: (ref) => this.#watchOf(ref)?.isKnown ?? false,
      lacks: (ref) => this.#kinds.lacks(ref),
      denial: (ref) => this.#watchOf(ref)?.denial,
      mayRemove: (ref) => this.#mayRemove(ref),
      observe: (written) => this.#observeAnswer(written),
      doubtKind: (ref) => {
        discovery.invalidate();
        this.#kinds.doubt(kindKeyOf(ref));
      },
    };
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
    for (const { isUnserved, informer } of this.#watches.values()) if (isUnserved) informer.retryNow();
  }

  #hasObjects(kind: string): boolean {
    for (const watch of this.#watches.values()) if (watch.kind === kind && watch.informer.size > 0) return true;
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
    for (const [key, watch] of [...this.#watches]) {
      const watched = wanted.get(key);
      if (watched !== undefined && watch.isAlike(watched)) wanted.delete(key);
      else this.#stop(watch);
    }
    const added = [...wanted].map(([key, watched]) => {
      const watch = this.#watch(watched);
      this.#watches.set(key, watch);
      return watch;
    });
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
  get isSynced(): boolean {
    return this.isPartlySynced && this.unreadable.size === 0;
  }

  /** As {@link isSynced}, except for the kinds in {@link unreadable}. */
  get isPartlySynced(): boolean {
    return this.#initialSync.isTrusted && this.#isReadAsFarAsCanBe && !this.#isInDoubt;
  }

  /** True when an object that is missing from some watch may still exist. */
  get #isInDoubt(): boolean {
    for (const { informer, isLost } of this.#essential())
      if (!isLost && (informer.deletionsHeld || informer.isBehind)) return true;
    return false;
  }

  /** True when every kind is known or cannot be read, and at least one kind is known. */
  get #isReadAsFarAsCanBe(): boolean {
    if (this.#kinds.isPending) return false;
    let known = 0;
    for (const { isKnown, failure } of this.#essential()) {
      if (isKnown) known += 1;
      else if (failure === undefined) return false;
    }
    return known > 0;
  }

  /** Kinds that cannot be watched, by {@link readabilityKey}, with the reason. */
  get unreadable(): ReadonlyMap<string, Message> {
    const unreadable = new Map<string, Message>(this.#kinds.unsure);
    for (const { key, isKnown, failure } of this.#essential())
      if (!isKnown && failure !== undefined) unreadable.set(key, failure);
    return unreadable;
  }

  /** Kinds (`group/Kind`) that the member does not serve, or not in the version that the hub asks for. */
  get unserved(): ReadonlySet<string> {
    return new Set([...this.#watches.values()].filter(({ isUnserved }) => isUnserved).map(({ kind }) => kind));
  }

  get #denied(): MemberWatch[] {
    return [...this.#essential()].filter(({ isKnown, isDenied }) => !isKnown && isDenied);
  }

  /** Keys of {@link unreadable} that are unknown only because of a missing permission. */
  get ungranted(): ReadonlySet<string> {
    return new Set(this.#denied.map(({ key }) => key));
  }

  /** Command that grants all kinds that are not granted; set when there are several. */
  get grant(): Message | undefined {
    const { cluster, local } = this.#options.session;
    const denied = this.#denied;
    return local || denied.length < 2
      ? undefined
      : allNotGranted(
          cluster,
          denied.map(({ type }) => type),
        );
  }

  /**
   * Set when a watch of a served kind has been broken for long although the member answers: what is known is as old as
   * `since` (epoch milliseconds).
   */
  get blindness(): { since: number; message: Message } | undefined {
    for (const { blindSince, failure, isUnserved } of this.#essential())
      if (blindSince !== undefined && failure !== undefined && !isUnserved)
        return { since: blindSince, message: failure };
    return undefined;
  }

  /** Called when the member is back. */
  retryWatches(): void {
    for (const watch of this.#watches.values()) watch.retry();
  }

  /** Takes an answer to a write through the cache of the watch that brings the object too, if any. */
  #observeAnswer({ type, object }: Written): void {
    const { objects, hubId } = this.#options;
    const observed = observeAnswer(object, hubId, { keepsContent: objects.contents.isKeptOf(type), scale: type.scale });
    if (observed.visible) this.#watchOf(observed.ref)?.informer.observe(object);
    else objects.observe(observed.ref, observed);
  }

  *#essential(): Iterable<MemberWatch> {
    for (const watch of this.#watches.values()) if (watch.isEssential) yield watch;
  }

  #watchOf({ apiVersion, kind, namespace }: ObjectRef): MemberWatch | undefined {
    const isBounded = this.#options.session.namespaces !== undefined;
    return this.#watches.get(readabilityKey(kindKeyOf({ apiVersion, kind }), isBounded ? namespace : undefined));
  }

  #mayRemove(ref: ObjectRef): boolean {
    const watch = this.#watchOf(ref);
    return watch?.isKnown === true && !watch.informer.deletionsHeld && !watch.informer.isBehind;
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
    const { session, hubId, clock, random, logger, objects } = this.#options;
    const { type, namespace } = watch;
    const informer = new Informer<ObservedObject>({
      client: session.client,
      type,
      ...defined({ namespace }),
      labelSelector: `${MANAGED_BY_LABEL}=${hubId}`,
      clock,
      random,
      logger,
      name: `${session.cluster}/${namespace === undefined ? "" : `${namespace}/`}${type.plural}`,
      transform: (object) => observe(object, { keepsContent: objects.contents.isKeptOf(type), scale: type.scale }),
      bounds: memberBounds(type, () => Math.max(objects.asked, this.#options.expected()?.length ?? 0)),
      known: this.#knownBefore(watch),
      onContact: (ok, error) => {
        watch.heard(ok ? undefined : error);
        if (!ok) session.suspect();
      },
    });
    informer.onEvent(({ type: change, object }) => {
      if (watch.isLost) return;
      objects.observe(object.ref, change === "Deleted" || !object.isOurs ? undefined : object);
    });
    informer.onDeletionsHeld(() => this.#trustChanged());
    informer.onReadAnew(() => watch.readAnew());
    return informer;
  }

  /** Called when it has changed whether the absence of objects can be trusted. */
  #trustChanged(): void {
    const { session, metrics, knowsMore, readabilityChanged } = this.#options;
    if (session.signal.aborted) return;
    metrics.setDeletionsHeld(session.cluster, this.#holdsDeletions);
    if (this.isPartlySynced) knowsMore();
    else readabilityChanged();
  }

  get #holdsDeletions(): boolean {
    if (this.#initialSync.isDoubted) return true;
    for (const { informer, isLost } of this.#watches.values()) if (!isLost && informer.deletionsHeld) return true;
    return false;
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
    this.#watches.delete(watch.key);
    watch.end(new Error(`${watch.key} is not watched any more`));
  }

  #end(): void {
    const { session, metrics } = this.#options;
    metrics.setDeletionsHeld(session.cluster, false);
    for (const watch of this.#watches.values()) watch.end(session.signal.reason);
  }

  /** Drops what a watch without its permission has shown. The watch keeps trying. */
  #forgetUnreadable(watch: MemberWatch): void {
    this.#options.objects.forgetUnreadable((ref) => this.#watchOf(ref) !== watch);
    this.#initialSync.advance();
    this.#trustChanged();
  }

  /** Lists anew after the permission came back. */
  #watchAgain(watch: MemberWatch): void {
    this.#stop(watch);
    const anew = this.#watch(watch, watch.failure);
    this.#watches.set(anew.key, anew);
    void this.#run(anew);
  }

  /** Objects of an earlier session. If the first list lacks most of them, a second list has to agree. */
  *#knownBefore({ kind, namespace }: MemberWatch): Iterable<[string, { uid: string; object: ObservedObject }]> {
    for (const { ref, observed } of this.#options.objects.all()) {
      if (namespace !== undefined && ref.namespace !== namespace) continue;
      if (observed?.visible !== true || kindKeyOf(ref) !== kind) continue;
      yield [objectKey(ref.namespace, ref.name), { uid: observed.uid, object: observed }];
    }
  }
}
