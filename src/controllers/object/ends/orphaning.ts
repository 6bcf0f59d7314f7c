import {
  defined,
  DELETION_POLICY_ANNOTATION,
  type KubeObject,
  orphanedBy,
  refKey,
  refOf,
} from "../../../apis/index.ts";
import type { HubCache, HubEvent, PlacedKind } from "../../../hub/index.ts";
import { type Client, isApiError, isConflict, isNotFound, type Source } from "../../../runtime/index.ts";
import type { Orphaning, PartStore } from "../../states/index.ts";

/** Finalizer of a deletion with the propagation policy Orphan. The hub's garbage collector removes it again. */
const ORPHAN_FINALIZER = "orphan";
/** Largest number of earlier states that are read: there is one for each write since the deletion. */
const MAX_STATES = 20;

type OrphaningStates = PartStore<"orphaning">;

/**
 * Objects that somebody deleted with `--cascade=orphan`: their copies are to stay.
 *
 * The hub's garbage collector removes the finalizer after moments, so the finding is written onto the object before any
 * decision uses it. If this process did not see the beginning, it asks the hub for earlier states, which the hub keeps
 * for some minutes. After that the deletion policy of the Placement counts.
 */
export class OrphaningDeletions {
  readonly #client: Client;
  readonly #states: OrphaningStates;

  constructor({ client, states }: { client: Client; states: OrphaningStates }) {
    this.#client = client;
    this.#states = states;
  }

  /** Notes the findings in events. Must be subscribed before the sources that use the findings. */
  noting(hub: Pick<HubCache, "onObject">): Source {
    return { subscribe: () => hub.onObject((event) => this.#read(event)) };
  }

  isOrphaned(object: KubeObject): boolean {
    return orphanedBy(object.metadata) !== undefined || this.#known(object)?.isProven === true;
  }

  /** Writes the finding onto the object, for the next leader. "Changed": the object has changed or gone meanwhile. */
  async settle(object: KubeObject, kind: PlacedKind, signal: AbortSignal): Promise<"Settled" | "Changed"> {
    const { uid = "", namespace, name } = object.metadata;
    if (this.#known(object)?.isProven === false) {
      const isProven = await this.#wasOrphaned(object, kind, signal);
      // The finalizer may have been seen meanwhile, or the object have gone.
      if (this.#known(object)?.isProven === false) this.#note(object, isProven ? { uid, isProven } : undefined);
    }
    if (this.#known(object) === undefined || orphanedBy(object.metadata) !== undefined) return "Settled";
    const patch = { metadata: { uid, annotations: { [DELETION_POLICY_ANNOTATION]: "Orphan" } } };
    try {
      await this.#client.patch(kind.type, namespace, name, "application/merge-patch+json", patch, { signal });
      return "Settled";
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return "Changed";
      throw error;
    }
  }

  #read({ type, object, old }: HubEvent<KubeObject>): void {
    const { uid = "", deletionTimestamp, finalizers = [] } = object.metadata;
    if (type === "Deleted") this.#note(object, undefined);
    else if (deletionTimestamp !== undefined) {
      const isUnseen = old?.metadata.uid !== uid && orphanedBy(object.metadata) === undefined;
      if (finalizers.includes(ORPHAN_FINALIZER)) this.#note(object, { uid, isProven: true });
      else if (isUnseen) this.#note(object, { uid, isProven: false });
    }
  }

  /** The finding on the present life of the object. */
  #known(object: KubeObject): Orphaning | undefined {
    const known = this.#states.get(refKey(refOf(object)))?.orphaning;
    return known !== undefined && known.uid === object.metadata.uid ? known : undefined;
  }

  #note(object: KubeObject, finding: Orphaning | undefined): void {
    const owner = refKey(refOf(object));
    if (finding !== undefined) this.#states.setPart(owner, "orphaning", finding);
    else if (this.#known(object) !== undefined) this.#states.clear(owner, "orphaning");
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
