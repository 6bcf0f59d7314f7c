import {
  FIELD_MANAGER,
  fullMessage,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ObjectRef,
  type OwnerRef,
  parseApiVersion,
  refKey,
} from "../../apis/index.ts";
import type { ApplyRow, DeleteRow } from "../../desiredstate/index.ts";
import {
  alteredFields,
  isDefinition,
  keptFields,
  type LostField,
  type LostPlace,
  type HubOwnedField,
  withKept,
  isCustomGroup,
  withoutGivenUp,
  withoutPlaces,
} from "../../interpreter/index.ts";
import {
  ApiError,
  type Client,
  isApiError,
  ifFound,
  isConflict,
  isInvalid,
  isNotFound,
  type ResourceType,
} from "../../runtime/index.ts";
import { keepClaims } from "./claimGuard.ts";
import { refuseWhileInUse } from "./definitionGuard.ts";
import { type Holder, judgeHolder, strangerRefusal } from "./holder.ts";
import { stripMarks } from "./stripMarks.ts";
import {
  emptiedAgain,
  emptiesLeft,
  emptiedFirst,
  mayBeEmptiedFirst,
  listRepairs,
  type PatchOperation,
  withoutUpdateEntry,
} from "./listRepair.ts";
import { changeMetadata } from "./metadataPatch.ts";
import {
  type MemberNamespaces,
  observe,
  type ObservedObject,
  type RecordNamespace,
  unwrittenOfOthers,
} from "../model/index.ts";
import { staleDefaults } from "./staleDefaults.ts";
import { classify, notInVersion, VERSION_NOT_SERVED } from "./outcome.ts";

/** Maximum of attempts to clean `managedFields`, against a controller that writes without end. */
const MOST_CLEANINGS = 5;

/** Session data and callbacks that a writer needs. */
export interface MemberAccess {
  client: Client;
  signal: AbortSignal;
  hubId: string;
  systemNamespace: string;
  namespaces: MemberNamespaces;
  /** Resource type of a kind that is propagated to the member. */
  typeOf(ref: ObjectRef): ResourceType | undefined;
  /** Called when an object that no watch shows was found gone. */
  vanished(ref: ObjectRef, uid: string): void;
  /** True unless the member's discovery lacks the kind in the version of the reference. */
  serves(ref: ObjectRef): boolean;
}

/** The server's answer to a write. */
export interface Written {
  type: ResourceType;
  object: KubeObject;
  /** Fields that the member changed although it accepted the apply. */
  altered: readonly string[];
}

/** resourceVersion that no object has. An apply with it either creates the object or is refused, even with force. */
const NO_VERSION = "1";

/** True for 409: the resourceVersion or the owners of fields differ, so the name is taken. */
function isTaken(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 409;
}

/** Refusal of a wrong scope. A request in the other scope would address a different object than the judged one. */
function wrongScope({ kind }: ObjectRef, { namespaced }: ResourceType): ApiError {
  const text = namespaced
    ? `${kind} is namespaced on the member; give metadata.namespace`
    : `${kind} is cluster-scoped on the member; remove the namespace, or say so where the object comes from`;
  return new ApiError(409, "WrongScope", text);
}

function placesOf(lost: readonly LostPlace[]): (readonly string[])[] {
  return lost.map(({ elements }) => elements);
}

function written(type: ResourceType, desired: KubeObject, object: KubeObject): Written {
  return { type, object, altered: alteredFields(desired, object, FIELD_MANAGER) };
}

/** Tests the UID, so that an object that was created again is left alone. */
function sameLife(uid: string): PatchOperation {
  return { op: "test", path: "/metadata/uid", value: uid };
}

/** True when the server refuses a merged list: 422, or 500 for a nodePort that is allocated twice. */
function isUnmergeable(error: unknown): boolean {
  return isInvalid(error) || (isApiError(error) && error.status === 500);
}

function isOfAnotherHub({ metadata: { labels } }: KubeObject, hubId: string): boolean {
  const hub = labels?.[MANAGED_BY_LABEL];
  return hub !== undefined && hub !== hubId;
}

/** A member object by UID, and whether the watch shows it. */
type Seen = Pick<ObservedObject, "uid" | "visible">;

/** Writes of a lane to one member through one session. Each method throws the client's errors. */
export class MemberWriter {
  readonly #access: MemberAccess;

  constructor(access: MemberAccess) {
    this.#access = access;
  }

  /** First apply: creates the object, or takes over the holder of the name if it is ours or the row adopts it. */
  async create(row: ApplyRow, record?: RecordNamespace): Promise<Written> {
    const type = this.#type(row.ref);
    const { metadata } = row.object;
    const first = { ...row.object, metadata: { ...metadata, resourceVersion: NO_VERSION } };
    try {
      return await this.#apply(type, first, false, record);
    } catch (error) {
      if (!isTaken(error)) throw error;
      return await this.#takeUp(type, row, await this.#holderOf(type, row, error));
    }
  }

  /** Reads the holder of the name. Throws `refusal` when no object has the name any more. */
  async #holderOf(type: ResourceType, row: ApplyRow, refusal: ApiError): Promise<{ holder: Holder; live: KubeObject }> {
    const { client, signal, hubId, systemNamespace } = this.#access;
    const { namespace, name } = row.ref;
    const live = await ifFound(client.get(type, namespace, name, { metadataOnly: true, signal }));
    if (live === undefined) throw refusal;
    return { holder: judgeHolder(live, row, hubId, systemNamespace), live };
  }

  /** Applies by force to the UID that was judged. Fields that nobody has written on the hub stay with their owners. */
  async #takeUp(
    type: ResourceType,
    row: ApplyRow,
    { holder, live }: { holder: Holder; live: KubeObject },
  ): Promise<Written> {
    if (holder.kind === "Leaving")
      throw new ApiError(409, "Conflict", `a ${row.ref.kind} of that name is being deleted on the member`);
    if (holder.kind === "Stranger") {
      const refusal = strangerRefusal(holder, row);
      if (refusal !== undefined) throw new ApiError(409, refusal.reason, refusal.message);
    }
    await this.#giveUp(type, row);
    const kept = keptFields(row.hubOwned, FIELD_MANAGER, { live });
    const object = withKept(withoutPlaces(row.object, placesOf(unwrittenOfOthers(row, live))), kept);
    return this.#apply(type, { ...object, metadata: { ...object.metadata, uid: holder.uid } }, true);
  }

  /**
   * Applies by force to the observed UID, and takes back the fields that others changed. `yielded`: fields left to
   * their owners; `kept`: fields that the copy keeps.
   */
  async update(
    row: ApplyRow,
    observed: ObservedObject,
    drift: readonly LostField[],
    { yielded, kept }: { yielded: readonly LostPlace[]; kept: readonly HubOwnedField[] },
  ): Promise<Written> {
    const type = this.#type(row.ref);
    const { uid } = observed;
    const desired = withKept(withoutPlaces(row.object, placesOf(yielded)), kept);
    const object = { ...desired, metadata: { ...desired.metadata, uid } };
    const isNew = observed.hash !== row.hash;
    if (isNew) await this.#giveUp(type, row);
    try {
      return await this.#withEmpties(type, object, await this.#apply(type, object, true), isNew);
    } catch (error) {
      if (!observed.visible && isApiError(error)) await this.#reportIfVanished(type, row.ref, uid);
      const repairs = isUnmergeable(error) ? listRepairs(drift, desired) : [];
      if (isInvalid(error))
        repairs.push(...(await this.#repairsOf(type, { ref: row.ref, object: desired }, uid, error)));
      if (repairs.length === 0) throw error;
      const repaired = await this.#repair(type, object, [sameLife(uid), ...repairs]);
      return await this.#withEmpties(type, object, repaired, isNew);
    }
  }

  /** Restores and removes empty fields that an apply got wrong. `isNew`: the applied object differs from the last one. */
  async #withEmpties(type: ResourceType, desired: KubeObject, applied: Written, isNew: boolean): Promise<Written> {
    const again = isNew || isCustomGroup(type.group) ? emptiedAgain(desired, applied.object) : [];
    const operations = [...again, ...(isNew ? emptiesLeft(desired, applied.object) : [])];
    const { uid } = applied.object.metadata;
    if (operations.length === 0 || uid === undefined) return applied;
    return await this.#patched(type, desired, [sameLife(uid), ...operations]);
  }

  /** Operations that a refused update needs first. Reads the live object only if there can be some. */
  async #repairsOf(
    type: ResourceType,
    { ref, object }: Pick<ApplyRow, "ref" | "object">,
    uid: string,
    refusal: ApiError,
  ): Promise<PatchOperation[]> {
    const names = refusal.details?.causes?.some(({ field }) => field !== undefined) === true;
    if (!names && !mayBeEmptiedFirst(object)) return [];
    const { client, signal } = this.#access;
    const live = await ifFound(client.get(type, ref.namespace, ref.name, { signal }));
    if (live?.metadata.uid !== uid) return [];
    return [...emptiedFirst(object, live), ...staleDefaults(object, live, refusal)];
  }

  /** Replaces whole lists, empties maps and removes stale defaults. Then applies again, to own the fields by apply. */
  async #repair(type: ResourceType, desired: KubeObject, repairs: PatchOperation[]): Promise<Written> {
    const { client, signal } = this.#access;
    await this.#patch(type, desired, repairs);
    return this.#cleaned(type, desired, await client.apply(type, desired, { force: true, signal }));
  }

  async #patched(type: ResourceType, desired: KubeObject, operations: PatchOperation[]): Promise<Written> {
    return this.#cleaned(type, desired, await this.#patch(type, desired, operations));
  }

  #patch(type: ResourceType, { metadata }: KubeObject, operations: PatchOperation[]): Promise<KubeObject> {
    const { client, signal } = this.#access;
    const { namespace, name } = metadata;
    return client.patch(type, namespace, name, "application/json-patch+json", operations, { signal });
  }

  /** Removes the entry of a patch from `managedFields`; again on the current object if a controller writes meanwhile. */
  async #cleaned(type: ResourceType, desired: KubeObject, patched: KubeObject): Promise<Written> {
    const { client, signal } = this.#access;
    const { namespace, name } = patched.metadata;
    let object = patched;
    for (let tries = 1; ; tries++) {
      const cleaning = withoutUpdateEntry(object);
      if (cleaning === undefined) return written(type, desired, object);
      try {
        return written(type, desired, await this.#patch(type, desired, cleaning));
      } catch (error) {
        if (tries === MOST_CLEANINGS || !(isInvalid(error) || isConflict(error))) throw error;
        const now = await client.get(type, namespace, name, { signal });
        const hasChanged = now.metadata.resourceVersion !== object.metadata.resourceVersion;
        if (now.metadata.uid !== object.metadata.uid || !hasChanged) throw error;
        object = now;
      }
    }
  }

  /** Finds an object of ours by its name, even without our label. Another hub's label makes it that hub's. */
  async find(ref: ObjectRef, owner: OwnerRef): Promise<ObservedObject | undefined> {
    const { client, signal, hubId } = this.#access;
    const type = this.#servedType(ref);
    const found = await ifFound(client.get(type, ref.namespace, ref.name, { metadataOnly: true, signal }));
    if (found === undefined || isOfAnotherHub(found, hubId)) return undefined;
    const observed = observe(found);
    if (!observed.isOurs || observed.owner?.uid !== owner.uid) return undefined;
    const visible = found.metadata.labels?.[MANAGED_BY_LABEL] === hubId;
    // Metadata hold no values to compare.
    return { ...observed, visible, evidence: { live: undefined } };
  }

  /** Reads a whole object. Undefined when it is gone, which the watch will report. */
  async read(ref: ObjectRef): Promise<ObservedObject | undefined> {
    const { client, signal } = this.#access;
    const type = this.#servedType(ref);
    const object = await ifFound(client.get(type, ref.namespace, ref.name, { signal }));
    return object === undefined ? undefined : observe(object, { keepsContent: true, scale: type.scale });
  }

  /** Deletes exactly this UID. `agreed`: a definition may go with its objects. `keepsClaims`: volume claims survive. */
  async delete(
    ref: ObjectRef,
    { uid, visible }: Seen,
    { agreed, keepsClaims }: Pick<DeleteRow, "agreed" | "keepsClaims">,
  ): Promise<void> {
    const { client, signal } = this.#access;
    const type = this.#servedType(ref);
    if (agreed !== true && isDefinition(ref)) await refuseWhileInUse(client, type, ref, signal);
    if (keepsClaims === true) await keepClaims(client, type, { ...ref, uid }, signal);
    try {
      await client.delete(type, ref.namespace, ref.name, { uid, propagationPolicy: "Background", signal });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!visible && isApiError(error)) await this.#reportIfVanished(type, ref, uid);
      throw error;
    }
  }

  /**
   * Removes all marks of Meridian from the object with this UID. The answer is not taken as an observation: the watch
   * selects by our label, so nothing would ever correct it.
   */
  async release(ref: ObjectRef, { uid, visible }: Seen): Promise<void> {
    const { client, signal } = this.#access;
    const type = this.#servedType(ref);
    try {
      await stripMarks(client, type, { ...ref, uid }, signal);
    } catch (error) {
      if (!visible && isApiError(error)) await this.#reportIfVanished(type, ref, uid);
      throw error;
    }
  }

  /** Reports an object that no watch shows when the UID is gone or belongs to another hub now. */
  async #reportIfVanished(type: ResourceType, ref: ObjectRef, uid: string): Promise<void> {
    const { client, signal, hubId } = this.#access;
    const live = await ifFound(client.get(type, ref.namespace, ref.name, { metadataOnly: true, signal }));
    if (live?.metadata.uid === uid && !isOfAnotherHub(live, hubId)) return;
    this.#access.vanished(ref, uid);
  }

  /**
   * Gives up fields that are left to the member from now on, so that the apply without them keeps their values. A crash
   * in between does no harm, since the object still has its old hash.
   */
  async #giveUp(type: ResourceType, { ref, object, unretained }: ApplyRow): Promise<void> {
    if (unretained === undefined) return;
    const { client, signal } = this.#access;
    await changeMetadata(client, type, ref, signal, ({ metadata: { uid, resourceVersion, managedFields = [] } }) => {
      const kept = withoutGivenUp(managedFields, FIELD_MANAGER, unretained, object);
      return kept === undefined ? undefined : { metadata: { uid, resourceVersion, managedFields: kept } };
    });
  }

  async #apply(type: ResourceType, object: KubeObject, force: boolean, record?: RecordNamespace): Promise<Written> {
    const { client, signal, namespaces } = this.#access;
    const { namespace } = object.metadata;
    if (namespace !== undefined) await namespaces.removed(namespace);
    const apply = async (): Promise<Written> =>
      written(type, object, await client.apply(type, object, { force, signal }));
    try {
      return await apply();
    } catch (error) {
      if (namespace === undefined || classify(error)?.kind !== "NamespaceMissing") throw error;
      await namespaces.ensure(namespace, signal, record);
      return await apply();
    }
  }

  /** Resource type in the version of the reference, for writes. */
  #type(ref: ObjectRef): ResourceType {
    const type = this.#servedType(ref);
    const { version } = parseApiVersion(ref.apiVersion);
    if (version === type.version) return type;
    if (!this.#access.serves(ref))
      throw new ApiError(404, VERSION_NOT_SERVED, fullMessage(notInVersion(ref, type)), { ofPath: true });
    return { ...type, version };
  }

  /** Resource type in the version that is watched. An object can be read and removed in any version. */
  #servedType(ref: ObjectRef): ResourceType {
    const type = this.#access.typeOf(ref);
    if (type === undefined) {
      const text = `the member does not serve ${ref.kind} of ${ref.apiVersion} (${refKey(ref)})`;
      throw new ApiError(404, "NotFound", text, { ofPath: true });
    }
    if (type.namespaced !== (ref.namespace !== undefined)) throw wrongScope(ref, type);
    return type;
  }
}
