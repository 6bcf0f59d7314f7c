import {
  defined,
  holdersOf,
  type KubeObject,
  namesIn,
  OBJECT_FINALIZER,
  type ObjectRef,
  parseApiVersion,
  type ResourceBinding,
} from "../../apis/index.ts";
import type { HubCache, HubEvent, StatusStore } from "../../hub/index.ts";
import {
  type Client,
  done,
  from,
  isMissing,
  NAMESPACES,
  type Reconciler,
  requeueAfter,
  type ResourceType,
  type Result,
  type Source,
} from "../../runtime/index.ts";
import { logFieldsOf, refOfKey } from "../tables/index.ts";

export interface BindingReconcilerOptions {
  hub: HubCache;
  client: Client;
  store: Pick<StatusStore, "discard" | "renew">;
}

/** Whoever releases an object normally removes its binding within this time. */
const LEFT_AFTER_MS = 2_000;
const AGAIN_MS = 30_000;
/** Maximum age of the discovery answer about the kinds that the hub serves. */
const SERVED_MS = 10_000;

/**
 * Removes obsolete bindings, after the hub itself has confirmed that the object is gone or no longer Meridian's.
 * Releases a binding that somebody deletes, so that it is created again. Keys are those of the objects (`refKey`).
 */
export class BindingReconciler implements Reconciler {
  readonly #options: BindingReconcilerOptions;

  constructor(options: BindingReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub } = this.#options;
    return [
      from(hub.bindings.events)
        .when((event) => event.type !== "Deleted" && this.#isOdd(event))
        .after(LEFT_AFTER_MS),
      from(hub.objectEvents)
        .when(({ type, key }) => type === "Deleted" && hub.bindings.named(refOfKey(key)) !== undefined)
        .after(LEFT_AFTER_MS),
    ];
  }

  logFields(owner: string): Record<string, string | undefined> {
    return logFieldsOf(this.#options.hub, owner);
  }

  async reconcile(owner: string, signal: AbortSignal): Promise<Result> {
    const { hub, store } = this.#options;
    const binding = hub.bindings.named(refOfKey(owner));
    if (binding === undefined) return done;
    if (this.#isWanted(owner, binding)) {
      if (await this.#isDeletedAlone(owner, binding, signal)) await store.renew(binding, signal);
      return done;
    }
    if (await this.#isStillHeld(owner, binding, signal)) return requeueAfter(AGAIN_MS);
    await store.discard(binding, signal);
    return done;
  }

  /** True if the binding is being deleted or is not wanted. Most events show only a change of the status. */
  #isOdd({ key, object }: HubEvent<ResourceBinding>): boolean {
    return object.metadata.deletionTimestamp !== undefined || !this.#isWanted(key, object);
  }

  /** True if the object exists and a manager holds it, its status names clusters, or a policy selects it. */
  #isWanted(owner: string, { spec, status }: ResourceBinding): boolean {
    const { hub } = this.#options;
    const object = hub.object(owner)?.object;
    if (object === undefined || object.metadata.uid !== spec.resource.uid) return false;
    return isHeld(object.metadata.finalizers) || namesIn(status).size > 0 || hub.planned.isSelected(object);
  }

  /** True if somebody deletes only the binding, neither its object nor the namespace: it can be created again. */
  async #isDeletedAlone(owner: string, { metadata }: ResourceBinding, signal: AbortSignal): Promise<boolean> {
    const { hub, client } = this.#options;
    if (metadata.deletionTimestamp === undefined) return false;
    if (hub.object(owner)?.object.metadata.deletionTimestamp !== undefined) return false;
    if (metadata.namespace === undefined) return true;
    const namespace = await client.get(NAMESPACES, undefined, metadata.namespace, { metadataOnly: true, signal });
    return namespace.metadata.deletionTimestamp === undefined;
  }

  /** Asks the hub itself: a cache may lack the object, or the finalizer that the object got a moment ago. */
  async #isStillHeld(owner: string, { spec }: ResourceBinding, signal: AbortSignal): Promise<boolean> {
    const ref = refOfKey(owner);
    const known = this.#options.hub.kindOf(ref)?.type;
    const listed = known && (await this.#objectsNamed(known, ref, signal));
    if (listed !== undefined) return listed.some((object) => isHeldOf(object, spec.resource.uid));
    // The hub may no longer serve the known version of the kind, and may serve another version.
    const type = await this.#servedType(ref, known === undefined ? SERVED_MS : 0, signal);
    if (type === undefined) return false;
    const found = type === "Unknown" ? undefined : await this.#objectsNamed(type, ref, signal);
    return found === undefined || found.some((object) => isHeldOf(object, spec.resource.uid));
  }

  /** The objects with this name; undefined if the hub does not serve the kind in this version. */
  async #objectsNamed(
    type: ResourceType,
    { namespace, name }: ObjectRef,
    signal: AbortSignal,
  ): Promise<readonly KubeObject[] | undefined> {
    try {
      const { items } = await this.#options.client.list(type, {
        ...defined({ namespace }),
        fieldSelector: `metadata.name=${name}`,
        metadataOnly: true,
        signal,
      });
      return items;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The served version of the kind; undefined if the hub does not serve the kind, so that it has no objects. */
  async #servedType(
    ref: ObjectRef,
    maximumAgeMs: number,
    signal: AbortSignal,
  ): Promise<ResourceType | "Unknown" | undefined> {
    const { hub } = this.#options;
    const { group } = parseApiVersion(ref.apiVersion);
    const { resources, unavailable } = await hub.catalog.served(maximumAgeMs, signal);
    const found = resources.find((one) => one.group === group && one.kind === ref.kind);
    const isUnsure = [...unavailable].some((apiVersion) => parseApiVersion(apiVersion).group === group);
    return found ?? (isUnsure ? "Unknown" : undefined);
  }
}

function isHeldOf({ metadata }: KubeObject, uid: string): boolean {
  return metadata.uid === uid && isHeld(metadata.finalizers);
}

function isHeld(finalizers: string[] | undefined): boolean {
  return holdersOf(OBJECT_FINALIZER, finalizers === undefined ? {} : { finalizers }).length > 0;
}
