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
  /** Of the term of leadership: its writes ask the guard. */
  client: Client;
}

type Placed = Pick<PlacedKind, "type" | "propagated" | "informer">;

/**
 * Knows where the status of a hub object lives: that of a kind that Meridian renders on the object itself, that of a propagated object, whose
 * own status is none of Meridian's business, in its binding. A binding has a finalizer: it goes when Meridian lets go of the object, and not
 * before.
 */
export class StatusStore {
  readonly #options: StatusStoreOptions;
  /** What the last write of a status names, from its beginning until its answer was seen: nobody knows whether it has happened. */
  readonly #unanswered = new Map<string, ReadonlySet<string>>();

  constructor(options: StatusStoreOptions) {
    this.#options = options;
  }

  /** The status that stands there, as far as the cache knows; `owner` is a `refKey`. */
  read(owner: string): FederatedStatus | undefined {
    const { hub } = this.#options;
    const found = hub.object(owner);
    return found === undefined ? undefined : hub.statuses.of(found.object, found.kind);
  }

  /** Whether there is something that {@link read} is read from: not where somebody removed the binding of a propagated object. */
  isKept(owner: string): boolean {
    const { hub } = this.#options;
    const found = hub.object(owner);
    return found?.kind.propagated !== true || hub.bindings.of(found.object) !== undefined;
  }

  /**
   * The clusters that whoever comes after is certain to find in the object's record, whatever becomes of a write that is under way or of which
   * the answer was lost.
   */
  recorded(owner: string): ReadonlySet<string> {
    const { hub } = this.#options;
    const found = hub.object(owner);
    if (found === undefined) return new Set();
    const { names } = hub.statuses.recordOf(found.object, found.kind);
    const unanswered = this.#unanswered.get(owner);
    return unanswered === undefined ? names : new Set([...names].filter((name) => unanswered.has(name)));
  }

  /** Makes certain that a propagated object has its binding; nothing for other kinds. Rejects with what the client rejects with. */
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

  /** Removes the binding of an object that Meridian lets go of, or that is gone; nothing for other kinds. */
  async unbind({ object, kind }: { object: KubeObject; kind: Placed }, signal: AbortSignal): Promise<void> {
    if (!kind.propagated) return;
    const { bindings } = this.#options.hub;
    const binding = bindings.of(object);
    if (binding !== undefined) await this.discard(binding, signal);
    bindings.forget(object);
  }

  /** Removes a binding, and forgets what it said. */
  async discard(binding: ResourceBinding, signal: AbortSignal): Promise<void> {
    this.#options.hub.bindings.release(binding);
    await this.#remove(binding, signal);
  }

  /** Removes a binding that somebody deletes: the next write makes another one, which says the same. */
  async renew(binding: ResourceBinding, signal: AbortSignal): Promise<void> {
    await this.#remove(binding, signal);
  }

  /**
   * Writes all of the status by one server-side apply. The answer is in the cache at once, unless it shows that the object is being deleted
   * and nobody knew: that comes by watch, as an event of its own. Rejects with what the client rejects with.
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

  /** Its finalizer goes first: then the deletion leaves nothing behind. */
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
      // Gone, or another one by now: its own event says so.
      if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
    }
  }
}

function bindingType({ metadata }: KubeObject): ResourceType {
  return metadata.namespace === undefined ? CLUSTERRESOURCEBINDINGS : RESOURCEBINDINGS;
}

/** What a binding says beside its status. The owner reference is for the hub's garbage collector: the binding never outlives its object. */
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

/** A group whose name continues another's could make one name out of two. */
function refuseOther({ metadata, spec }: ResourceBinding, object: KubeObject): void {
  const { uid: _, ...ref } = spec.resource;
  if (refKey(ref) === refKey(refOf(object))) return;
  throw new TerminalError(
    `the binding ${metadata.name} is about ${refKey(ref)}: the object ${refKey(refOf(object))} would have the same; rename one of them`,
  );
}
