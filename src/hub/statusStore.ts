import {
  bindingName,
  defined,
  type FederatedStatus,
  FIELD_MANAGER,
  finalizersPatch,
  type KubeObject,
  namesIn,
  OBJECT_FINALIZER,
  refKey,
  refOf,
  type ResourceBinding,
} from "../apis/index.ts";
import {
  apiVersionOf,
  type Client,
  CLUSTERRESOURCEBINDINGS,
  isConflict,
  isInvalid,
  isNotFound,
  RESOURCEBINDINGS,
  type ResourceType,
  TerminalError,
} from "../runtime/index.ts";
import { type HubCache, type PlacedKind } from "./cache/index.ts";

export interface StatusStoreOptions {
  hub: HubCache;
  /** Client of the current term of leadership: its writes ask the guard. */
  client: Client;
}

type Placed = Pick<PlacedKind, "type" | "propagated" | "informer">;

/**
 * Reads and writes the status of hub objects: of a rendered kind on the object, of any other kind on its binding, since
 * the object's own status belongs to others. A finalizer keeps the binding until Meridian releases the object.
 */
export class StatusStore {
  readonly #options: StatusStoreOptions;
  /** Clusters named by a status write whose outcome is unknown. */
  readonly #unanswered = new Map<string, ReadonlySet<string>>();

  constructor(options: StatusStoreOptions) {
    this.#options = options;
  }

  /** From the cache; `owner` is a `refKey`. */
  read(owner: string): FederatedStatus | undefined {
    const { hub } = this.#options;
    const found = hub.object(owner);
    return found === undefined ? undefined : hub.statuses.of(found.object, found.kind);
  }

  /** False if somebody removed the binding, so that {@link read} has no source. */
  isKept(owner: string): boolean {
    const { hub } = this.#options;
    const found = hub.object(owner);
    return found?.kind.propagated !== true || hub.bindings.of(found.object) !== undefined;
  }

  /** Clusters that the next leader certainly finds in the record, even if a running status write fails. */
  recorded(owner: string): ReadonlySet<string> {
    const { hub } = this.#options;
    const found = hub.object(owner);
    if (found === undefined) return new Set();
    const { names } = hub.statuses.recordOf(found.object, found.kind);
    const unanswered = this.#unanswered.get(owner);
    return unanswered === undefined ? names : new Set([...names].filter((name) => unanswered.has(name)));
  }

  /** A propagated object gets its binding. Rejects with the errors of the client. */
  async bind({ object, kind }: { object: KubeObject; kind: Placed }, signal: AbortSignal): Promise<void> {
    if (!kind.propagated) return;
    const { client, hub } = this.#options;
    const present = hub.bindings.named(refOf(object));
    const { uid = "" } = object.metadata;
    if (present?.spec.resource.uid === uid) return;
    if (present !== undefined) {
      refuseOther(present, object);
      await this.discard(present, signal);
    }
    const type = bindingType(object);
    hub.bindings.observe(await client.apply(type, bindingOf(object, type), { force: true, signal }));
  }

  /** For an object that Meridian released, or that is gone. */
  async unbind({ object, kind }: { object: KubeObject; kind: Placed }, signal: AbortSignal): Promise<void> {
    if (!kind.propagated) return;
    const { bindings } = this.#options.hub;
    const binding = bindings.of(object);
    if (binding !== undefined) await this.discard(binding, signal);
    bindings.forget(object);
  }

  async discard(binding: ResourceBinding, signal: AbortSignal): Promise<void> {
    this.#options.hub.bindings.release(binding);
    await this.#remove(binding, signal);
  }

  /** Removes a binding that somebody deletes, but keeps its status for the next write. */
  async renew(binding: ResourceBinding, signal: AbortSignal): Promise<void> {
    await this.#remove(binding, signal);
  }

  /**
   * By one server-side apply. The answer goes into the cache, unless it is the first sign of the object's deletion,
   * which the watch brings as an event of its own. Rejects with the errors of the client.
   */
  async write(
    found: { object: KubeObject; kind: Placed },
    status: FederatedStatus,
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const { object, kind } = found;
    const { namespace, name, deletionTimestamp } = object.metadata;
    const type = kind.propagated ? bindingType(object) : kind.type;
    const body: KubeObject = {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: {
        ...defined({ namespace }),
        name: kind.propagated ? bindingName(refOf(object)) : name,
      },
      status,
    };
    const owner = refKey(refOf(object));
    if (kind.propagated) await this.bind(found, signal);
    this.#unanswered.set(owner, namesIn(status));
    const options = { force: true, fieldManager: FIELD_MANAGER, signal };
    try {
      const written = await this.#options.client.applyStatus(type, body, options);
      if (kind.propagated) this.#options.hub.bindings.observe(written);
      else if (written.metadata.deletionTimestamp === undefined || deletionTimestamp !== undefined)
        kind.informer.observe(written);
      this.#unanswered.delete(owner);
      return written;
    } catch (error) {
      if (isNotFound(error)) this.#unanswered.delete(owner);
      throw error;
    }
  }

  /** Our finalizer would keep the deleted binding, so it goes first. */
  async #remove({ kind, metadata }: ResourceBinding, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { namespace, name, uid = "", finalizers = [], deletionTimestamp } = metadata;
    const type = kind === "ResourceBinding" ? RESOURCEBINDINGS : CLUSTERRESOURCEBINDINGS;
    const left = finalizers.filter((one) => one !== OBJECT_FINALIZER);
    try {
      if (left.length < finalizers.length) {
        const patch = finalizersPatch(metadata, left);
        await client.patch(type, namespace, name, "application/json-patch+json", patch, { signal });
      }
      if (deletionTimestamp === undefined) await client.delete(type, namespace, name, { uid, signal });
    } catch (error) {
      // The binding is gone or was replaced. Its own event will show that.
      if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
    }
  }
}

function bindingType({ metadata }: KubeObject): ResourceType {
  return metadata.namespace === undefined ? CLUSTERRESOURCEBINDINGS : RESOURCEBINDINGS;
}

/** The owner reference makes the hub's garbage collector remove the binding with its object. */
function bindingOf(object: KubeObject, type: ResourceType): KubeObject {
  const { apiVersion, kind } = object;
  const { namespace, name, uid = "" } = object.metadata;
  const where = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      ...where,
      name: bindingName(refOf(object)),
      finalizers: [OBJECT_FINALIZER],
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    spec: { resource: { apiVersion, kind, ...where, name, uid } },
  };
}

/** Two objects can have the same binding name if the name of one group continues the name of the other. */
function refuseOther({ metadata, spec }: ResourceBinding, object: KubeObject): void {
  const { uid: _, ...ref } = spec.resource;
  if (refKey(ref) === refKey(refOf(object))) return;
  throw new TerminalError(
    `the binding ${metadata.name} is about ${refKey(ref)}: the object ${refKey(refOf(object))} would have the same; rename one of them`,
  );
}
