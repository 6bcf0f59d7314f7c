import {
  bindingName,
  type FederatedStatus,
  type KubeObject,
  type ObjectRef,
  refKey,
  refOf,
  type ResourceBinding,
} from "../../apis/index.ts";
import { CLUSTERRESOURCEBINDINGS, type Informer, RESOURCEBINDINGS, type ResourceType } from "../../runtime/index.ts";
import type { HubEvent } from "./events.ts";

export interface BindingsOptions {
  informer: (type: ResourceType) => Informer<ResourceBinding>;
}

/**
 * Bindings of the hub, which hold plan and status of propagated objects. A binding belongs to one life of its object:
 * its spec has the UID. If a binding is removed before its object, its last status is kept until a new binding
 * exists.
 */
export class Bindings {
  /** Informers of the bindings of namespaced objects, and of cluster-scoped objects. */
  readonly informers: readonly [Informer<ResourceBinding>, Informer<ResourceBinding>];
  /** Last status of removed bindings, by the UID of their object. */
  readonly #lost = new Map<string, FederatedStatus>();
  /** UIDs of bindings that are removed together with their status. */
  readonly #released = new Set<string>();

  constructor({ informer }: BindingsOptions) {
    this.informers = [informer(RESOURCEBINDINGS), informer(CLUSTERRESOURCEBINDINGS)];
    for (const one of this.informers) one.onEvent((event) => this.#remember(event));
  }

  /** Binding of this life of the object. */
  of(object: KubeObject): ResourceBinding | undefined {
    const binding = this.named(refOf(object));
    return binding?.spec.resource.uid === object.metadata.uid ? binding : undefined;
  }

  /** Binding with the binding name of the object; may belong to an earlier life of the object. */
  named(ref: ObjectRef): ResourceBinding | undefined {
    const { namespace } = ref;
    const name = bindingName(ref);
    return namespace === undefined ? this.informers[1].get(name) : this.informers[0].get(`${namespace}/${name}`);
  }

  /** Plan and status of the object, from its binding or from its last binding that was removed. */
  statusOf(object: KubeObject): FederatedStatus | undefined {
    const binding = this.of(object);
    return binding === undefined ? this.#lost.get(object.metadata.uid ?? "") : binding.status;
  }

  /** Marks a binding that is about to be removed together with its status. */
  release({ metadata }: ResourceBinding): void {
    this.#released.add(metadata.uid ?? "");
  }

  /** Drops the kept status of an object that is gone, or that Meridian does not manage any more. */
  forget({ metadata }: KubeObject): void {
    this.#lost.delete(metadata.uid ?? "");
  }

  /** Takes the answer to our own write. */
  observe(written: KubeObject): void {
    this.informers[written.metadata.namespace === undefined ? 1 : 0].observe(written);
  }

  *list(): Iterable<ResourceBinding> {
    for (const informer of this.informers) yield* informer.list();
  }

  /**
   * Calls the handler for every change, existing bindings first. The key of an event is the key of the object
   * (`refKey`).
   */
  readonly events = {
    subscribe: (handler: (event: HubEvent<ResourceBinding>) => void): Disposable => {
      const subscriptions = new DisposableStack();
      for (const informer of this.informers)
        subscriptions.use(
          informer.onEvent((event) => {
            const key = ownerOfBinding(event.object);
            if (key !== undefined) handler({ ...event, key });
          }),
        );
      return subscriptions;
    },
  };

  #remember({ type, object }: HubEvent<ResourceBinding>): void {
    const { uid } = object.spec.resource;
    if (type !== "Deleted") this.#lost.delete(uid);
    else if (!this.#released.delete(object.metadata.uid ?? "") && object.status !== undefined)
      this.#lost.set(uid, object.status);
  }
}

/**
 * Key (`refKey`) of the object of a binding; undefined if the binding does not have the name and the namespace for
 * that object.
 */
export function ownerOfBinding({ metadata, spec }: ResourceBinding): string | undefined {
  const { uid: _, ...ref } = spec.resource;
  return metadata.namespace === ref.namespace && metadata.name === bindingName(ref) ? refKey(ref) : undefined;
}
