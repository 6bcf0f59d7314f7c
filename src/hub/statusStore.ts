import {
  type FederatedStatus,
  FIELD_MANAGER,
  type KubeObject,
  namesIn,
  recordOf,
  refKey,
  refOf,
} from "../apis/index.ts";
import { apiVersionOf, type Client, isNotFound } from "../runtime/index.ts";
import type { HubCache } from "./hubCache.ts";
import type { PlacedKind } from "./placedKinds.ts";

export interface StatusStoreOptions {
  hub: HubCache;
  /** Of the term of leadership: its writes ask the guard. */
  client: Client;
}

/** Knows where the status of a hub object lives: that of a DemoApplication on the object itself. */
export class StatusStore {
  readonly #options: StatusStoreOptions;
  /** What the last write of a status names, from its beginning until its answer was seen: nobody knows whether it has happened. */
  readonly #unanswered = new Map<string, ReadonlySet<string>>();

  constructor(options: StatusStoreOptions) {
    this.#options = options;
  }

  /** The status that stands there, as far as the cache knows; `owner` is a `refKey`. */
  read(owner: string): FederatedStatus | undefined {
    return this.#options.hub.object(owner)?.object["status"] as FederatedStatus | undefined;
  }

  /**
   * The clusters that whoever comes after is certain to find in the object's record, whatever becomes of a write that is under way or of which
   * the answer was lost.
   */
  recorded(owner: string): ReadonlySet<string> {
    const found = this.#options.hub.object(owner);
    if (found === undefined) return new Set();
    const { names } = recordOf(found.object);
    const unanswered = this.#unanswered.get(owner);
    return unanswered === undefined ? names : new Set([...names].filter((name) => unanswered.has(name)));
  }

  /**
   * Writes all of the status by one server-side apply. The answer is in the cache at once, unless it shows that the object is being deleted
   * and nobody knew: that comes by watch, as an event of its own. Rejects with what the client rejects with.
   */
  async write(
    { object, kind }: { object: KubeObject; kind: PlacedKind },
    status: FederatedStatus,
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const { namespace, name, deletionTimestamp } = object.metadata;
    const body: KubeObject = {
      apiVersion: apiVersionOf(kind.type),
      kind: kind.type.kind,
      metadata: { ...(namespace === undefined ? {} : { namespace }), name },
      status,
    };
    const owner = refKey(refOf(object));
    this.#unanswered.set(owner, namesIn(status));
    const options = { force: true, fieldManager: FIELD_MANAGER, signal };
    try {
      const written = await this.#options.client.applyStatus(kind.type, body, options);
      if (written.metadata.deletionTimestamp === undefined || deletionTimestamp !== undefined)
        kind.informer.observe(written);
      this.#unanswered.delete(owner);
      return written;
    } catch (error) {
      if (isNotFound(error)) this.#unanswered.delete(owner);
      throw error;
    }
  }
}
