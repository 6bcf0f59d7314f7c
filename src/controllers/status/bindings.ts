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

/** Who lets go of an object removes its binding too: what is left after that was left by somebody who could not. */
const LEFT_AFTER_MS = 2_000;
/** The cache lacks an object that the hub has. */
const AGAIN_MS = 30_000;
/** What the hub serves is asked anew when the answer is older. */
const SERVED_MS = 10_000;

/**
 * Keeps bindings where they belong: one whose object is gone, or is none of Meridian's any more, is removed once the hub itself has said so;
 * one that somebody deletes is let go of, so that it is made again with what it said. Keys are those of the objects (`refKey`).
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

  /** Nothing but a status has changed of most. */
  #isOdd({ key, object }: HubEvent<ResourceBinding>): boolean {
    return object.metadata.deletionTimestamp !== undefined || !this.#isWanted(key, object);
  }

  /** Its object is there, and a manager answers for it, or is to: a policy selects it, or it was somewhere. */
  #isWanted(owner: string, { spec, status }: ResourceBinding): boolean {
    const { hub } = this.#options;
    const object = hub.object(owner)?.object;
    if (object === undefined || object.metadata.uid !== spec.resource.uid) return false;
    return isHeld(object.metadata.finalizers) || namesIn(status).size > 0 || hub.planned.isSelected(object);
  }

  /** Somebody deletes the binding, and neither its object nor their namespace: there another one could be made. */
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
    // The version that is known may not be served any more, and another one may.
    const type = await this.#servedType(ref, known === undefined ? SERVED_MS : 0, signal);
    if (type === undefined) return false;
    const found = type === "Unknown" ? undefined : await this.#objectsNamed(type, ref, signal);
    return found === undefined || found.some((object) => isHeldOf(object, spec.resource.uid));
  }

  /** Undefined when the hub does not serve the kind in that version. */
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

  /** Undefined for a kind that the hub does not serve: then it has no objects. */
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

/** Whether that life of an object is held for its copies. */
function isHeldOf({ metadata }: KubeObject, uid: string): boolean {
  return metadata.uid === uid && isHeld(metadata.finalizers);
}

function isHeld(finalizers: string[] | undefined): boolean {
  return holdersOf(OBJECT_FINALIZER, finalizers === undefined ? {} : { finalizers }).length > 0;
}
