import {
  type ClusterRecord,
  type FederatedStatus,
  type KubeObject,
  recordOf,
  type ResourceBinding,
} from "../../apis/index.ts";
import { type Bindings, ownerOfBinding } from "./bindings.ts";
import type { HubEvent } from "./events.ts";
import { ownerKey, type PlacedKind } from "./placedKinds.ts";

type Kind = Pick<PlacedKind, "propagated">;

export interface StatusesOptions {
  bindings: Bindings;
  readonly kinds: readonly PlacedKind[];
  kindOf(ref: Pick<KubeObject, "apiVersion" | "kind">): Kind | undefined;
  onObject(handler: (event: HubEvent<KubeObject>) => void): Disposable;
}

/**
 * What Meridian last said of the objects of the hub: the status of those that it renders, and of any other the status of its binding. What a
 * propagated object has for a status is somebody else's, and is read here by nobody.
 */
export class Statuses {
  readonly #options: StatusesOptions;

  constructor(options: StatusesOptions) {
    this.#options = options;
    options.onObject(({ type, object }) => {
      if (type === "Deleted") options.bindings.forget(object);
    });
  }

  /** `kind`: that of the object, where it is known. */
  of(object: KubeObject, kind: Kind | undefined = this.#options.kindOf(object)): FederatedStatus | undefined {
    return kind?.propagated === true
      ? this.#options.bindings.statusOf(object)
      : (object["status"] as FederatedStatus | undefined);
  }

  /** Where something of the object may be, by {@link of} and the object's own annotation. */
  recordOf(object: KubeObject, kind: Kind | undefined = this.#options.kindOf(object)): ClusterRecord {
    return kind?.propagated === true
      ? recordOf({ metadata: object.metadata, status: this.#options.bindings.statusOf(object) })
      : recordOf(object);
  }

  /** Keys of the objects of which something is on that cluster, as was said last. */
  *reportedOn(cluster: string): Iterable<string> {
    const { kinds, bindings } = this.#options;
    for (const { type, informer, propagated } of kinds) {
      if (propagated) continue;
      for (const key of informer.keys())
        if (isReportedOn(cluster, informer.get(key)?.["status"] as FederatedStatus | undefined))
          yield ownerKey(type, key);
    }
    for (const binding of bindings.list()) {
      const owner = isReportedOn(cluster, binding.status) ? ownerOfBinding(binding) : undefined;
      if (owner !== undefined) yield owner;
    }
  }

  /** For `from`: changes of whatever has the status of an object, the object itself or its binding; the key is that of the object. */
  readonly events = {
    subscribe: (handler: (event: HubEvent<KubeObject | ResourceBinding>) => void): Disposable => {
      const { bindings } = this.#options;
      const subscriptions = new DisposableStack();
      subscriptions.use(
        this.#options.onObject((event) => {
          if (this.#options.kindOf(event.object)?.propagated !== true) handler(event);
        }),
      );
      subscriptions.use(bindings.events.subscribe(handler));
      return subscriptions;
    },
  };
}

function isReportedOn(cluster: string, status: FederatedStatus | undefined): boolean {
  const entry = status?.clusters?.find(({ name }) => name === cluster);
  return entry?.observedHash !== undefined || status?.unlistedClusters?.includes(cluster) === true;
}
