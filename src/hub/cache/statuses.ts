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
 * Last status that Meridian wrote for hub objects: the status of the object for a rendered kind, the status of the
 * binding for any other kind. The own status of a propagated object belongs to others, and is not read here.
 */
export class Statuses {
  readonly #options: StatusesOptions;

  constructor(options: StatusesOptions) {
    this.#options = options;
    options.onObject(({ type, object }) => {
      if (type === "Deleted") options.bindings.forget(object);
    });
  }

  /** `kind`: kind of the object, if known. */
  of(object: KubeObject, kind: Kind | undefined = this.#options.kindOf(object)): FederatedStatus | undefined {
    return kind?.propagated === true
      ? this.#options.bindings.statusOf(object)
      : (object["status"] as FederatedStatus | undefined);
  }

  /** Clusters that may have a copy of the object, by {@link of} and the object's own annotation. */
  recordOf(object: KubeObject, kind: Kind | undefined = this.#options.kindOf(object)): ClusterRecord {
    return kind?.propagated === true
      ? recordOf({ metadata: object.metadata, status: this.#options.bindings.statusOf(object) })
      : recordOf(object);
  }

  /** Keys of the objects that have a copy on this cluster, according to their last status. */
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

  /** Changes of every object or binding that holds a status, for `from`. The key is the key of the object. */
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
