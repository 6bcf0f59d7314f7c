import { type KubeObject, MANAGED_BY_LABEL, type ObjectRef } from "../apis/index.ts";
import type { Logger, Metrics } from "../observability/index.ts";
import { type Clock, Informer, isApiError, NAMESPACES, type ResourceType } from "../runtime/index.ts";
import { ForeignCheck } from "./foreignCheck.ts";
import { MemberWriter } from "./memberWriter.ts";
import { NamespaceJanitor } from "./namespaceJanitor.ts";
import { NamespaceMaker } from "./namespaces.ts";
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
  deletesAllowed: () => boolean;
  /** Called each time one more kind is fully known. */
  synced: () => void;
}

interface Watched {
  type: ResourceType;
  informer: Informer<ObservedObject>;
  failure: string | undefined;
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

  constructor(options: MemberLinkOptions) {
    this.#options = options;
    const { session, hubId, clock } = options;
    for (const type of options.kinds) {
      if (type !== NAMESPACES) this.#watched.set(`${type.group}/${type.kind}`, this.#watch(type));
    }
    if (options.kinds.includes(NAMESPACES)) {
      this.#namespaces = new Informer<KubeObject>({ ...this.#informerOptions(NAMESPACES), transform: withoutManagedFields });
      this.#janitor = new NamespaceJanitor({ ...options, informer: this.#namespaces });
    }
    this.writer = new MemberWriter({
      client: session.client,
      signal: session.signal,
      foreign: new ForeignCheck(session.client, hubId, clock),
      namespaces: new NamespaceMaker(session.client, hubId),
      typeOf: options.typeOf,
      isSynced: (ref) => this.#kindOf(ref)?.informer.synced ?? false,
      wrote: (type, object) => this.#watched.get(`${type.group}/${type.kind}`)?.informer.observe(object),
      invalidateDiscovery: () => session.discovery.invalidate(),
    });
  }

  start(): void {
    for (const watched of this.#watched.values()) void this.#run(watched);
    if (this.#namespaces === undefined) return;
    void this.#namespaces.run(this.#options.session.signal);
    this.#janitor?.start();
  }

  get isSynced(): boolean {
    for (const { informer } of this.#watched.values()) if (!informer.synced) return false;
    return true;
  }

  /** Some kind cannot be watched, so that waiting for all of them has no end in sight. */
  get hasFailed(): boolean {
    for (const { informer, failure } of this.#watched.values()) if (!informer.synced && failure !== undefined) return true;
    return false;
  }

  syncFailure(ref: ObjectRef): string | undefined {
    const watched = this.#kindOf(ref);
    return watched === undefined || watched.informer.synced ? undefined : watched.failure;
  }

  suspect(): void {
    this.#options.session.suspect();
  }

  /** The member is back: watches that wait out a failure need not wait any longer. */
  retryWatches(): void {
    for (const { informer } of this.#watched.values()) informer.retryNow();
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
    const { session, table, clock, metrics } = this.#options;
    const informer = new Informer<ObservedObject>({ ...this.#informerOptions(type), transform: observe });
    informer.onEvent((event) => {
      table.observe(session.cluster, event.object.ref, event.type === "Deleted" ? undefined : event.object, clock.monotonic());
    });
    informer.onDeletionsHeld(({ held }) => metrics.setDeletionsHeld(session.cluster, held));
    return { type, informer, failure: undefined };
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
      this.#forgetVanished(watched);
      synced();
      this.#janitor?.considerAll();
    }
    await running;
  }

  /** What an earlier session saw and this one does not is gone. */
  #forgetVanished({ type, informer }: Watched): void {
    const { session, table, clock } = this.#options;
    for (const entry of [...table.entriesIn(session.cluster)]) {
      if (entry.observed === undefined || this.#options.typeOf(entry.ref) !== type) continue;
      const { namespace, name } = entry.ref;
      if (informer.get(namespace === undefined ? name : `${namespace}/${name}`) !== undefined) continue;
      table.observe(session.cluster, entry.ref, undefined, clock.monotonic());
    }
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
        if (watched !== undefined) watched.failure = ok ? undefined : describe(type, error);
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

