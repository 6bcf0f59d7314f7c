import type { KubeObject } from "../../apis/index.ts";
import { backoffDelay, compareResourceVersions, keyOf, TimeSlice, withSignal } from "../core/index.ts";
import { isTooMuch, listPages, ofAnotherHistory, tooMuch } from "../client/index.ts";
import { type DeletionsHeld, type InformerEvent, type InformerOptions, isMassVanishing } from "./informerTypes.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorEvent } from "./reflectorTypes.ts";
import { type Change, type Entry, Store } from "./store.ts";

/** The version of what was known before the first snapshot: older than any that a server gives. */
const BEFORE = "";
const CONFIRM = { baseMs: 1_000, capMs: 30_000 };

/**
 * A copy of a selection of one cluster's objects that follows it, with indexes and handlers.
 *
 * The store never goes back: an object is replaced only by a later version, and what was deleted does not come back with a late
 * answer. A relist that suddenly misses most objects deletes nothing until a second, consistent read agrees.
 */
export class Informer<T> {
  readonly #options: InformerOptions<T>;
  readonly #reflector: Reflector;
  readonly #store: Store<T>;
  readonly #handlers = new Set<(event: InformerEvent<T>) => void>();
  readonly #readAnewHandlers = new Set<() => void>();
  readonly #heldHandlers = new Set<(state: DeletionsHeld) => void>();
  /** Objects that a relist missed, with the last version known, while their deletion is held. */
  readonly #held = new Map<string, string>();
  #knownWhenHeld = 0;
  /** The snapshot that is being read; it takes effect at its end. */
  #staged: Map<string, Entry<T>> | undefined;
  /** The snapshot is of a server that may have gone back: what is known says nothing of its objects. */
  #afresh = false;
  /** No less than what the objects in the store were on the wire. */
  #bytes = 0;
  /**
   * The store holds every change up to this resourceVersion. A late answer from before is therefore of no interest: the object is known
   * at that version or a later one, or was deleted since. This does what a list of tombstones would, without a bound.
   */
  #position: string | undefined;
  readonly #queue: InformerEvent<T>[] = [];
  #delivering = false;
  #synced = false;
  readonly #sync = Promise.withResolvers<void>();

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#reflector = new Reflector(options);
    this.#store = new Store(options.indexers);
    for (const [key, entry] of options.known ?? []) this.#store.put(key, { ...entry, resourceVersion: BEFORE });
  }

  /** Follows the cluster until the signal is aborted. Cluster trouble never rejects it. */
  async run(signal: AbortSignal): Promise<void> {
    let confirming: Promise<void> | undefined;
    await using events = this.#reflector.watch(signal);
    const { clock, prepare } = this.#options;
    const slice = TimeSlice.of(clock);
    for await (const event of events) {
      // A chunk of a watch holds many events, and the next chunk may be there already.
      while (slice.spent) await slice.next();
      if (prepare !== undefined && event.type === "Changed") await prepared(event.object, prepare);
      this.#take(event);
      if (this.#held.size > 0) confirming ??= this.#confirmDeletions(signal).finally(() => (confirming = undefined));
    }
    await confirming;
  }

  /** The first snapshot is in the store, and handlers have had its events. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Resolves when synced; rejects with the signal's reason. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    await (signal === undefined ? this.#sync.promise : withSignal(this.#sync.promise, signal));
  }

  /** The server has let it watch, at least once. Lists it may allow without that. */
  get followed(): boolean {
    return this.#reflector.followed;
  }

  /** The server went back to an earlier state, or may have, and has not been read anew yet: what is in the store may be of a history that is no more. */
  get isBehind(): boolean {
    return this.#reflector.startsAfresh;
  }

  /** Called when {@link isBehind} has ended. */
  onReadAnew(handler: () => void): Disposable {
    this.#readAnewHandlers.add(handler);
    return { [Symbol.dispose]: () => void this.#readAnewHandlers.delete(handler) };
  }

  get(key: string): T | undefined {
    return this.#store.get(key)?.object;
  }

  list(): T[] {
    return Array.from(this.#store.entries(), ([, entry]) => entry.object);
  }

  keys(): string[] {
    return [...this.#store.keys()];
  }

  /** Objects for which the indexer of that name gave this value. Throws when there is no such indexer. */
  byIndex(index: string, value: string): T[] {
    const found: T[] = [];
    for (const key of this.#store.indexed(index, value)) {
      const entry = this.#store.get(key);
      if (entry !== undefined) found.push(entry.object);
    }
    return found;
  }

  /** Keys of {@link byIndex}. */
  keysByIndex(index: string, value: string): string[] {
    return [...this.#store.indexed(index, value)];
  }

  get size(): number {
    return this.#store.size;
  }

  /** The last version known of an object, for reads that must be as new as a write. */
  resourceVersionOf(key: string): string | undefined {
    return this.#store.get(key)?.resourceVersion;
  }

  /**
   * Calls the handler for every change, in order, as soon as it is in the store; first of all, within this call, for every object
   * that is there already. What a handler throws is logged and stops nobody.
   */
  onEvent(handler: (event: InformerEvent<T>) => void): Disposable {
    for (const [key, { object, resourceVersion }] of [...this.#store.entries()])
      if (resourceVersion !== BEFORE) this.#call(() => handler({ type: "Added", key, object, initial: true }), key);
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** Deletions are held: a relist made 10 or more, and more than half, of the known objects vanish, and no second read has agreed yet. */
  get deletionsHeld(): boolean {
    return this.#held.size > 0;
  }

  /** Called when holding begins and when it ends. */
  onDeletionsHeld(handler: (state: DeletionsHeld) => void): Disposable {
    this.#heldHandlers.add(handler);
    return { [Symbol.dispose]: () => void this.#heldHandlers.delete(handler) };
  }

  /**
   * Takes the answer to one's own write into the store at once, unless it knows better already. For objects of this selection only: what
   * the selectors leave out is not recognised. What has to be prepared first comes by the watch.
   */
  observe(object: KubeObject): void {
    const { resourceVersion: version, uid } = object.metadata;
    if (version === undefined || uid === undefined) return;
    if (this.#position !== undefined && compareResourceVersions(version, this.#position) <= 0) return;
    if (this.#options.prepare?.(object) !== undefined) return;
    const entry = this.#entryOf(object, this.#store.get(keyOf(object)));
    if (entry !== undefined) {
      this.#reflector.wrote(object);
      this.#emit(this.#store.put(keyOf(object), entry), false);
    }
    this.#seen(keyOf(object));
  }

  /** Ends a pause after a failure now: somebody knows that the cluster is back. */
  retryNow(): void {
    this.#reflector.retryNow();
  }

  #take(event: ReflectorEvent): void {
    switch (event.type) {
      case "SnapshotStarted":
        this.#staged = new Map();
        this.#afresh = event.afresh;
        return;
      case "SnapshotEnded":
        if (!this.#afresh) {
          const why = ofAnotherHistory(this.#staged ?? new Map(), event.resourceVersion, this.#store);
          if (why !== undefined) return this.#reflector.readAnew(why);
        }
        if (event.wentBack) this.#options.onWentBack?.();
        this.#replace(event.resourceVersion, this.#afresh);
        if (this.#afresh) for (const handler of this.#readAnewHandlers) handler();
        this.#afresh = false;
        return;
      case "Progressed":
        this.#position = event.resourceVersion;
        return;
      case "Changed":
        if (this.#staged !== undefined) this.#stage(event.object, event.bytes, this.#staged);
        else this.#change(event.object, event.bytes);
        return;
      case "Deleted":
        if (this.#staged !== undefined) this.#staged.delete(keyOf(event.object));
        else this.#remove(event.object);
        return;
    }
  }

  #stage(object: KubeObject, bytes: number, staged: Map<string, Entry<T>>): void {
    const key = keyOf(object);
    const entry = this.#entryOf(object, this.#store.get(key), bytes);
    if (entry !== undefined) staged.set(key, entry);
  }

  #change(object: KubeObject, bytes: number): void {
    const key = keyOf(object);
    this.#position = object.metadata.resourceVersion;
    const entry = this.#entryOf(object, this.#store.get(key), bytes);
    if (entry !== undefined) this.#emit(this.#store.put(key, entry), false);
    this.#seen(key);
    this.#bytes += bytes;
    if (isTooMuch(this.#options, this.#store.size, this.#bytes)) this.#measure();
  }

  /** Every change was added up; what counts is what is there. */
  #measure(): void {
    this.#bytes = 0;
    for (const [, { bytes = 0 }] of this.#store.entries()) this.#bytes += bytes;
    if (isTooMuch(this.#options, this.#store.size, this.#bytes)) this.#reflector.giveUp(tooMuch(this.#options));
  }

  #remove(object: KubeObject): void {
    const key = keyOf(object);
    const version = object.metadata.resourceVersion ?? "";
    this.#position = version;
    const before = this.#store.get(key);
    // A later life, or a version that our own write made after this deletion, stays.
    if (before === undefined || compareResourceVersions(before.resourceVersion, version) > 0) return;
    this.#emit(this.#store.delete(key), false);
    this.#seen(key);
  }

  #replace(resourceVersion: string, afresh: boolean): void {
    const staged = this.#staged ?? new Map<string, Entry<T>>();
    this.#staged = undefined;
    this.#position = resourceVersion;
    const initial = !this.#synced;
    const heldBefore = this.#held.size;
    const known = this.#store.size - heldBefore;
    const changes: Change<T>[] = [];
    const vanished: string[] = [];
    const stillAbsent: string[] = [];
    for (const [key, entry] of this.#store.entries()) {
      if (staged.has(key)) continue;
      // Written by ourselves after the snapshot was taken.
      if (!afresh && compareResourceVersions(entry.resourceVersion, resourceVersion) > 0) continue;
      if (this.#held.has(key)) stillAbsent.push(key);
      else vanished.push(key);
    }
    for (const [key, entry] of staged) {
      changes.push(...this.#store.put(key, entry, afresh));
      this.#seen(key);
    }
    if (vanished.length > 0) this.#reflector.missedRemovals();
    // A snapshot is a consistent read too: when it misses everything that is held, it is the second one that agrees.
    if (heldBefore > 0 && stillAbsent.length === heldBefore) changes.push(...this.#deleteHeld());
    if (isMassVanishing(vanished.length, known)) this.#hold(vanished, known);
    else for (const key of vanished) changes.push(...this.#store.delete(key));
    this.#emit(changes, initial);
    this.#measure();
    if (initial) {
      this.#synced = true;
      this.#sync.resolve();
    }
  }

  /** Unchanged objects keep their entry, so that a relist neither transforms nor allocates again. */
  #entryOf(object: KubeObject, before: Entry<T> | undefined, bytes = 0): Entry<T> | undefined {
    const { uid = "", resourceVersion = "" } = object.metadata;
    if (!this.#afresh && before?.uid === uid && before.resourceVersion === resourceVersion) return before;
    try {
      return { uid, resourceVersion, bytes, object: Object.freeze(this.#options.transform(object)) };
    } catch (error) {
      // It exists all the same: to take it for deleted would be worse than to keep its last readable state.
      this.#options.logger.error(
        { informer: this.#options.name, key: keyOf(object), err: error },
        "object is not readable; its last readable state is kept",
      );
      return before === undefined ? undefined : { ...before, resourceVersion };
    }
  }

  #hold(keys: string[], known: number): void {
    const before = this.#held.size;
    for (const key of keys) this.#held.set(key, this.#store.get(key)?.resourceVersion ?? "");
    this.#knownWhenHeld = known + before;
    const { logger, client } = this.#options;
    logger.warn(
      { informer: this.#options.name, cluster: client.cluster, vanished: this.#held.size, known: this.#knownWhenHeld },
      "most objects vanished at once; deletions are held until a second read agrees",
    );
    this.#deliverHeld({ held: true, vanished: this.#held.size, known: this.#knownWhenHeld });
  }

  /** An object whose deletion was held exists after all, or was really deleted. */
  #seen(key: string): void {
    if (this.#held.delete(key) && this.#held.size === 0) this.#released(0);
  }

  #deleteHeld(): Change<T>[] {
    const keys = [...this.#held.keys()];
    this.#held.clear();
    const changes = keys.flatMap((key) => this.#store.delete(key));
    this.#released(keys.length);
    return changes;
  }

  #released(deleted: number): void {
    const { logger, client } = this.#options;
    logger.info({ informer: this.#options.name, cluster: client.cluster, deleted }, "deletions are no longer held");
    this.#deliverHeld({ held: false, vanished: deleted, known: this.#knownWhenHeld });
  }

  /** Reads again until a consistent read agrees with what is held, or nothing is held any more. */
  async #confirmDeletions(signal: AbortSignal): Promise<void> {
    const { clock, logger, random } = this.#options;
    for (let attempt = 1; this.#held.size > 0; attempt += 1) {
      try {
        await clock.sleep(backoffDelay(attempt, random === undefined ? CONFIRM : { ...CONFIRM, random }), signal);
        const present = await this.#keysOnServer(signal);
        const back = [...this.#held.keys()].filter((key) => present.has(key));
        if (back.length === 0) {
          this.#emit(this.#deleteHeld(), false);
          return;
        }
        logger.warn(
          { informer: this.#options.name, back: back.length, held: this.#held.size },
          "objects that had vanished are back; listing again",
        );
        for (const key of back) this.#seen(key);
        this.#reflector.relist();
      } catch (error) {
        if (signal.aborted) return;
        logger.debug({ informer: this.#options.name, err: error }, "second read failed; deletions stay held");
      }
    }
  }

  /** Reads again, consistently. False when that shows objects that are not known here: then everything is listed anew. */
  async agreesWithServer(signal: AbortSignal): Promise<boolean> {
    for (const key of await this.#keysOnServer(signal)) {
      if (this.#store.get(key) !== undefined) continue;
      this.#reflector.relist();
      return false;
    }
    return true;
  }

  async #keysOnServer(signal: AbortSignal): Promise<Set<string>> {
    const keys = new Set<string>();
    for await (const page of listPages(this.#options, { signal, metadataOnly: true })) {
      for (const object of page.items) keys.add(keyOf(object));
    }
    return keys;
  }

  #emit(changes: Change<T>[], initial: boolean): void {
    for (const change of changes) this.#queue.push({ ...change, initial });
    // A handler that changes the store (observe) must not overtake the event that others still have to hear of.
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      // Grows while it is walked when handlers cause further events.
      for (const event of this.#queue) {
        for (const handler of this.#handlers) this.#call(() => handler(event), event.key);
      }
    } finally {
      this.#queue.length = 0;
      this.#delivering = false;
    }
  }

  #deliverHeld(state: DeletionsHeld): void {
    for (const handler of this.#heldHandlers) this.#call(() => handler(state));
  }

  #call(handler: () => void, key?: string): void {
    try {
      handler();
    } catch (error) {
      this.#options.logger.error({ informer: this.#options.name, key, err: error }, "a handler failed");
    }
  }
}

/** What was prepared may be of another version by the time that it is done. */
async function prepared(object: KubeObject, prepare: NonNullable<InformerOptions<unknown>["prepare"]>): Promise<void> {
  for (let doing = prepare(object); doing !== undefined; doing = prepare(object)) await doing;
}
