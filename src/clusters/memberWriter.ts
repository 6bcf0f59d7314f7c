import {
  FIELD_MANAGER,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ObjectRef,
  OWNER_ANNOTATION,
  refKey,
} from "../apis/index.ts";
import type { DesiredRow } from "../desiredstate/index.ts";
import { type LostField, withoutGivenUp } from "../interpreter/index.ts";
import {
  ApiError,
  type Client,
  isApiError,
  isConflict,
  isInvalid,
  isNotFound,
  type ResourceType,
} from "../runtime/index.ts";
import type { ForeignCheck } from "./foreignCheck.ts";
import { listRepairs, type PatchOperation, withoutUpdateEntry } from "./listRepair.ts";
import { classify } from "./outcome.ts";
import type { MemberNamespaces } from "./namespaces.ts";
import type { Entry } from "./table.ts";

/** What a writer needs of the session that it writes through. */
export interface MemberAccess {
  client: Client;
  signal: AbortSignal;
  foreign: ForeignCheck;
  namespaces: MemberNamespaces;
  /** The resource of a kind that Meridian carries; undefined when the member does not serve it. */
  typeOf(ref: ObjectRef): ResourceType | undefined;
  isSynced(ref: ObjectRef): boolean;
  /** Takes the server's answer to a write as an observation, without waiting for the watch. */
  wrote(type: ResourceType, object: KubeObject): void;
  invalidateDiscovery(): void;
}

/** How often something is read and changed before it is left to the lane to come back later. */
const ATTEMPTS = 5;

/** The name is taken on the member by an object that Meridian did not make. */
function taken(ref: ObjectRef): ApiError {
  const text = `a ${ref.kind} of that name exists on the member and is not Meridian's; set conflictResolution: Adopt to take it over`;
  return new ApiError(409, "AlreadyExists", text);
}

/** The merge of our list with somebody's is refused: 422, or 500 when the nodePort of both is handed out twice. */
function isUnmergeable(error: unknown): boolean {
  return isInvalid(error) || (isApiError(error) && error.status === 500);
}

/** The writes that a lane makes on one member. Each throws what the client throws. */
export class MemberWriter {
  readonly #access: MemberAccess;

  constructor(access: MemberAccess) {
    this.#access = access;
  }

  /** Whether what is known of objects of this kind on the member is complete: before that nothing is missing there. */
  isSynced(ref: ObjectRef): boolean {
    return this.#access.isSynced(ref);
  }

  /** The session has ended: what was under way was broken off, and says nothing about the member. */
  get isOver(): boolean {
    return this.#access.signal.aborted;
  }

  invalidateDiscovery(): void {
    this.#access.invalidateDiscovery();
  }

  /** First apply. It does not force: if somebody else's object appears after the check, their fields conflict with ours. */
  async create(entry: Entry): Promise<void> {
    const { desired, ref } = entry;
    if (desired === undefined) return;
    const type = this.#type(ref);
    const adopt = desired.conflictResolution === "Adopt";
    const found = adopt ? "Foreign" : await this.#access.foreign.find(type, ref, desired.owner);
    if (found === "Foreign" && !adopt) throw taken(ref);
    if (found !== "Free") await this.#giveUp(type, desired);
    // Ours without its label, or given to us: then the fields are ours to take.
    await this.#apply(type, desired.object, adopt || found === "Ours");
  }

  /**
   * Apply to the object of ours that was observed: takes back what others changed. Since it forces, it names the life that it means; an
   * object of that name that came later may be anybody's.
   */
  async update(entry: Entry, drift: readonly LostField[]): Promise<void> {
    const { desired, observed, ref } = entry;
    if (desired === undefined || observed === undefined) return;
    const type = this.#type(ref);
    const { uid } = observed;
    const object = { ...desired.object, metadata: { ...desired.object.metadata, uid } };
    if (observed.hash !== desired.hash) await this.#giveUp(type, desired);
    try {
      await this.#apply(type, object, true);
    } catch (error) {
      const repairs = isUnmergeable(error) ? listRepairs(drift, desired.object) : [];
      if (repairs.length === 0) throw error;
      await this.#repair(type, ref, object, [{ op: "test", path: "/metadata/uid", value: uid }, ...repairs]);
    }
  }

  /** Puts whole lists back, applies again for the ownership, and leaves no other trace in `managedFields`. */
  async #repair(type: ResourceType, ref: ObjectRef, desired: KubeObject, repairs: PatchOperation[]): Promise<void> {
    const { client, signal } = this.#access;
    const patch = (operations: PatchOperation[]): Promise<KubeObject> =>
      client.patch(type, ref.namespace, ref.name, "application/json-patch+json", operations, { signal });
    await patch(repairs);
    const applied = await client.apply(type, desired, { force: true, signal });
    const cleaning = withoutUpdateEntry(applied);
    this.#access.wrote(type, cleaning === undefined ? applied : await patch(cleaning));
  }

  /** Deletes exactly the object that was observed. That it is gone is for the watch to say. */
  async delete(entry: Entry, uid: string): Promise<void> {
    const { ref } = entry;
    try {
      await this.#access.client.delete(this.#type(ref), ref.namespace, ref.name, {
        uid,
        propagationPolicy: "Background",
        signal: this.#access.signal,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /**
   * Takes Meridian's marks off, so that the object stays on the member as anybody's. The answer is no observation: the watch, which sees
   * only what carries our label, tells that it has gone from there, and nobody would tell of anything after that.
   */
  async release(entry: Entry, uid: string): Promise<void> {
    const { ref } = entry;
    const type = this.#type(ref);
    const { client, signal } = this.#access;
    try {
      const current = await client.get(type, ref.namespace, ref.name, { metadataOnly: true, signal });
      const owner = entry.observed?.owner;
      const ownerReferences = (current.metadata.ownerReferences ?? []).filter(
        (reference) => reference.uid !== owner?.uid,
      );
      await client.patch(
        type,
        ref.namespace,
        ref.name,
        "application/merge-patch+json",
        {
          metadata: {
            uid,
            resourceVersion: current.metadata.resourceVersion,
            labels: { [MANAGED_BY_LABEL]: null },
            annotations: { [OWNER_ANNOTATION]: null, [HASH_ANNOTATION]: null },
            ownerReferences: ownerReferences.length === 0 ? null : ownerReferences,
          },
        },
        { signal },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /**
   * Lets go of fields that we own and that are left to the member now. An apply without them would take them away, as long as nobody else
   * owns them; so the ownership goes first, and their values stay. A crash in between does no harm: the object's hash is the old one still.
   */
  async #giveUp(type: ResourceType, { ref, object, unretained }: DesiredRow): Promise<void> {
    if (unretained === undefined) return;
    const { client, signal } = this.#access;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const live = await client.get(type, ref.namespace, ref.name, { metadataOnly: true, signal });
        const { uid, resourceVersion, managedFields = [] } = live.metadata;
        const kept = withoutGivenUp(managedFields, FIELD_MANAGER, unretained, object);
        if (kept === undefined) return;
        const patch = { metadata: { uid, resourceVersion, managedFields: kept } };
        await client.patch(type, ref.namespace, ref.name, "application/merge-patch+json", patch, { signal });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        // The member's controllers write statuses all the time.
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #apply(type: ResourceType, object: KubeObject, force: boolean): Promise<void> {
    const { client, signal, namespaces } = this.#access;
    if (object.metadata.namespace !== undefined) await namespaces.removed(object.metadata.namespace);
    let applied: KubeObject;
    try {
      applied = await client.apply(type, object, { force, signal });
    } catch (error) {
      const { namespace } = object.metadata;
      if (namespace === undefined || classify(error)?.kind !== "NamespaceMissing") throw error;
      await namespaces.ensure(namespace, signal);
      applied = await client.apply(type, object, { force, signal });
    }
    this.#access.wrote(type, applied);
  }

  #type(ref: ObjectRef): ResourceType {
    const type = this.#access.typeOf(ref);
    if (type !== undefined) return type;
    throw new ApiError(404, "NotFound", `the member does not serve ${ref.kind} of ${ref.apiVersion} (${refKey(ref)})`);
  }
}
