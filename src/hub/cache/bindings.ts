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
 * The bindings of the hub: where decision and status of propagated objects stand. A binding speaks of one life of its object, which its spec
 * names by the UID. When a binding goes away before its object does, what it said last is kept until another binding says it.
 */
export class Bindings {
  /** Of namespaced objects, and of cluster-scoped ones. */
  readonly informers: readonly [Informer<ResourceBinding>, Informer<ResourceBinding>];
  /** What bindings said that have gone, by the UID of their object. */
  readonly #lost = new Map<string, FederatedStatus>();
  /** UIDs of bindings that go because nothing is left to say. */
  readonly #released = new Set<string>();

  constructor({ informer }: BindingsOptions) {
    this.informers = [informer(RESOURCEBINDINGS), informer(CLUSTERRESOURCEBINDINGS)];
    for (const one of this.informers) one.onEvent((event) => this.#remember(event));
  }

  /** That of this life of the object. */
  of(object: KubeObject): ResourceBinding | undefined {
    const binding = this.named(refOf(object));
    return binding?.spec.resource.uid === object.metadata.uid ? binding : undefined;
  }

  /** The one of that name: it may be of an earlier life of the object. */
  named(ref: ObjectRef): ResourceBinding | undefined {
    const { namespace } = ref;
    const name = bindingName(ref);
    return namespace === undefined ? this.informers[1].get(name) : this.informers[0].get(`${namespace}/${name}`);
  }

  /** Decision and status of the object, as its binding has them, or had them when it went away. */
  statusOf(object: KubeObject): FederatedStatus | undefined {
    const binding = this.of(object);
    return binding === undefined ? this.#lost.get(object.metadata.uid ?? "") : binding.status;
  }

  /** The binding is about to go, and what it said with it. */
  release({ metadata }: ResourceBinding): void {
    this.#released.add(metadata.uid ?? "");
  }

  /** The object is gone, or is none of Meridian's any more: what a binding said of it is of no use. */
  forget({ metadata }: KubeObject): void {
    this.#lost.delete(metadata.uid ?? "");
  }

  /** Takes the answer to one's own write. */
  observe(written: KubeObject): void {
    this.informers[written.metadata.namespace === undefined ? 1 : 0].observe(written);
  }

  *list(): Iterable<ResourceBinding> {
    for (const informer of this.informers) yield* informer.list();
  }

  /** The handler gets every change, first of all the present bindings; the key of an event is that of the object (`refKey`). */
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

/** The key (`refKey`) of the object that a binding is about; undefined for one that has not the name and the place of such a binding. */
export function ownerOfBinding({ metadata, spec }: ResourceBinding): string | undefined {
  const { uid: _, ...ref } = spec.resource;
  return metadata.namespace === ref.namespace && metadata.name === bindingName(ref) ? refKey(ref) : undefined;
}
