import { type KubeObject, MANAGED_BY_LABEL, type ObjectRef } from "../apis/index.ts";
import type { Logger, Metrics } from "../observability/index.ts";
import { type Clock, Informer, isApiError, NAMESPACES, objectKey, type ResourceType } from "../runtime/index.ts";
import { FirstLook } from "./firstLook.ts";
import { ForeignCheck } from "./foreignCheck.ts";
import { MemberWriter } from "./memberWriter.ts";
import { type NamespaceCustody, NamespaceJanitor } from "./namespaceJanitor.ts";
import { MemberNamespaces } from "./namespaces.ts";
import { observe, type ObservedObject } from "./observed.ts";
import type { DesiredStateTable } from "./table.ts";
import type { MemberSession } from "./types.ts";

export interface MemberLinkOptions {
  session: MemberSession;
  table: DesiredStateTable;
  hubId: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  kinds: readonly ResourceType[];
  typeOf: (ref: ObjectRef) => ResourceType | undefined;
  /** In one namespace of the member. */
  deletesAllowed: (namespace: string) => boolean;
  custody: NamespaceCustody;
  /** A namespace that Meridian made stays on the member, since nobody can say what is in it. */
  namespaceKept: (namespace: string, why: string) => void;
  /** Hub objects whose status says that something of them is on that member. */
  reported: (cluster: string) => Iterable<string>;
  /** Called each time one more kind is fully known. */
  synced: () => void;
  /** Why a kind is not known, or {@link MemberLink.blindness}, has changed. */
  sightChanged: () => void;
}

/** A watch that has been broken for so long brings nothing any more: what it told before may be untrue by now. */
const BLIND_AFTER_MS = 30_000;

interface Watched {
  type: ResourceType;
  informer: Informer<ObservedObject>;
  /** Why its watch is broken now. */
  failure: string | undefined;
  /** Since when, epoch milliseconds, once it has lasted. */
  blindSince: number | undefined;
  patience: Disposable | undefined;
}

/**
 * One session's watches and writes: one watch for each kind, of the objects that carry our label; what they report goes into the
 * table. It ends with the session.
 */
export class MemberLink {
  readonly writer: MemberWriter;
  readonly #options: MemberLinkOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #namespaces: Informer<KubeObject> | undefined;
  readonly #janitor: NamespaceJanitor | undefined;
  readonly #held = new Set<ResourceType>();
  readonly #firstLook: FirstLook;

  constructor(options: MemberLinkOptions) {
    this.#options = options;
    const { session, hubId, clock } = options;
    const { cluster, signal } = session;
    this.#firstLook = new FirstLook({
      ...options,
      cluster,
      signal,
      informers: () => [...this.#watched.values()].map(({ informer }) => informer),
      reported: () => options.reported(cluster),
      isThere: (owner) => this.#isThere(owner),
      changed: () => this.#trustChanged(),
    });
    const namespaces = new MemberNamespaces(session.client, hubId);
    for (const type of options.kinds) {
      if (type !== NAMESPACES) this.#watched.set(`${type.group}/${type.kind}`, this.#watch(type));
    }
    if (options.kinds.includes(NAMESPACES)) {
      this.#namespaces = new Informer<KubeObject>({
        ...this.#informerOptions(NAMESPACES),
        transform: withoutManagedFields,
      });
      this.#janitor = new NamespaceJanitor({ ...options, informer: this.#namespaces, namespaces });
    }
    this.writer = new MemberWriter({
      client: session.client,
      signal: session.signal,
      foreign: new ForeignCheck(session.client, hubId, clock),
      namespaces,
      typeOf: options.typeOf,
      isSynced: (ref) => this.#kindOf(ref)?.informer.synced ?? false,
      wrote: (type, object) => this.#watched.get(`${type.group}/${type.kind}`)?.informer.observe(object),
      invalidateDiscovery: () => session.discovery.invalidate(),
    });
  }

  start(): void {
    const { signal } = this.#options.session;
    for (const watched of this.#watched.values()) void this.#run(watched);
    signal.addEventListener("abort", () => this.#end(), { once: true });
    if (this.#namespaces === undefined) return;
    void this.#namespaces.run(signal);
    this.#janitor?.start();
  }

  /** Every object of ours there is known, and so is what is not there any more. */
  get isSynced(): boolean {
    return this.#held.size === 0 && this.#firstLook.isTrusted;
  }

  get #isComplete(): boolean {
    for (const { informer } of this.#watched.values()) if (!informer.synced) return false;
    return true;
  }

  /** Some kind cannot be watched, so that waiting for all of them has no end in sight. */
  get hasFailed(): boolean {
    for (const { informer, failure } of this.#watched.values())
      if (!informer.synced && failure !== undefined) return true;
    return false;
  }

  syncFailure(ref: ObjectRef): string | undefined {
    const watched = this.#kindOf(ref);
    return watched === undefined || watched.informer.synced ? undefined : watched.failure;
  }

  /** Some watch broke long ago, though the member answers: what is known is as old as that (epoch milliseconds). */
  get blindness(): { since: number; message: string } | undefined {
    for (const { blindSince, failure } of this.#watched.values()) {
      if (blindSince !== undefined && failure !== undefined) return { since: blindSince, message: failure };
    }
    return undefined;
  }

  suspect(): void {
    this.#options.session.suspect();
  }

  /** The member is back: watches that wait out a failure need not wait any longer. */
  retryWatches(): void {
    for (const watched of this.#watched.values()) {
      if (watched.failure !== undefined) this.#losePatienceLater(watched);
      watched.informer.retryNow();
    }
    this.#namespaces?.retryNow();
  }

  objectGone(ref: ObjectRef): void {
    if (ref.namespace !== undefined) this.#janitor?.consider(ref.namespace);
  }

  gateOpened(): void {
    this.#janitor?.considerAll();
  }

  #kindOf(ref: ObjectRef): Watched | undefined {
    const type = this.#options.typeOf(ref);
    return type === undefined ? undefined : this.#watched.get(`${type.group}/${type.kind}`);
  }

  #watch(type: ResourceType): Watched {
    const { session, table, clock } = this.#options;
    const informer = new Informer<ObservedObject>({
      ...this.#informerOptions(type),
      transform: observe,
      known: this.#knownBefore(type),
    });
    informer.onEvent((event) => {
      table.observe(
        session.cluster,
        event.object.ref,
        event.type === "Deleted" ? undefined : event.object,
        clock.monotonic(),
      );
    });
    informer.onDeletionsHeld(({ held }) => {
      if (held) this.#held.add(type);
      else this.#held.delete(type);
      this.#trustChanged();
    });
    return { type, informer, failure: undefined, blindSince: undefined, patience: undefined };
  }

  /** What is not there any more may be believed, or not. */
  #trustChanged(): void {
    const { session, metrics, synced } = this.#options;
    metrics.setDeletionsHeld(session.cluster, this.#held.size > 0 || this.#firstLook.isDoubted);
    if (!this.isSynced) return;
    synced();
    this.#janitor?.considerAll();
  }

  #end(): void {
    for (const { patience } of this.#watched.values()) patience?.[Symbol.dispose]();
    if (!this.isSynced) this.#options.metrics.setDeletionsHeld(this.#options.session.cluster, false);
  }

  /** A watch broke or works again. */
  #heard(watched: Watched, failure: string | undefined): void {
    const isNews = (watched.failure === undefined) !== (failure === undefined);
    const wasBlind = watched.blindSince !== undefined;
    watched.failure = failure;
    if (!isNews) return;
    if (failure !== undefined) {
      if (watched.informer.synced) this.#losePatienceLater(watched);
      else this.#options.sightChanged();
      return;
    }
    watched.patience?.[Symbol.dispose]();
    watched.blindSince = undefined;
    if (wasBlind) this.#options.sightChanged();
  }

  #losePatienceLater(watched: Watched): void {
    const { clock, sightChanged } = this.#options;
    const since = watched.blindSince ?? clock.now();
    watched.blindSince = undefined;
    watched.patience?.[Symbol.dispose]();
    watched.patience = clock.after(BLIND_AFTER_MS, () => {
      watched.blindSince = since;
      sightChanged();
    });
  }

  async #run(watched: Watched): Promise<void> {
    const { session, synced } = this.#options;
    const running = watched.informer.run(session.signal);
    try {
      await watched.informer.waitForSync(session.signal);
    } catch (error) {
      if (!session.signal.aborted) throw error;
    }
    if (!session.signal.aborted) {
      if (this.#isComplete) this.#firstLook.take();
      synced();
      this.#janitor?.considerAll();
    }
    await running;
  }

  /** What an earlier session saw. Had that been most of what there is, one look of this session alone does not make it vanish. */
  *#knownBefore(type: ResourceType): Iterable<[string, { uid: string; object: ObservedObject }]> {
    const { session, table, typeOf } = this.#options;
    for (const { ref, observed } of table.entriesIn(session.cluster)) {
      if (observed === undefined || typeOf(ref) !== type) continue;
      yield [objectKey(ref.namespace, ref.name), { uid: observed.uid, object: observed }];
    }
  }

  #isThere(owner: string): boolean {
    const { session, table } = this.#options;
    for (const { cluster, observed } of table.entriesOf(owner))
      if (cluster === session.cluster && observed !== undefined) return true;
    return false;
  }

  #informerOptions(type: ResourceType) {
    const { session, hubId, clock, random, logger } = this.#options;
    return {
      client: session.client,
      type,
      labelSelector: `${MANAGED_BY_LABEL}=${hubId}`,
      clock,
      random,
      logger,
      name: `${session.cluster}/${type.plural}`,
      onContact: (ok: boolean, error?: unknown) => {
        const watched = this.#watched.get(`${type.group}/${type.kind}`);
        if (watched !== undefined) this.#heard(watched, ok ? undefined : describe(type, error));
        if (!ok) session.suspect();
      },
    };
  }
}

function describe(type: ResourceType, error: unknown): string {
  if (isApiError(error)) return `${type.plural} cannot be watched on the member: ${error.apiMessage}`;
  return `${type.plural} cannot be watched on the member`;
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, metadata };
}
