import {
  defined,
  type KubeObject,
  type ObjectRef,
  type ObjectSetting,
  parseApiVersion,
  refKey,
  type ResourceSelector,
  selectsAmongKind,
} from "../../apis/index.ts";
import { withTheirNeeds } from "../../desiredstate/index.ts";
import { type Dependency, dependencyKindOf } from "../../interpreter/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  Emitter,
  Informer,
  isForbidden,
  knownType,
  type ResourceType,
  SECRETS,
} from "../../runtime/index.ts";
import { causeOf, type NeededThere, type ObjectStates, type PartStore } from "../states/index.ts";
import { Groups } from "../tables/index.ts";

/** Helm keeps whole releases in Secrets; no application refers to them. */
const NO_RELEASES = "type!=helm.sh/release.v1";

const BATCH = 256;

const NOTHING: ReadonlyMap<string, KubeObject> = new Map();

interface Watch {
  type: ResourceType;
  namespace: string | undefined;
  informer: Informer<KubeObject>;
  /** Meridian may not read the kind here: its objects count as unknown, even if they were read before. */
  forbidden: boolean;
  failed: boolean;
  stop: AbortController;
  owners: Set<string>;
}

export interface Collected {
  found: Map<string, KubeObject>;
  unreadable: Set<string>;
  /** The requested dependencies, and the dependencies that these need themselves. */
  needed: readonly Dependency[];
}

/** Longest pause before a forbidden namespace is tried again, unless many namespaces are forbidden. */
const REFUSED_PAUSE_MS = 30_000;
/** Average time between two retries, however many namespaces are forbidden. */
const REFUSED_SHARE_MS = 250;

export interface DependencyWatchesOptions {
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
  states: PartStore<"needs"> & Pick<ObjectStates, "traces">;
}

/**
 * Watches the objects that hub objects refer to. Only kinds and namespaces with references are watched, so that rights
 * on those are enough. A forbidden watch is tried again; the pause grows with their number.
 */
export class DependencyWatches implements Disposable {
  /** The key of a hub object with a dependency that has changed or was read for the first time. */
  readonly changes = new Emitter<string>();
  /** The key of a hub object that needs fewer objects than before, or none. */
  readonly releases = new Emitter<string>();
  readonly #options: DependencyWatchesOptions;
  readonly #watches = new Map<string, Watch>();
  /** Hub objects by the keys of what they need. Derived from their records. */
  readonly #referrers = new Groups<string>();
  readonly #end = new AbortController();

  constructor(options: DependencyWatchesOptions) {
    this.#options = options;
  }

  /** The dependencies of a hub object; undefined while a watch for one of them has not synced. */
  collect(owner: string, asked: readonly Dependency[]): Collected | undefined {
    // The needs of a dependency are known only after the dependency itself was read.
    const needed = withTheirNeeds(asked, this.#presentOf(asked));
    this.#register(owner, needed);
    const found = new Map<string, KubeObject>();
    const unreadable = new Set<string>();
    for (const { ref } of needed) {
      const watch = this.#watches.get(watchKey(ref));
      if (watch === undefined) continue;
      if (watch.forbidden) {
        unreadable.add(refKey(ref));
        continue;
      }
      if (!watch.informer.synced) return undefined;
      const object = objectIn(watch, ref);
      if (object !== undefined) found.set(refKey(ref), object);
    }
    return { found, unreadable, needed };
  }

  /** The known objects among the dependencies that may have dependencies themselves. */
  #presentOf(needed: readonly Dependency[]): ReadonlyMap<string, KubeObject> {
    let present: Map<string, KubeObject> | undefined;
    for (const { ref } of needed) {
      if (ref.kind !== "ServiceAccount") continue;
      const watch = this.#watches.get(watchKey(ref));
      const object = watch === undefined || watch.forbidden ? undefined : objectIn(watch, ref);
      if (object !== undefined) (present ??= new Map()).set(refKey(ref), object);
    }
    return present ?? NOTHING;
  }

  /** The hub objects that need the object with this {@link refKey}, whether the object exists or not. */
  referrersTo(key: string): Iterable<string> {
    return this.#referrers.of(key);
  }

  /**
   * Keys of the hub objects that need an object which a selector selects. Yields undefined where the caller may pause.
   * A key may come twice.
   */
  *needingSelected(
    selectors: readonly ResourceSelector[],
    namespace: string | undefined,
    settingOf: (object: KubeObject) => ObjectSetting,
  ): Generator<string | undefined, void, undefined> {
    let compared = 0;
    for (const { informer, type, namespace: of } of [...this.#watches.values()]) {
      if (namespace !== undefined && namespace !== of) continue;
      const ofKind = selectors.filter(
        ({ apiVersion, kind }) => kind === type.kind && parseApiVersion(apiVersion).group === type.group,
      );
      for (const object of ofKind.length === 0 ? [] : informer.list()) {
        compared += 1;
        if (compared % BATCH === 0) yield undefined;
        const owners = this.#referrers.of(refKey(keyed(object, type)));
        if (owners.size === 0) continue;
        const setting = settingOf(object);
        if (ofKind.some((selector) => selectsAmongKind(selector, object, setting))) yield* owners;
      }
    }
  }

  /** True while a dependency is being read for the first time, without failure: the plan comes soon. */
  areComing(owner: string): boolean {
    for (const key of this.#needsOf(owner)?.watches ?? []) {
      const watch = this.#watches.get(key);
      if (watch !== undefined && !watch.informer.synced && !watch.failed) return true;
    }
    return false;
  }

  forget(owner: string): void {
    const needs = this.#needsOf(owner);
    if (needs === undefined) return;
    this.#options.states.clear(owner, "needs");
    for (const key of needs.keys) this.#referrers.delete(key, owner);
    for (const key of needs.watches) this.#release(key, owner);
    if (needs.keys.length > 0) this.releases.emit(owner);
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  #needsOf(owner: string): NeededThere | undefined {
    return this.#options.states.get(owner)?.needs;
  }

  #register(owner: string, needed: readonly Dependency[]): void {
    const keys = needed.map(({ ref }) => refKey(ref));
    const before = this.#needsOf(owner);
    if (before === undefined ? keys.length === 0 : sameKeys(before.keys, keys)) return;
    const watches = [...new Set(needed.map(({ ref }) => watchKey(ref)))];
    for (const { ref } of needed) this.#watch(ref, owner);
    for (const key of before?.watches ?? []) if (!watches.includes(key)) this.#release(key, owner);
    for (const key of before?.keys ?? []) this.#referrers.delete(key, owner);
    for (const key of keys) this.#referrers.add(key, owner);
    this.#options.states.setPart(owner, "needs", { keys, watches });
    if (before?.keys.some((key) => !keys.includes(key)) === true) this.releases.emit(owner);
  }

  #watch(ref: ObjectRef, owner: string): void {
    const key = watchKey(ref);
    let watch = this.#watches.get(key);
    if (watch === undefined) {
      watch = this.#start(ref);
      if (watch === undefined) return;
      this.#watches.set(key, watch);
    }
    watch.owners.add(owner);
  }

  #start(ref: ObjectRef): Watch | undefined {
    const kind = dependencyKindOf(ref);
    if (kind === undefined) return undefined;
    const type = knownType(kind);
    const { client, clock, random, logger } = this.#options;
    const changed = (owner: string): void => this.changes.emit(owner);
    const stop = new AbortController();
    const ended = AbortSignal.any([this.#end.signal, stop.signal]);
    const informer = new Informer<KubeObject>({
      client,
      clock,
      random,
      logger,
      type,
      ...defined({ namespace: ref.namespace }),
      ...(type === SECRETS ? { fieldSelector: NO_RELEASES } : {}),
      name: `hub/${type.plural}/${ref.namespace ?? ""}`,
      transform: (object) => object,
      refusedPauseMs: () => Math.max(REFUSED_PAUSE_MS, this.#forbidden * REFUSED_SHARE_MS),
      onContact: (ok, error) => {
        const forbidden = !ok && isForbidden(error);
        const failed = !ok && !informer.synced;
        if (forbidden === watch.forbidden && failed === watch.failed) return;
        if (forbidden !== watch.forbidden) this.#logAccess(ref, forbidden);
        Object.assign(watch, { forbidden, failed });
        for (const owner of watch.owners) changed(owner);
      },
    });
    const watch: Watch = {
      type,
      namespace: ref.namespace,
      informer,
      forbidden: false,
      failed: false,
      stop,
      owners: new Set(),
    };
    informer.onEvent(({ object, initial }) => {
      if (initial && !informer.synced) return;
      const cause = causeOf(keyed(object, type), object.metadata);
      for (const owner of this.#referrers.of(cause.key)) {
        this.#options.states.traces.because(cause, owner);
        changed(owner);
      }
    });
    void informer.run(ended);
    void informer.waitForSync(ended).then(
      () => {
        for (const owner of watch.owners) changed(owner);
      },
      (error: unknown) => {
        if (!ended.aborted) logger.error({ err: error }, "waiting for a watch failed");
      },
    );
    return watch;
  }

  get #forbidden(): number {
    let count = 0;
    for (const { forbidden } of this.#watches.values()) if (forbidden) count += 1;
    return count;
  }

  #logAccess({ kind, namespace }: ObjectRef, forbidden: boolean): void {
    const { logger } = this.#options;
    const subject = { kind, namespace };
    if (!forbidden) logger.info(subject, "what applications refer to may be read again");
    else
      logger.warn(
        { ...subject, event_reason: `${kind}AccessDenied` },
        "what applications refer to may not be read; those applications are held",
      );
  }

  #release(key: string, owner: string): void {
    const watch = this.#watches.get(key);
    watch?.owners.delete(owner);
    if (watch === undefined || watch.owners.size > 0) return;
    this.#watches.delete(key);
    watch.stop.abort();
  }
}

function objectIn({ informer }: Watch, { namespace = "", name }: ObjectRef): KubeObject | undefined {
  return informer.get(`${namespace}/${name}`);
}

function watchKey(ref: ObjectRef): string {
  return `${ref.kind}/${ref.namespace ?? ""}`;
}

function keyed(object: KubeObject, type: ResourceType): ObjectRef {
  const { namespace, name } = object.metadata;
  return { apiVersion: type.version, kind: type.kind, ...defined({ namespace }), name };
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
