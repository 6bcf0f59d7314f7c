import {
  FIELD_MANAGER,
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
  type StandingField,
  withKept,
  withoutGivenUp,
  withoutPlaces,
} from "../../interpreter/index.ts";
import {
  ApiError,
  type Client,
  isApiError,
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
  holdsEmpty,
  listRepairs,
  type PatchOperation,
  withoutUpdateEntry,
} from "./listRepair.ts";
import { changeMetadata } from "./metadataPatch.ts";
import {
  type MemberNamespaces,
  observe,
  type ObservedObject,
  type TellOfNamespace,
  unwrittenOfOthers,
} from "../model/index.ts";
import { staleDefaults } from "./staleDefaults.ts";
import { classify, notInVersion, VERSION_NOT_SERVED } from "./outcome.ts";

/** An object that changes that often has a controller that writes without end. */
const MOST_CLEANINGS = 5;

/** What a writer needs of the session that it writes through. */
export interface MemberAccess {
  client: Client;
  signal: AbortSignal;
  /** What our label says. */
  hubId: string;
  /** Where Meridian itself lives. */
  systemNamespace: string;
  namespaces: MemberNamespaces;
  /** The hub itself. */
  local?: boolean;
  /** The resource of a kind that is propagated to the member. */
  typeOf(ref: ObjectRef): ResourceType | undefined;
  isSynced(ref: ObjectRef): boolean;
  /** Whether the member lacks the kind. */
  lacks(ref: ObjectRef): "No" | "Perhaps" | "Surely";
  /** Why objects of the kind may not be read, where a right is missing. */
  denial(ref: ObjectRef): string | undefined;
  mayRemove(ref: ObjectRef): boolean;
  /** Takes the server's answer to a write as an observation, without waiting for the watch. */
  observe(written: Written): void;
  /** A life of a member object that no watch sees is not there any more. */
  vanished(ref: ObjectRef, uid: string): void;
  /** Whether the member serves the kind in the version of the reference, as far as it has said. */
  serves(ref: ObjectRef): boolean;
  /** The member has answered that it does not serve the kind. */
  doubtKind(ref: ObjectRef): void;
}

/** The server's answer to a write. */
export interface Written {
  type: ResourceType;
  object: KubeObject;
  /** What the member made something else of, though it accepted the apply. */
  altered: readonly string[];
}

/** No object has this version: an apply with it creates an object or is refused, whoever's object has the name, and with force too. */
const NO_VERSION = "1";

/** The name is taken: the versions or the owners of fields differ. */
function isTaken(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 409;
}

function leaving(ref: ObjectRef): ApiError {
  return new ApiError(409, "Conflict", `a ${ref.kind} of that name is being deleted on the member`);
}

/** A request for the other scope would be about another object than the one that was judged. */
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

/** Another life of the object is left alone. */
function sameLife(uid: string): PatchOperation {
  return { op: "test", path: "/metadata/uid", value: uid };
}

/** The merge of our list with somebody's is refused: 422, or 500 when the nodePort of both is handed out twice. */
function isUnmergeable(error: unknown): boolean {
  return isInvalid(error) || (isApiError(error) && error.status === 500);
}

function isOfAnotherHub({ metadata: { labels } }: KubeObject, hubId: string): boolean {
  const hub = labels?.[MANAGED_BY_LABEL];
  return hub !== undefined && hub !== hubId;
}

/** One life of a member object, and whether the watch sees it. */
type Seen = Pick<ObservedObject, "uid" | "visible">;

/** The writes that a lane makes on one member through one session. Each throws what the client throws. */
export class MemberWriter {
  readonly #access: MemberAccess;

  constructor(access: MemberAccess) {
    this.#access = access;
  }

  /** Whether all objects of this kind on the member are known: before that none of them is missing. */
  isSynced(ref: ObjectRef): boolean {
    return this.#access.isSynced(ref);
  }

  /** Whether the member lacks the kind, by its own word; `Surely`: so that nothing of the kind can be there. */
  lacks(ref: ObjectRef): "No" | "Perhaps" | "Surely" {
    return this.#access.lacks(ref);
  }

  /** Why objects of this kind may not be read on the member, where that is for want of a right. */
  denial(ref: ObjectRef): string | undefined {
    return this.#access.denial(ref);
  }

  /** Whether objects of this kind may be removed: all of them are known, and the cache does not hold deletions. */
  mayRemove(ref: ObjectRef): boolean {
    return this.#access.mayRemove(ref);
  }

  /** The session has ended: what was under way was broken off, and says nothing about the member. */
  get isOver(): boolean {
    return this.#access.signal.aborted;
  }

  /** The account that writes is one of join's, which can grant it more. */
  get isJoined(): boolean {
    return this.#access.local !== true;
  }

  /** Takes the answer to a write as an observation. */
  observe(written: Written): void {
    this.#access.observe(written);
  }

  /** The member has answered that it does not serve the kind as it was found there. */
  doubtKind(ref: ObjectRef): void {
    this.#access.doubtKind(ref);
  }

  /**
   * First apply: it creates, or it is refused, as one request. What holds the name is looked at only then, and is taken up when it is ours
   * or given to us.
   */
  async create(row: ApplyRow, telling?: TellOfNamespace): Promise<Written> {
    const type = this.#type(row.ref);
    const { metadata } = row.object;
    const first = { ...row.object, metadata: { ...metadata, resourceVersion: NO_VERSION } };
    try {
      return await this.#apply(type, first, false, telling);
    } catch (error) {
      if (!isTaken(error)) throw error;
      return await this.#takeUp(type, row, await this.#holderOf(type, row, error));
    }
  }

  /** Throws the refusal when nothing holds the name (any more), or when what holds it goes. */
  async #holderOf(type: ResourceType, row: ApplyRow, refusal: ApiError): Promise<{ holder: Holder; live: KubeObject }> {
    const { client, signal, hubId, systemNamespace } = this.#access;
    const { namespace, name } = row.ref;
    try {
      const live = await client.get(type, namespace, name, { metadataOnly: true, signal });
      return { holder: judgeHolder(live, row, hubId, systemNamespace), live };
    } catch (error) {
      throw isNotFound(error) ? refusal : error;
    }
  }

  /** The apply forces, so it names the UID that was judged, and leaves to their owners the fields that nobody has written on the hub. */
  async #takeUp(
    type: ResourceType,
    row: ApplyRow,
    { holder, live }: { holder: Holder; live: KubeObject },
  ): Promise<Written> {
    const { ref } = row;
    if (holder.kind === "Leaving") throw leaving(ref);
    if (holder.kind === "Stranger") {
      const refusal = strangerRefusal(holder, row);
      if (refusal !== undefined) throw new ApiError(409, refusal.reason, refusal.message);
    }
    await this.#giveUp(type, row);
    const kept = keptFields(row.standing, FIELD_MANAGER, { live });
    const object = withKept(withoutPlaces(row.object, placesOf(unwrittenOfOthers(row, live))), kept);
    return this.#apply(type, { ...object, metadata: { ...object.metadata, uid: holder.uid } }, true);
  }

  /**
   * Applies to the object of ours that was observed, and takes back what others changed. The apply forces, so it names the observed UID:
   * a later object of the same name may be anybody's. `yielded`: what is left to its owners; `kept`: what is sent on.
   */
  async update(
    row: ApplyRow,
    observed: ObservedObject,
    drift: readonly LostField[],
    { yielded, kept }: { yielded: readonly LostPlace[]; kept: readonly StandingField[] } = { yielded: [], kept: [] },
  ): Promise<Written> {
    const type = this.#type(row.ref);
    const { uid } = observed;
    const desired = withKept(withoutPlaces(row.object, placesOf(yielded)), kept);
    const object = { ...desired, metadata: { ...desired.metadata, uid } };
    if (observed.hash !== row.hash) await this.#giveUp(type, row);
    try {
      const answer = await this.#apply(type, object, true);
      const left = observed.hash === row.hash ? [] : emptiesLeft(desired, answer.object);
      const empty = [...emptiedAgain(desired, answer.object), ...left];
      return empty.length === 0 ? answer : await this.#patched(type, object, [sameLife(uid), ...empty]);
    } catch (error) {
      if (!observed.visible && isApiError(error)) await this.#reportIfVanished(type, row.ref, uid);
      const repairs = isUnmergeable(error) ? listRepairs(drift, desired) : [];
      if (isInvalid(error))
        repairs.push(...(await this.#repairsOf(type, { ref: row.ref, object: desired }, uid, error)));
      if (repairs.length === 0) throw error;
      return this.#repair(type, object, [sameLife(uid), ...repairs]);
    }
  }

  /**
   * Of an update that was refused: what has to change together with the apply, or before. The live object is read only where the refusal
   * names a field, or the desired object holds anything empty.
   */
  async #repairsOf(
    type: ResourceType,
    { ref, object }: Pick<ApplyRow, "ref" | "object">,
    uid: string,
    refusal: ApiError,
  ): Promise<PatchOperation[]> {
    const names = refusal.details?.causes?.some(({ field }) => field !== undefined) === true;
    if (!names && !holdsEmpty(object)) return [];
    const { client, signal } = this.#access;
    try {
      const live = await client.get(type, ref.namespace, ref.name, { signal });
      if (live.metadata.uid !== uid) return [];
      return [...emptiedFirst(object, live), ...staleDefaults(object, live, refusal)];
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  /** Puts whole lists back, empties maps, takes stale defaults away; and applies again for the ownership. */
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

  /**
   * Leaves no other trace of a patch in `managedFields`: what such an entry owns would outlive its removal from the desired object. A controller may
   * write the object at the same moment, a status say; then the entry is looked for in what is there now.
   */
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

  /**
   * Looks for an object of ours by its name, whether it has our label or somebody took the label off. What has the label of another hub is
   * that hub's, whatever its other marks say: nothing of it is ours to remove.
   */
  async find(ref: ObjectRef, owner: OwnerRef): Promise<ObservedObject | undefined> {
    const { client, signal, hubId } = this.#access;
    try {
      const found = await client.get(this.#servedType(ref), ref.namespace, ref.name, { metadataOnly: true, signal });
      if (isOfAnotherHub(found, hubId)) return undefined;
      const observed = observe(found);
      if (!observed.isOurs || observed.owner?.uid !== owner.uid) return undefined;
      // Metadata say nothing about the values.
      return {
        ...observed,
        visible: found.metadata.labels?.[MANAGED_BY_LABEL] === hubId,
        evidence: { live: undefined },
      };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Reads all of an object. Undefined when it is not there any more; the watch will say so. */
  async read(ref: ObjectRef): Promise<ObservedObject | undefined> {
    const { client, signal } = this.#access;
    const type = this.#servedType(ref);
    try {
      const object = await client.get(type, ref.namespace, ref.name, { signal });
      return observe(object, { keepsContent: true, scale: type.scale });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /**
   * Deletes exactly that life of the object. That the object is gone is for the watch to say, or for {@link find}. `agreed`: a definition
   * may take its objects along. `keepsClaims`: a StatefulSet may not take its volume claims along.
   */
  async delete(
    ref: ObjectRef,
    { uid, visible }: Seen,
    { agreed, keepsClaims }: Pick<DeleteRow, "agreed" | "keepsClaims"> = {},
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
   * Takes everything of Meridian off that life of the object, so that it stays on the member as anybody's. The answer is no observation: the
   * watch, which sees only objects with our label, reports that the object has left the selection, and an observation after that would never
   * be corrected.
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

  /** Of an object that no watch sees: tells when that life of it is gone, or has become another hub's. */
  async #reportIfVanished(type: ResourceType, ref: ObjectRef, uid: string): Promise<void> {
    const { client, signal, hubId } = this.#access;
    try {
      const live = await client.get(type, ref.namespace, ref.name, { metadataOnly: true, signal });
      if (live.metadata.uid === uid && !isOfAnotherHub(live, hubId)) return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#access.vanished(ref, uid);
  }

  /**
   * Lets go of fields that we own and that are left to the member now. An apply without these fields would remove them where nobody else
   * owns them; so the ownership goes first, and the values stay. A crash in between does no harm: the object still has its old hash.
   */
  async #giveUp(type: ResourceType, { ref, object, unretained }: ApplyRow): Promise<void> {
    if (unretained === undefined) return;
    const { client, signal } = this.#access;
    await changeMetadata(client, type, ref, signal, ({ metadata: { uid, resourceVersion, managedFields = [] } }) => {
      const kept = withoutGivenUp(managedFields, FIELD_MANAGER, unretained, object);
      return kept === undefined ? undefined : { metadata: { uid, resourceVersion, managedFields: kept } };
    });
  }

  async #apply(type: ResourceType, object: KubeObject, force: boolean, telling?: TellOfNamespace): Promise<Written> {
    const { client, signal, namespaces } = this.#access;
    const { namespace } = object.metadata;
    if (namespace !== undefined) await namespaces.removed(namespace);
    const apply = async (): Promise<Written> =>
      written(type, object, await client.apply(type, object, { force, signal }));
    try {
      return await apply();
    } catch (error) {
      if (namespace === undefined || classify(error)?.kind !== "NamespaceMissing") throw error;
      await namespaces.ensure(namespace, signal, telling);
      return await apply();
    }
  }

  /** The resource in the version of the object that is written. */
  #type(ref: ObjectRef): ResourceType {
    const type = this.#servedType(ref);
    const { version } = parseApiVersion(ref.apiVersion);
    if (version === type.version) return type;
    if (!this.#access.serves(ref))
      throw new ApiError(404, VERSION_NOT_SERVED, notInVersion(ref, type), { ofPath: true });
    return { ...type, version };
  }

  /** The resource in the version that the member serves: an object is the same in each of them, and can be looked for and removed in any. */
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
