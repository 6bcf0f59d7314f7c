import { type FederatedStatus, FIELD_MANAGER, type KubeObject } from "../apis/index.ts";
import { apiVersionOf, type Client } from "../runtime/index.ts";
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

  constructor(options: StatusStoreOptions) {
    this.#options = options;
  }

  /** The status that stands there, as far as the cache knows; `owner` is a `refKey`. */
  read(owner: string): FederatedStatus | undefined {
    return this.#options.hub.object(owner)?.object["status"] as FederatedStatus | undefined;
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
    const written = await this.#options.client.applyStatus(kind.type, body, {
      force: true,
      fieldManager: FIELD_MANAGER,
      signal,
    });
    if (written.metadata.deletionTimestamp === undefined || deletionTimestamp !== undefined)
      kind.informer.observe(written);
    return written;
  }
}
