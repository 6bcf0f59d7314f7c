import { defined, DELETION_POLICY_ANNOTATION, type KubeObject, orphanedBy } from "../../apis/index.ts";
import type { HubCache, HubEvent, PlacedKind } from "../../hub/index.ts";
import { type Client, isApiError, isConflict, isNotFound, type Source } from "../../runtime/index.ts";

/** What the API server puts on an object that is deleted with the propagation policy Orphan; the hub's garbage collector takes it off again. */
const ORPHAN_FINALIZER = "orphan";
/** So many earlier states of an object are read: one for each write since it was deleted. */
const MAX_STATES = 20;

/**
 * Objects that somebody deleted with `--cascade=orphan`: what runs of them is to stay.
 *
 * The first event of such a deletion shows it, and the hub's garbage collector makes the object forget it moments later. So what was seen
 * is written onto the object before anything rests on it. Of an object that was being deleted already when this process first saw it, the
 * hub is asked for the earlier states, which it keeps for some minutes; what was deleted longer ago, with no manager running, parts from
 * its copies as its Placement says.
 */
export class OrphaningDeletions {
  readonly #client: Client;
  /** UIDs of objects of which the finalizer was seen. */
  readonly #seen = new Set<string>();
  /** UIDs of objects of which nobody saw how their deletion began. */
  readonly #unknown = new Set<string>();

  constructor({ client }: { client: Client }) {
    this.#client = client;
  }

  /** Enqueues nothing: notes what the events show. To be subscribed before whatever acts on them. */
  noting(events: HubCache["objectEvents"]): Source {
    return { subscribe: () => events.subscribe((event) => this.#note(event)) };
  }

  isOrphaned({ metadata }: KubeObject): boolean {
    return orphanedBy(metadata) !== undefined || this.#seen.has(metadata.uid ?? "");
  }

  /** Makes certain that whoever comes after knows as well. "Changed": the object is not what was seen any more. */
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

  /** Goes back from state to state to the first one of the deletion. */
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
