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

/**
 * Bindings of the hub, which hold plan and status of propagated objects. The spec of a binding has the UID of its
 * object, for one life. The last status of a binding that was removed is kept until a new binding exists.
 */
export class Bindings {
  /** Bindings of namespaced objects, and bindings of cluster-scoped objects. */
  readonly informers: readonly [Informer<ResourceBinding>, Informer<ResourceBinding>];
  /** Last status of removed bindings, by the UID of their object. */
  readonly #lost = new Map<string, FederatedStatus>();
  /** UIDs of bindings whose status goes with them. */
  readonly #released = new Set<string>();

  constructor(informer: (type: ResourceType) => Informer<ResourceBinding>) {
    this.informers = [informer(RESOURCEBINDINGS), informer(CLUSTERRESOURCEBINDINGS)];
    for (const one of this.informers) one.onEvent((event) => this.#remember(event));
  }

  /** Binding of this life of the object. */
  of(object: KubeObject): ResourceBinding | undefined {
    const binding = this.named(refOf(object));
    return binding?.spec.resource.uid === object.metadata.uid ? binding : undefined;
  }

  /** May belong to an earlier life of the object. */
  named(ref: ObjectRef): ResourceBinding | undefined {
    const { namespace } = ref;
    const name = bindingName(ref);
    return namespace === undefined ? this.informers[1].get(name) : this.informers[0].get(`${namespace}/${name}`);
  }

  /** From the object's binding, or from the last one that was removed. */
  statusOf(object: KubeObject): FederatedStatus | undefined {
    const binding = this.of(object);
    return binding === undefined ? this.#lost.get(object.metadata.uid ?? "") : binding.status;
  }

  release({ metadata }: ResourceBinding): void {
    this.#released.add(metadata.uid ?? "");
  }

  forget({ metadata }: KubeObject): void {
    this.#lost.delete(metadata.uid ?? "");
  }

  /** The answer to our own write. */
  observe(written: KubeObject): void {
    this.informers[written.metadata.namespace === undefined ? 1 : 0].observe(written);
  }

  *list(): Iterable<ResourceBinding> {
    for (const informer of this.informers) yield* informer.list();
  }

  /** Existing bindings come in time slices. The key of an event is the key of the object (`refKey`). */
  readonly events = {
    follow: (handler: (event: HubEvent<ResourceBinding>) => void): Disposable => {
      const subscriptions = new DisposableStack();
      for (const informer of this.informers)
        subscriptions.use(
          informer.follow((event) => {
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

/** Key (`refKey`) of the object; undefined if the binding is not named for that object. */
export function ownerOfBinding({ metadata, spec }: ResourceBinding): string | undefined {
  const { uid: _, ...ref } = spec.resource;
  return metadata.namespace === ref.namespace && metadata.name === bindingName(ref) ? refKey(ref) : undefined;
}
