import type { KubeObject } from "../../apis/index.ts";
import { backoffDelay, compareResourceVersions, keyOf, TimeSlice, withSignal } from "../core/index.ts";
import { isTooMuch, listPages, ofAnotherHistory, tooMuch } from "../client/index.ts";
import { Delivery } from "./delivery.ts";
import { type DeletionsHeld, type InformerEvent, type InformerOptions, isMassVanishing } from "./informerTypes.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorEvent } from "./reflectorTypes.ts";
import { type Change, type Entry, Store } from "./store.ts";

/** Version of objects that were known before the first snapshot: older than any version of a server. */
const BEFORE = "";
const CONFIRM = { baseMs: 1_000, capMs: 30_000 };

/**
 * Local copy of a selection of one cluster's objects, with indexes and handlers. It never goes back: only a later
 * version replaces an object. A relist that misses most objects deletes nothing until a second, consistent read agrees.
 */
export class Informer<T> {
  readonly #options: InformerOptions<T>;
  readonly #reflector: Reflector;
  readonly #store: Store<T>;
  readonly #delivery: Delivery<T>;
  readonly #readAnewHandlers = new Set<() => void>();
  readonly #heldHandlers = new Set<(state: DeletionsHeld) => void>();
  /** Objects that a relist missed, with their last known version, while their deletion is held. */
  readonly #held = new Map<string, string>();
  #knownWhenHeld = 0;
  /** Snapshot that is being read. The store takes it over at its end. */
  #staged: Map<string, Entry<T>> | undefined;
  /** The snapshot is of a server that may have gone back, so known versions say nothing about its objects. */
  #afresh = false;
  /** Size of the stored objects over the wire, at most. */
  #bytes = 0;
  /** The store holds every change up to this version, so an earlier answer is ignored. Tombstones have no bound. */
  #position: string | undefined;
  #synced = false;
  readonly #sync = Promise.withResolvers<void>();

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#reflector = new Reflector(options);
    this.#delivery = new Delivery({
      slice: TimeSlice.of(options.clock),
      failed: (error, key) => this.#handlerFailed(error, key),
    });
    this.#store = new Store(options.indexers);
    for (const [key, entry] of options.known ?? []) this.#store.put(key, { ...entry, resourceVersion: BEFORE });
  }

  /** Follows the cluster until the signal is aborted. Errors of the cluster never reject the promise. */
  async run(signal: AbortSignal): Promise<void> {
    let confirming: Promise<void> | undefined;
    await using events = this.#reflector.watch(signal);
    const { clock, prepare } = this.#options;
    const slice = TimeSlice.of(clock);
    for await (const event of events) {
      // A chunk of a watch holds many events, and the next one may have arrived already.
      while (slice.spent) await slice.next();
      if (prepare !== undefined && event.type === "Changed") await prepared(event.object, prepare);
      if (event.type === "SnapshotEnded") await this.#endSnapshot(event.resourceVersion, event.wentBack);
      else this.#take(event);
      if (this.#held.size > 0) confirming ??= this.#confirmDeletions(signal).finally(() => (confirming = undefined));
    }
    await confirming;
  }

  /** True when the first snapshot is in the store and handlers have had its events. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Resolves when synced; rejects with the signal's reason. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    await (signal === undefined ? this.#sync.promise : withSignal(this.#sync.promise, signal));
  }

  /** True if the server has accepted a watch at least once. A server may allow lists, but no watch. */
  get followed(): boolean {
    return this.#reflector.followed;
  }

  /** True while the server may have gone back and was not read again yet: the store may hold a lost history. */
  get isBehind(): boolean {
    return this.#reflector.startsAfresh;
  }

  /** Calls the handler when {@link isBehind} has ended. */
  onReadAnew(handler: () => void): Disposable {
    return added(this.#readAnewHandlers, handler);
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

  /** Objects for which the named indexer returned this value. Throws if there is no such indexer. */
  byIndex(index: string, value: string): T[] {
    return this.keysByIndex(index, value).flatMap((key) => this.#store.get(key)?.object ?? []);
  }

  /** Keys of {@link byIndex}. */
  keysByIndex(index: string, value: string): string[] {
    return [...this.#store.indexed(index, value)];
  }

  get size(): number {
    return this.#store.size;
  }

  /** Calls the handler for what a server has shown already, and then for every change, in order. */
  onEvent(handler: (event: InformerEvent<T>) => void): Disposable {
    for (const key of this.#shown()) {
      const object = this.get(key);
      if (object !== undefined) this.#delivery.show(handler, key, object);
    }
    return this.#delivery.add(handler);
  }

  /**
   * As {@link onEvent}, but what a server has shown already comes in time slices; the first slice is within the call. The
   * events of each object are in order: an object that changes meanwhile comes first as it was known.
   */
  follow(handler: (event: InformerEvent<T>) => void): Disposable {
    return this.#delivery.showInSlices(handler, this.#shown(), (key) => this.get(key));
  }

  /** Keys of the objects that handlers know. */
  #shown(): Set<string> {
    const shown = new Set<string>();
    for (const [key, { resourceVersion }] of this.#store.entries()) if (resourceVersion !== BEFORE) shown.add(key);
    for (const key of this.#delivery.undelivered()) shown.delete(key);
    return shown;
  }

  /** True while a relist missed most of the known objects, and no second read has agreed yet. */
  get deletionsHeld(): boolean {
    return this.#held.size > 0;
  }

  /** Calls the handler when the hold begins and when the hold ends. */
  onDeletionsHeld(handler: (state: DeletionsHeld) => void): Disposable {
    return added(this.#heldHandlers, handler);
  }

  /** Takes the answer to our own write of a selected object, unless a later state is known or it must be prepared. */
  observe(object: KubeObject): void {
    const { resourceVersion: version, uid } = object.metadata;
    if (version === undefined || uid === undefined) return;
    if (this.#position !== undefined && compareResourceVersions(version, this.#position) <= 0) return;
    if (this.#options.prepare?.(object) !== undefined) return;
    const entry = this.#entryOf(object, this.#store.get(keyOf(object)));
    if (entry !== undefined) {
      this.#reflector.wrote(object);
      this.#emit(this.#store.put(keyOf(object), entry));
    }
    this.#seen(keyOf(object));
  }

  /** Ends a pause after a failure: the cluster is known to be back. */
  retryNow(): void {
    this.#reflector.retryNow();
  }

  async #endSnapshot(resourceVersion: string, wentBack: boolean): Promise<void> {
    if (!this.#afresh) {
      const why = ofAnotherHistory(this.#staged ?? new Map(), resourceVersion, this.#store);
      if (why !== undefined) return this.#reflector.readAnew(why);
    }
    if (wentBack) this.#options.onWentBack?.();
    await this.#replace(resourceVersion, this.#afresh);
    if (this.#afresh) for (const handler of this.#readAnewHandlers) handler();
    this.#afresh = false;
  }

  #take(event: Exclude<ReflectorEvent, { type: "SnapshotEnded" }>): void {
    switch (event.type) {
      case "SnapshotStarted":
        this.#staged = new Map();
        this.#afresh = event.afresh;
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
    if (entry !== undefined) this.#emit(this.#store.put(key, entry));
    this.#seen(key);
    this.#bytes += bytes;
    if (isTooMuch(this.#options, this.#store.size, this.#bytes)) this.#measure();
  }

  /** `#bytes` also counts replaced versions, so the size is counted again before anything is given up. */
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
    // A later life of the object stays.
    if (before === undefined || compareResourceVersions(before.resourceVersion, version) > 0) return;
    this.#emit(this.#store.delete(key));
    this.#seen(key);
  }

  async #replace(resourceVersion: string, afresh: boolean): Promise<void> {
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
      // Our own write created this version after the snapshot.
      if (!afresh && compareResourceVersions(entry.resourceVersion, resourceVersion) > 0) continue;
      if (this.#held.has(key)) stillAbsent.push(key);
      else vanished.push(key);
    }
    for (const [key, entry] of staged) {
      changes.push(...this.#store.put(key, entry, afresh));
      this.#seen(key);
    }
    if (vanished.length > 0) this.#reflector.missedRemovals();
    // A snapshot is a consistent read as well.
    if (heldBefore > 0 && stillAbsent.length === heldBefore) changes.push(...this.#deleteHeld());
    if (isMassVanishing(vanished.length, known)) this.#hold(vanished, known);
    else for (const key of vanished) changes.push(...this.#store.delete(key));
    await this.#delivery.emitInSlices(changes.map((change) => ({ ...change, initial })));
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
      // A false deletion would be worse than an old state.
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

  /** Ends the hold for an object that exists after all, or was really deleted. */
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

  /** Reads again until a consistent read confirms the held deletions, or no deletion is held any more. */
  async #confirmDeletions(signal: AbortSignal): Promise<void> {
    const { clock, logger, random } = this.#options;
    for (let attempt = 1; this.#held.size > 0; attempt += 1) {
      try {
        await clock.sleep(backoffDelay(attempt, random === undefined ? CONFIRM : { ...CONFIRM, random }), signal);
        const present = await this.#keysOnServer(signal);
        const back = [...this.#held.keys()].filter((key) => present.has(key));
        if (back.length === 0) {
          this.#emit(this.#deleteHeld());
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

  /** False if the server has an object that the store lacks. Everything is then listed again. */
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

  #emit(changes: Change<T>[]): void {
    if (changes.length > 0) this.#delivery.emit(changes.map((change) => ({ ...change, initial: false })));
  }

  #deliverHeld(state: DeletionsHeld): void {
    for (const handler of this.#heldHandlers) {
      try {
        handler(state);
      } catch (error) {
        this.#handlerFailed(error);
      }
    }
  }

  #handlerFailed(error: unknown, key?: string): void {
    this.#options.logger.error({ informer: this.#options.name, key, err: error }, "a handler failed");
  }
}

function added<H>(handlers: Set<H>, handler: H): Disposable {
  handlers.add(handler);
  return { [Symbol.dispose]: () => void handlers.delete(handler) };
}

/** Repeats the preparation, because the prepared version may be outdated when it ends. */
async function prepared(object: KubeObject, prepare: NonNullable<InformerOptions<unknown>["prepare"]>): Promise<void> {
  for (let doing = prepare(object); doing !== undefined; doing = prepare(object)) await doing;
}
