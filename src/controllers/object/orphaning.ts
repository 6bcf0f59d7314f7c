import { defined, DELETION_POLICY_ANNOTATION, type KubeObject, orphanedBy } from "../../apis/index.ts";
import type { HubCache, HubEvent, PlacedKind } from "../../hub/index.ts";
import { type Client, isApiError, isConflict, isNotFound, type Source } from "../../runtime/index.ts";

/** Finalizer of a deletion with the propagation policy Orphan. The hub's garbage collector removes it again. */
const ORPHAN_FINALIZER = "orphan";
/** Largest number of earlier states that are read: there is one for each write since the deletion. */
const MAX_STATES = 20;

/**
 * Objects that somebody deleted with `--cascade=orphan`: their copies are to stay.
 *
 * The hub's garbage collector removes the finalizer after moments, so the finding is written onto the object before any
 * decision uses it. If this process did not see the beginning, it asks the hub for earlier states, which the hub keeps
 * for some minutes. After that the deletion policy of the Placement counts.
 */
export class OrphaningDeletions {
  readonly #client: Client;
  readonly #seen = new Set<string>();
  readonly #unknown = new Set<string>();

  constructor({ client }: { client: Client }) {
    this.#client = client;
  }

  /** Notes the findings in events. Must be subscribed before the sources that use the findings. */
  noting(hub: Pick<HubCache, "onObject">): Source {
    return { subscribe: () => hub.onObject((event) => this.#note(event)) };
  }

  isOrphaned({ metadata }: KubeObject): boolean {
    return orphanedBy(metadata) !== undefined || this.#seen.has(metadata.uid ?? "");
  }

  /** Writes the finding onto the object, for the next leader. "Changed": the object has changed or gone meanwhile. */
  async settle(object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<"Settled" | "Changed"> {
    const { uid = "" } = object.metadata;
    if (this.#unknown.has(uid)) {
      if (await this.#wasOrphaned(object, kind, signal)) this.#seen.add(uid);
      this.#unknown.delete(uid);
    }
    if (!this.#seen.has(uid) || orphanedBy(object.metadata) !== undefined) return "Settled";
    const { namespace, name } = object.metadata;
    const patch = { metadata: { uid, annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" } } };
    try {
      await this.#client.patch(kind.type, namespace, name, "application/merge-patch+json", patch, { signal });
      return "Settled";
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return "Changed";
      throw error;
    }
  }

  #note({ type, object, old }: HubEvent<KubeObject>): void {
    const { uid = "", deletionTimestamp, finalizers = [] } = object.metadata;
    if (type === "Deleted") {
      this.#seen.delete(uid);
      this.#unknown.delete(uid);
    } else if (deletionTimestamp !== undefined) {
      if (finalizers.includes(ORPHAN_FINALIZER)) this.#seen.add(uid);
      else if (old?.metadata.uid !== uid && orphanedBy(object.metadata) === undefined) this.#unknown.add(uid);
    }
  }

  /** Reads earlier states one by one, back to the first state of the deletion. */
  async #wasOrphaned(object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<boolean> {
    const { uid, namespace, name } = object.metadata;
    let { resourceVersion = "" } = object.metadata;
    for (let states = 0; states < MAX_STATES && /^[1-9]\d*$/.test(resourceVersion); states += 1) {
      const before = await this.#stateAt(kind, { namespace, name }, String(BigInt(resourceVersion) - 1n), signal);
      if (before?.metadata.uid !== uid || before?.metadata.deletionTimestamp === undefined) return false;
      if (before.metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) return true;
      ({ resourceVersion = "" } = before.metadata);
    }
    return false;
  }

  async #stateAt(
    { type }: PlacedKind,
    { namespace, name }: { namespace: string | undefined; name: string },
    resourceVersion: string,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    try {
      const { items } = await this.#client.list(type, {
        ...defined({ namespace }),
        fieldSelector: `metadata.name=${name}`,
        resourceVersion,
        resourceVersionMatch: "Exact",
        metadataOnly: true,
        signal,
      });
      return items[0];
    } catch (error) {
      // The hub keeps earlier states for some minutes only.
      if (isApiError(error) && error.status === 410) return undefined;
      throw error;
    }
  }
}
