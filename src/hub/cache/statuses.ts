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
  /** For sources: existing objects come in time slices. */
  readonly objectEvents: { follow(handler: (event: HubEvent<KubeObject>) => void): Disposable };
}

/** Last status that Meridian wrote: of a rendered kind on the object, of any other kind on its binding. */
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

  /** By {@link of} and the object's own annotation. */
  recordOf(object: KubeObject, kind: Kind | undefined = this.#options.kindOf(object)): ClusterRecord {
    return kind?.propagated === true
      ? recordOf({ metadata: object.metadata, status: this.#options.bindings.statusOf(object) })
      : recordOf(object);
  }

  /** Keys of the objects with a copy on this cluster, by their last status. */
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

  /** Events of the objects that hold a status, with the key of the placed object. */
  readonly events = {
    follow: (handler: (event: HubEvent<KubeObject | ResourceBinding>) => void): Disposable => {
      const { bindings } = this.#options;
      const subscriptions = new DisposableStack();
      subscriptions.use(
        this.#options.objectEvents.follow((event) => {
          if (this.#options.kindOf(event.object)?.propagated !== true) handler(event);
        }),
      );
      subscriptions.use(bindings.events.follow(handler));
      return subscriptions;
    },
  };
}

function isReportedOn(cluster: string, status: FederatedStatus | undefined): boolean {
  const entry = status?.clusters?.find(({ name }) => name === cluster);
  return entry?.observedHash !== undefined || status?.unlistedClusters?.includes(cluster) === true;
}
