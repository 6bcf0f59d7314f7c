import { MANAGED_BY_LABEL, type ObjectRef, parseApiVersion, sameValue } from "../apis/index.ts";
import { sightOf } from "../desiredstate/index.ts";
import type { GroupKind } from "../interpreter/index.ts";
import type { Logger, Metrics } from "../observability/index.ts";
import {
  type Clock,
  Informer,
  isForbidden,
  isNotFound,
  objectKey,
  type ResourceType,
  WentBackError,
} from "../runtime/index.ts";
import type { NamespaceLabels } from "./carriedLabels.ts";
import { InitialSync } from "./initialSync.ts";
import { KindsOnMember } from "./kindsOnMember.ts";
import { memberBounds } from "./memberBounds.ts";
import type { MemberObjects } from "./memberObjects.ts";
import { MemberWriter, type Written } from "./memberWriter.ts";
import { NamespaceCleaner } from "./namespaceCleaner.ts";
import { NamespaceLabeller } from "./namespaceLabels.ts";
import { MemberNamespaces } from "./namespaces.ts";
import { isAlwaysGranted, whyUnwatched } from "./notGranted.ts";
import { observe, observeAnswer, type ObservedObject } from "./observed.ts";
import type { MemberSession } from "./types.ts";

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
  /** More is known than before: one more kind, or what is not on the member any more. */
  knowsMore: () => void;
  /** Less is known than before, or {@link ClusterCache.unseen} or {@link ClusterCache.blindness} has changed. */
  sightChanged: () => void;
}

/** A watch that has been broken for so long brings nothing any more: what came before may be untrue by now. */
const BLIND_AFTER_MS = 30_000;

/** {@link ClusterCache.setKinds}: undefined stands for the whole cluster. */
const EVERYWHERE: readonly undefined[] = [undefined];

interface Watch {
  type: ResourceType;
  /** The only namespace that it shows, where the credentials do not reach the whole cluster. */
  namespace: string | undefined;
  informer: Informer<ObservedObject>;
  /** Whether the cluster counts as known only when this kind is. */
  isEssential: boolean;
  stop: AbortController;
  /** Why the watch is broken now. */
  failure: string | undefined;
  /** Since when, epoch milliseconds, once the failure has lasted. */
  blindSince: number | undefined;
  patience: Disposable | undefined;
  /** The last answer was that the credentials may not. */
  isDenied: boolean;
  /** {@link ClusterCache.unseen}: what it brought is as good as nothing. It only tries whether it is allowed again. */
  isLost: boolean;
}

/**
 * One session's watches of a member: one for each kind, of the objects with our label; where the credentials reach some namespaces only, one for
 * each kind and namespace, and none for cluster-scoped kinds. What the watches bring goes into the member objects. The cache ends with the session.
 */
export class ClusterCache {
  readonly writer: MemberWriter;
  readonly namespaceCleaner: NamespaceCleaner;
  readonly namespaceLabeller: NamespaceLabeller;
  readonly #options: ClusterCacheOptions;
  /** By {@link sightOf}. */
  readonly #watches = new Map<string, Watch>();
  /** Watches of kinds that the member does not serve, or not in that version. */
  readonly #unserved = new Set<Watch>();
  readonly #initialSync: InitialSync;
  readonly #kinds: KindsOnMember;

  constructor(options: ClusterCacheOptions) {
    this.#options = options;
    const { session, hubId, systemNamespace } = options;
    const { cluster, client, discovery, local, signal } = session;
    this.#initialSync = new InitialSync({
      ...options,
      cluster,
      signal,
      informers: () => [...this.#essential()].filter(isKnown).map(({ informer }) => informer),
      isComplete: () => this.#isReadAsFarAsCanBe,
      changed: () => this.#trustChanged(),
    });
    this.#kinds = new KindsOnMember({
      ...options,
      hasObjects: (kind) => this.#hasObjects(kind),
      changed: () => this.#follow(),
    });
    const namespaces = new MemberNamespaces(session, hubId, options.namespaceLabels);
    this.namespaceLabeller = new NamespaceLabeller({ ...options, labels: options.namespaceLabels });
    const mayRemove = (ref: ObjectRef): boolean => this.#mayRemove(ref);
    this.namespaceCleaner = new NamespaceCleaner({ ...options, namespaces, mayRemove });
    this.writer = new MemberWriter({
      client,
      signal,
      hubId,
      systemNamespace,
      local,
      namespaces,
      typeOf: (ref) => this.#watchOf(ref)?.type,
      isSynced: (ref) => {
        const watch = this.#watchOf(ref);
        return watch !== undefined && isKnown(watch);
      },
      lacks: (ref) => this.#kinds.lacks(ref),
      mayRemove,
      observe: (written) => this.#observeAnswer(written),
      vanished: (ref, uid) => options.objects.vanished(ref, uid),
      invalidateDiscovery: () => discovery.invalidate(),
    });
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  /** Watches these kinds, and no others; of those that not every server has, the ones that the member serves. */
  setKinds(kinds: readonly ResourceType[], others: readonly GroupKind[] = []): void {
    if (this.#options.session.signal.aborted) return;
    this.#kinds.set(kinds, others);
    this.#follow();
  }

  /** A definition of ours has changed on the member: what waits for kinds need not wait any longer. */
  reviewKinds(): void {
    if (this.#options.session.signal.aborted) return;
    this.#kinds.review();
    for (const { informer } of this.#unserved) informer.retryNow();
  }

  #hasObjects(kind: string): boolean {
    for (const { type, informer } of this.#watches.values())
      if (kindOf(type) === kind && informer.size > 0) return true;
    return false;
  }

  #follow(): void {
    if (this.#options.session.signal.aborted) return;
    const wanted = new Map<string, Pick<Watch, "type" | "namespace">>();
    for (const type of this.#kinds.served)
      for (const namespace of this.#placesOf(type)) wanted.set(sightOf(kindOf(type), namespace), { type, namespace });
    for (const [sight, watch] of [...this.#watches]) {
      const type = wanted.get(sight)?.type;
      if (type !== undefined && isWatchedAlike(type, watch.type)) wanted.delete(sight);
      else this.#stop(sight, watch);
    }
    const added = [...wanted].map(([sight, { type, namespace }]) => {
      const watch = this.#watch(type, namespace);
      this.#watches.set(sight, watch);
      return watch;
    });
    for (const watch of added) void this.#run(watch);
    this.advance();
  }

  /** Where objects of that kind are watched: in the whole cluster (undefined), or in each of the namespaces that the credentials reach. */
  #placesOf({ namespaced }: ResourceType): readonly (string | undefined)[] {
    const { namespaces } = this.#options.session;
    if (namespaces === undefined) return EVERYWHERE;
    return namespaced ? namespaces : [];
  }

  /** The hub's record of what is on the member was heard, or another list of kinds. */
  advance(): void {
    this.#initialSync.advance();
    this.#trustChanged();
  }

  /** Every object of ours on the member is known, and so is what is not there any more. */
  get isSynced(): boolean {
    if (!this.#initialSync.isTrusted || !this.#isComplete) return false;
    return !this.#isInDoubt;
  }

  /** The same, but for the kinds in {@link unseen}. */
  get isPartlySynced(): boolean {
    return this.#initialSync.isTrusted && this.#isReadAsFarAsCanBe && !this.#isInDoubt;
  }

  /** What is missing from some watch may be there all the same. */
  get #isInDoubt(): boolean {
    for (const { informer, isLost } of this.#essential())
      if (!isLost && (informer.deletionsHeld || informer.isBehind)) return true;
    return false;
  }

  /** Every kind is known or cannot be read, and some kind is known. */
  get #isReadAsFarAsCanBe(): boolean {
    if (this.#kinds.isPending) return false;
    let known = 0;
    for (const watch of this.#essential()) {
      if (isKnown(watch)) known += 1;
      else if (watch.failure === undefined) return false;
    }
    return known > 0;
  }

  /** What is not known, since it cannot be watched, by {@link sightOf}, and why. */
  get unseen(): ReadonlyMap<string, string> {
    const unseen = new Map(this.#kinds.unsure);
    for (const watch of this.#essential()) {
      const { type, namespace, failure } = watch;
      if (!isKnown(watch) && failure !== undefined) unseen.set(sightOf(kindOf(type), namespace), failure);
    }
    return unseen;
  }

  /** Kinds (`group/Kind`) that the member does not serve, or not in the version that the hub asks for. */
  get unserved(): ReadonlySet<string> {
    return new Set(Array.from(this.#unserved, ({ type }) => kindOf(type)));
  }

  /**
   * Some watch broke long ago, though the member answers: what is known is as old as that (epoch milliseconds). Not where the member has stopped to
   * serve a kind: that is known, and the other kinds go on.
   */
  get blindness(): { since: number; message: string } | undefined {
    for (const watch of this.#essential()) {
      const { blindSince, failure } = watch;
      if (blindSince !== undefined && failure !== undefined && !this.#unserved.has(watch))
        return { since: blindSince, message: failure };
    }
    return undefined;
  }

  /** The member is back: watches that wait out a failure need not wait any longer. */
  retryWatches(): void {
    for (const watch of this.#watches.values()) {
      if (watch.failure !== undefined) this.#losePatienceLater(watch);
      watch.informer.retryNow();
    }
  }

  /** What the member left our marks on comes through the watch as well, and so through its cache; the rest comes from nowhere else. */
  #observeAnswer({ type, object }: Written): void {
    const { objects, hubId } = this.#options;
    const observed = observeAnswer(object, hubId, { keepsContent: objects.contents.isKeptOf(type), scale: type.scale });
    if (observed.visible) this.#watchOf(observed.ref)?.informer.observe(object);
    else objects.observe(observed.ref, observed);
  }

  *#essential(): Iterable<Watch> {
    for (const watch of this.#watches.values()) if (watch.isEssential) yield watch;
  }

  get #isComplete(): boolean {
    if (this.#kinds.isPending || this.#kinds.unsure.size > 0) return false;
    let kinds = 0;
    for (const watch of this.#essential()) {
      if (!isKnown(watch)) return false;
      kinds += 1;
    }
    return kinds > 0;
  }

  #watchOf({ apiVersion, kind, namespace }: ObjectRef): Watch | undefined {
    const isBounded = this.#options.session.namespaces !== undefined;
    return this.#watches.get(
      sightOf(`${parseApiVersion(apiVersion).group}/${kind}`, isBounded ? namespace : undefined),
    );
  }

  #mayRemove(ref: ObjectRef): boolean {
    const watch = this.#watchOf(ref);
    if (watch === undefined || !isKnown(watch)) return false;
    return !watch.informer.deletionsHeld && !watch.informer.isBehind;
  }

  #watch(type: ResourceType, namespace: string | undefined): Watch {
    const { session, hubId, clock, random, logger, objects } = this.#options;
    const informer = new Informer<ObservedObject>({
      client: session.client,
      type,
      ...(namespace === undefined ? {} : { namespace }),
      labelSelector: `${MANAGED_BY_LABEL}=${hubId}`,
      clock,
      random,
      logger,
      name: `${session.cluster}/${namespace === undefined ? "" : `${namespace}/`}${type.plural}`,
      transform: (object) => observe(object, { keepsContent: objects.contents.isKeptOf(type), scale: type.scale }),
      bounds: memberBounds(type, () => Math.max(objects.asked, this.#options.expected()?.length ?? 0)),
      known: this.#knownBefore(type, namespace),
      onContact: (ok, error) => {
        if (!ok && isNotFound(error)) this.#unserved.add(watch);
        else if (ok) this.#unserved.delete(watch);
        if (!watch.stop.signal.aborted) this.#heard(watch, ok ? undefined : error);
        if (!ok) session.suspect();
      },
    });
    const watch: Watch = {
      type,
      namespace,
      informer,
      isEssential: type.group !== "" || type.kind !== "Namespace",
      stop: new AbortController(),
      failure: undefined,
      blindSince: undefined,
      patience: undefined,
      isDenied: false,
      isLost: false,
    };
    informer.onEvent(({ type: change, object }) => {
      if (watch.isLost) return;
      objects.observe(object.ref, change === "Deleted" || !object.isOurs ? undefined : object);
    });
    informer.onDeletionsHeld(() => this.#trustChanged());
    informer.onReadAnew(() => this.#readAnew(watch));
    return watch;
  }

  /** What is not on the member any more may be believed, or not. */
  #trustChanged(): void {
    const { session, metrics, knowsMore, sightChanged } = this.#options;
    if (session.signal.aborted) return;
    metrics.setDeletionsHeld(session.cluster, this.#holdsDeletions);
    if (this.isPartlySynced) knowsMore();
    else sightChanged();
  }

  get #holdsDeletions(): boolean {
    if (this.#initialSync.isDoubted) return true;
    for (const { informer, isLost } of this.#watches.values()) if (!isLost && informer.deletionsHeld) return true;
    return false;
  }

  async #run({ informer, stop: { signal } }: Watch): Promise<void> {
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

  #stop(sight: string, watch: Watch): void {
    const { stop, patience } = watch;
    this.#watches.delete(sight);
    this.#unserved.delete(watch);
    patience?.[Symbol.dispose]();
    stop.abort(new Error(`${sight} is not watched any more`));
  }

  #end(): void {
    const { session, metrics } = this.#options;
    if (!this.isSynced) metrics.setDeletionsHeld(session.cluster, false);
    for (const { patience, stop } of this.#watches.values()) {
      patience?.[Symbol.dispose]();
      stop.abort(session.signal.reason);
    }
  }

  /** A watch broke or works again. */
  #heard(watch: Watch, error: unknown): void {
    const { cluster, local } = this.#options.session;
    const failure = error === undefined ? undefined : whyUnwatched(watch.type, error, local ? undefined : cluster);
    watch.isDenied = isForbidden(error);
    if (watch.isLost) {
      if (failure === undefined) this.#regainSight(watch);
      else watch.failure = failure;
      return;
    }
    if (error instanceof WentBackError) {
      this.#doubt(watch, failure);
      return;
    }
    // An answer is no news of a server that went back, until everything was read anew.
    if (failure === undefined && watch.informer.isBehind) return;
    const isNews = (watch.failure === undefined) !== (failure === undefined);
    const wasBlind = watch.blindSince !== undefined;
    watch.failure = failure;
    if (!isNews) return;
    if (failure !== undefined) {
      if (watch.informer.synced) {
        // A list that no watch follows is soon untrue; and where lists are allowed and watches are not, each session would begin with one.
        if (watch.isDenied && isGrantedByItself(watch) && !watch.informer.followed) this.#loseSight(watch);
        else this.#losePatienceLater(watch);
      } else {
        // One kind less to wait for: the others may be all that can be known.
        this.#initialSync.advance();
        this.#trustChanged();
      }
      return;
    }
    watch.patience?.[Symbol.dispose]();
    watch.blindSince = undefined;
    if (wasBlind || !watch.informer.synced) this.#options.sightChanged();
  }

  /** What is known is of a history that is no more, and so is as old as the last contact. */
  #doubt(watch: Watch, failure: string | undefined): void {
    watch.patience?.[Symbol.dispose]();
    watch.failure = failure;
    watch.blindSince ??= this.#options.clock.now();
    this.#trustChanged();
  }

  /** The server that went back was read anew. */
  #readAnew(watch: Watch): void {
    this.#heard(watch, undefined);
    this.#trustChanged();
  }

  #losePatienceLater(watch: Watch): void {
    if (watch.isLost) return;
    const { clock, sightChanged } = this.#options;
    const since = watch.blindSince ?? clock.now();
    watch.blindSince = undefined;
    watch.patience?.[Symbol.dispose]();
    watch.patience = clock.after(BLIND_AFTER_MS, () => {
      if (watch.isDenied && isGrantedByItself(watch)) return this.#loseSight(watch);
      watch.blindSince = since;
      sightChanged();
    });
  }

  /**
   * The right to watch these objects was taken away, or was never there beside that to list them: what is known of them is as good as nothing, and
   * everything else is known all the same. The watch goes on from where it was, and so finds out when it is allowed again.
   */
  #loseSight(watch: Watch): void {
    watch.patience?.[Symbol.dispose]();
    watch.isLost = true;
    this.#options.objects.loseSight((ref) => this.#watchOf(ref) !== watch);
    this.#initialSync.advance();
    this.#trustChanged();
  }

  /** The objects may be watched: they are read anew. */
  #regainSight(watch: Watch): void {
    const { type, namespace, failure } = watch;
    const sight = sightOf(kindOf(type), namespace);
    this.#stop(sight, watch);
    const anew = this.#watch(type, namespace);
    anew.failure = failure;
    this.#watches.set(sight, anew);
    void this.#run(anew);
  }

  /** Objects that an earlier session saw. When most of them are missing from the first read of this session, a second read has to agree. */
  *#knownBefore(
    type: ResourceType,
    namespace: string | undefined,
  ): Iterable<[string, { uid: string; object: ObservedObject }]> {
    const kind = kindOf(type);
    for (const { ref, observed } of this.#options.objects.all()) {
      if (namespace !== undefined && ref.namespace !== namespace) continue;
      if (observed?.visible !== true || `${parseApiVersion(ref.apiVersion).group}/${ref.kind}` !== kind) continue;
      yield [objectKey(ref.namespace, ref.name), { uid: observed.uid, object: observed }];
    }
  }
}

/** What it shows is all there is. */
function isKnown({ informer, isLost }: Watch): boolean {
  return informer.synced && !isLost;
}

/** The right comes and goes without the others: that of a kind which was granted by name, or those in one namespace. */
function isGrantedByItself({ type, namespace }: Watch): boolean {
  return namespace !== undefined || !isAlwaysGranted(type);
}

function kindOf({ group, kind }: ResourceType): string {
  return `${group}/${kind}`;
}

/** What one watch brings is as good as what the other would. */
function isWatchedAlike(a: ResourceType, b: ResourceType): boolean {
  return a.version === b.version && a.plural === b.plural && sameValue(a.scale, b.scale);
}
