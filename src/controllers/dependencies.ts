import { type KubeObject, type ObjectRef, refKey } from "../apis/index.ts";
import type { Dependency } from "../interpreter/index.ts";
import type { Logger } from "../observability/index.ts";
import {
  type Client,
  type Clock,
  CONFIGMAPS,
  Informer,
  isForbidden,
  type ResourceType,
  SECRETS,
} from "../runtime/index.ts";

const TYPES: Record<string, { type: ResourceType; fieldSelector?: string }> = {
  ConfigMap: { type: CONFIGMAPS },
  // Helm keeps whole releases in Secrets; no application refers to them.
  Secret: { type: SECRETS, fieldSelector: "type!=helm.sh/release.v1" },
};

interface Watch {
  informer: Informer<KubeObject>;
  /** Not readable for Meridian: then its objects count as missing instead of being waited for. */
  forbidden: boolean;
  stop: AbortController;
  owners: Set<string>;
}

export interface DependencyWatchesOptions {
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Plan this hub object again. */
  changed: (owner: string) => void;
  signal: AbortSignal;
}

/**
 * Watches the ConfigMaps and Secrets that hub objects refer to: one watch for each kind and namespace with references, none elsewhere.
 */
export class DependencyWatches {
  readonly #options: DependencyWatchesOptions;
  readonly #watches = new Map<string, Watch>();
  readonly #referrers = new Map<string, Set<string>>();
  readonly #needs = new Map<string, { keys: string[]; watches: string[] }>();

  constructor(options: DependencyWatchesOptions) {
    this.#options = options;
  }

  /**
   * What of the needed objects exists, by {@link refKey}. Undefined while a watch of theirs has not synced: `changed` is called when it has.
   */
  collect(owner: string, needed: readonly Dependency[]): Map<string, KubeObject> | undefined {
    this.#register(owner, needed);
    const found = new Map<string, KubeObject>();
    for (const { ref } of needed) {
      const watch = this.#watches.get(watchKey(ref));
      if (watch === undefined) continue;
      if (!watch.informer.synced && !watch.forbidden) return undefined;
      const object = watch.informer.get(`${ref.namespace ?? ""}/${ref.name}`);
      if (object !== undefined) found.set(refKey(ref), object);
    }
    return found;
  }

  forget(owner: string): void {
    const needs = this.#needs.get(owner);
    if (needs === undefined) return;
    this.#needs.delete(owner);
    for (const key of needs.keys) {
      const referrers = this.#referrers.get(key);
      referrers?.delete(owner);
      if (referrers?.size === 0) this.#referrers.delete(key);
    }
    for (const key of needs.watches) this.#release(key, owner);
  }

  #register(owner: string, needed: readonly Dependency[]): void {
    const keys = needed.map(({ ref }) => refKey(ref));
    const before = this.#needs.get(owner);
    if (before === undefined ? keys.length === 0 : sameKeys(before.keys, keys)) return;
    const watches = [...new Set(needed.map(({ ref }) => watchKey(ref)))];
    for (const { ref } of needed) this.#watch(ref, owner);
    for (const key of before?.watches ?? []) if (!watches.includes(key)) this.#release(key, owner);
    for (const key of before?.keys ?? []) this.#referrers.get(key)?.delete(owner);
    for (const key of keys) {
      const referrers = this.#referrers.get(key) ?? new Set();
      referrers.add(owner);
      this.#referrers.set(key, referrers);
    }
    this.#needs.set(owner, { keys, watches });
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
    const known = TYPES[ref.kind];
    if (known === undefined) return undefined;
    const { client, clock, random, logger, signal, changed } = this.#options;
    const stop = new AbortController();
    const ended = AbortSignal.any([signal, stop.signal]);
    const informer = new Informer<KubeObject>({
      client,
      clock,
      random,
      logger,
      type: known.type,
      ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
      ...(known.fieldSelector === undefined ? {} : { fieldSelector: known.fieldSelector }),
      name: `hub/${known.type.plural}/${ref.namespace ?? ""}`,
      transform: (object) => object,
      onContact: (ok, error) => {
        const forbidden = !ok && isForbidden(error);
        if (forbidden === watch.forbidden) return;
        watch.forbidden = forbidden;
        for (const owner of watch.owners) changed(owner);
      },
    });
    const watch: Watch = { informer, forbidden: false, stop, owners: new Set() };
    informer.onEvent(({ object, initial }) => {
      if (initial && !informer.synced) return;
      for (const owner of this.#referrers.get(refKey(keyed(object, known.type))) ?? []) changed(owner);
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

  #release(key: string, owner: string): void {
    const watch = this.#watches.get(key);
    watch?.owners.delete(owner);
    if (watch === undefined || watch.owners.size > 0) return;
    this.#watches.delete(key);
    watch.stop.abort();
  }
}

function watchKey(ref: ObjectRef): string {
  return `${ref.kind}/${ref.namespace ?? ""}`;
}

function keyed(object: KubeObject, type: ResourceType): ObjectRef {
  const { namespace, name } = object.metadata;
  return { apiVersion: type.version, kind: type.kind, ...(namespace === undefined ? {} : { namespace }), name };
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
