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
import { allNotGranted, type LaneMember, MemberWriter, type Written } from "../write/index.ts";
import { NamespaceCleaner, NamespaceLabeller } from "../namespaces/index.ts";
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
  /** Hub objects with copies on the member by the hub's record; undefined until the hub has sent its record. */
  expected: () => readonly string[] | undefined;
  /** Called when the kinds that the member serves, or their versions, have changed. */
  kindsChanged: () => void;
  /** Called when more is known than before: one more kind, or the absence of objects can be trusted. */
  knowsMore: () => void;
  /**
   * Called when less is known than before, or when {@link ClusterCache.unreadable} or {@link ClusterCache.blindness} has
   * changed.
   */
  readabilityChanged: () => void;
}

/** Places to watch a kind in; undefined stands for the whole cluster. */
const EVERYWHERE: readonly undefined[] = [undefined];

/**
 * Watches of one session on a member: one per kind, selecting objects with our label. If the credentials reach some
 * namespaces only, one per kind and namespace, and none for cluster-scoped kinds. The watches feed the member objects.
 * The cache ends with the session.
 */
export class ClusterCache {
  /** The member as the lane needs it. */
  readonly member: LaneMember;
  readonly namespaceCleaner: NamespaceCleaner;
  readonly namespaceLabeller: NamespaceLabeller;
  readonly #options: ClusterCacheOptions;
  /** By {@link readabilityKey}. */
  readonly #watches = new Map<string, MemberWatch>();
  readonly #initialSync: InitialSync;
  readonly #kinds: KindsOnMember;

  constructor(options: ClusterCacheOptions) {
    this.#options = options;
    const { session, objects, hubId, systemNamespace, clock, random, logger, metrics, namespaceLabels } = options;
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
    this.namespaceLabeller = new NamespaceLabeller({ ...timing, session, objects, labels: namespaceLabels });
    const mayRemove = (ref: ObjectRef): boolean => this.#mayRemove(ref);
    this.namespaceCleaner = new NamespaceCleaner({ ...timing, session, objects, metrics, namespaces, mayRemove });
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
      signal,
      isJoined: !local,
      isSynced: (ref) => this.#watchOf(ref)?.isKnown ?? false,
      lacks: (ref) => this.#kinds.lacks(ref),
      denial: (ref) => this.#watchOf(ref)?.denial,
      mayRemove,
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

  /**
   * Called when a definition of ours has changed on the member. Discovery and watches of unserved kinds are retried at
   * once.
   */
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

  /** Places to watch the kind in: the whole cluster (undefined), or each namespace that the credentials reach. */
  #placesOf({ namespaced }: ResourceType): readonly (string | undefined)[] {
    const { namespaces } = this.#options.session;
    if (namespaces === undefined) return EVERYWHERE;
    return namespaced ? namespaces : [];
  }

  /** Called when the hub's record of the copies on the member, or a new list of kinds, has arrived. */
  advance(): void {
    this.#initialSync.advance();
    this.#trustChanged();
  }

  /** True when every object of ours on the member is known, and a missing object is certainly absent. */
  get isSynced(): boolean {
    if (!this.#initialSync.isTrusted || !this.#isComplete) return false;
    return !this.#isInDoubt;
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
    const unserved = new Set<string>();
    for (const { isUnserved, kind } of this.#watches.values()) if (isUnserved) unserved.add(kind);
    return unserved;
  }

  /** Keys of {@link unreadable} that are unknown only because of a missing permission. */
  get ungranted(): ReadonlySet<string> {
    const ungranted = new Set<string>();
    for (const { key, isKnown, isDenied } of this.#essential()) if (!isKnown && isDenied) ungranted.add(key);
    return ungranted;
  }

  /** Sentence with the command that grants all kinds that are not granted; set when there are several. */
  get grant(): Message | undefined {
    const { cluster, local } = this.#options.session;
    const denied = [...this.#essential()]
      .filter(({ isKnown, isDenied }) => !isKnown && isDenied)
      .map(({ type }) => type);
    return local || denied.length < 2 ? undefined : allNotGranted(cluster, denied);
  }

  /**
   * Set when a watch has been broken for long although the member answers. The known state is as old as `since` (epoch
   * milliseconds). A kind that the member no longer serves does not count, since its state is known.
   */
  get blindness(): { since: number; message: Message } | undefined {
    for (const { blindSince, failure, isUnserved } of this.#essential())
      if (blindSince !== undefined && failure !== undefined && !isUnserved)
        return { since: blindSince, message: failure };
    return undefined;
  }

  /** Called when the member is back. Watches in backoff retry at once. */
  retryWatches(): void {
    for (const watch of this.#watches.values()) watch.retry();
  }

  /**
   * Takes an answer to a write. An object with our label goes through the cache of its watch, since the watch brings the
   * object too. Any other object is taken directly, since no watch brings it.
   */
  #observeAnswer({ type, object }: Written): void {
    const { objects, hubId } = this.#options;
    const observed = observeAnswer(object, hubId, { keepsContent: objects.contents.isKeptOf(type), scale: type.scale });
    if (observed.visible) this.#watchOf(observed.ref)?.informer.observe(object);
    else objects.observe(observed.ref, observed);
  }

  *#essential(): Iterable<MemberWatch> {
    for (const watch of this.#watches.values()) if (watch.isEssential) yield watch;
  }

  get #isComplete(): boolean {
    if (this.#kinds.isPending || this.#kinds.unsure.size > 0) return false;
    let kinds = 0;
    for (const { isKnown } of this.#essential()) {
      if (!isKnown) return false;
      kinds += 1;
    }
    return kinds > 0;
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

  /**
   * Drops the observations of a watch that has lost its permission. Other kinds stay known. The watch keeps trying
   * until it is permitted again.
   */
  #forgetUnreadable(watch: MemberWatch): void {
    this.#options.objects.forgetUnreadable((ref) => this.#watchOf(ref) !== watch);
    this.#initialSync.advance();
    this.#trustChanged();
  }

  /** Starts the watch again, with a new list, after its permission came back. */
  #watchAgain(watch: MemberWatch): void {
    this.#stop(watch);
    const anew = this.#watch(watch, watch.failure);
    this.#watches.set(anew.key, anew);
    void this.#run(anew);
  }

  /**
   * Objects that an earlier session saw. If most of them are missing from the first list of this session, a second list
   * has to agree.
   */
  *#knownBefore({ kind, namespace }: MemberWatch): Iterable<[string, { uid: string; object: ObservedObject }]> {
    for (const { ref, observed } of this.#options.objects.all()) {
      if (namespace !== undefined && ref.namespace !== namespace) continue;
      if (observed?.visible !== true || kindKeyOf(ref) !== kind) continue;
      yield [objectKey(ref.namespace, ref.name), { uid: observed.uid, object: observed }];
    }
  }
}
