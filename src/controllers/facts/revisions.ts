import { randomUUID } from "node:crypto";
import {
  defined,
  excess,
  hashOf,
  type KeptRevision,
  type KubeObject,
  OBJECT_BOUNDS,
  REVISION_ANNOTATION,
  REVISION_HASH_ANNOTATION,
  REVISION_OF_LABEL,
  shortMessage,
} from "../../apis/index.ts";
import { madeOfRevision, type RevisionContent, type Why } from "../../desiredstate/index.ts";
import { digestOf, provenRevision, type ReadRevision, unprovenRevision } from "../../hub/index.ts";
import { type Client, CONTROLLERREVISIONS, isAlreadyExists, isConflict, isNotFound } from "../../runtime/index.ts";

/** Largest content of a revision. A larger object has no revisions. */
const MAX_BYTES = 1024 * 1024;
/** The content wraps an object, which may have the maximum depth itself. */
const MAX_LEVELS = OBJECT_BOUNDS.levels + 4;
/** Contents in memory for each object: of the revision that is rolled out, and of the last good revision. */
const CONTENTS = 2;
/** Largest number of leftovers that are removed for one object. A tenant may have created any number. */
const MOST_LEFTOVERS = 200;

/** Knowledge of this process about the revisions of one object, beyond the index in the object's status. */
interface Known {
  contents: Map<string, RevisionContent>;
  unusable: Map<string, ReadRevision>;
  /** The last created revision. The status may not name the revision yet. */
  made?: KeptRevision;
  /** Names of removed revisions. The status may still name them. */
  removed: Set<string>;
  /** The index began anew, so ControllerRevisions that the index does not name may be left. */
  hasLeftovers?: boolean;
}

export type Kept = { kind: "Kept"; revision: KeptRevision } | { kind: "Refused"; why: Why };

export interface WantedRevision {
  content: RevisionContent;
  hash: string;
  number: number;
  /** The index in the status; undefined if there is none yet. */
  index: readonly KeptRevision[] | undefined;
}

/** Equal for contents with the same result on members; undefined if the content is nested too deep. */
export function contentHash(content: RevisionContent): string | undefined {
  const isTooDeep = excess(content, { bytes: Infinity, levels: MAX_LEVELS }) !== undefined;
  return isTooDeep ? undefined : digestOf(madeOfRevision(content));
}

/**
 * The revisions of hub objects, as ControllerRevisions in the namespace of the object (of a cluster-scoped object: in
 * Meridian's own). Tenants may write ControllerRevisions too, so only the index in the object's status
 * (`status.rollout.revisions`) proves which revisions exist and what they hold.
 */
export class Revisions {
  readonly #client: Client;
  readonly #systemNamespace: string;
  readonly #known = new Map<string, Known>();

  constructor({ client, systemNamespace }: { client: Client; systemNamespace: string }) {
    this.#client = client;
    this.#systemNamespace = systemNamespace;
  }

  /** Creates a revision of the content and returns its entry for the index. Rejects with the errors of the client. */
  async keep(object: KubeObject, wanted: WantedRevision, signal: AbortSignal): Promise<Kept> {
    const { content, hash, number, index } = wanted;
    const known = this.#of(object);
    if (known.made?.hash === hash && known.made.revision === number) return { kind: "Kept", revision: known.made };
    const data = fitting(content);
    if (data === undefined) return { kind: "Refused", why: tooLarge(object) };
    if (index === undefined) known.hasLeftovers = true;
    const { name, uid = "" } = object.metadata;
    // The name depends on the UID: revisions of an earlier object of this name may still exist.
    const revision = {
      revision: number,
      name: `${nameFor(name)}-${hashOf([uid, hash])}`,
      hash,
      digest: digestOf(data),
    };
    const made = await this.#make(object, revision, data, signal);
    known.made = made;
    remember(known, made.digest, data);
    return { kind: "Kept", revision: made };
  }

  async read(
    object: KubeObject,
    index: readonly KeptRevision[] | undefined,
    number: number,
    signal: AbortSignal,
  ): Promise<ReadRevision> {
    const kept = index?.find(({ revision }) => revision === number);
    if (kept === undefined) return unprovenRevision(number);
    const known = this.#of(object);
    const { name, digest } = kept;
    const content = known.contents.get(digest);
    if (content !== undefined) return { kind: "Proven", content };
    const before = known.unusable.get(digest);
    if (before !== undefined) return before;
    const read = provenRevision(kept, await this.#get(object, name, signal));
    if (read.kind === "Proven") remember(known, digest, read.content);
    else known.unusable.set(digest, read);
    return read;
  }

  /** Removes the oldest revisions beyond the limit, except revisions in use. Returns the remaining index. */
  async prune(
    object: KubeObject,
    index: readonly KeptRevision[],
    { limit, inUse }: { limit: number; inUse: ReadonlySet<number> },
    signal: AbortSignal,
  ): Promise<KeptRevision[]> {
    const known = this.#of(object);
    const old = index.filter(({ revision }) => !inUse.has(revision));
    const beyond = new Set(old.slice(0, Math.max(0, old.length - limit)));
    for (const { name, digest } of beyond) {
      if (!known.removed.has(name)) await this.#delete(object, name, undefined, signal);
      known.removed.add(name);
      known.contents.delete(digest);
    }
    return index.filter((one) => !beyond.has(one));
  }

  /** Removes revisions that the index does not name, once after the index began anew. */
  async removeLeftovers(object: KubeObject, index: readonly KeptRevision[], signal: AbortSignal): Promise<void> {
    const known = this.#of(object);
    if (known.hasLeftovers !== true) return;
    const { uid = "" } = object.metadata;
    const { items } = await this.#client.list(CONTROLLERREVISIONS, {
      namespace: this.#namespaceOf(object),
      labelSelector: `${REVISION_OF_LABEL}=${uid}`,
      limit: MOST_LEFTOVERS,
      metadataOnly: true,
      signal,
    });
    const named = new Set(index.map(({ name }) => name));
    for (const { metadata } of items) {
      const isOurs = metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
      if (isOurs && !named.has(metadata.name)) await this.#delete(object, metadata.name, metadata.uid, signal);
    }
    known.hasLeftovers = false;
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }

  /** Creates the ControllerRevision, with another name if a tenant has taken the name in advance. */
  async #make(
    object: KubeObject,
    revision: KeptRevision,
    data: RevisionContent,
    signal: AbortSignal,
  ): Promise<KeptRevision> {
    try {
      await this.#client.create(CONTROLLERREVISIONS, this.#bodyOf(object, revision, data), { signal });
      return revision;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    // An earlier create may have succeeded although its response was lost.
    const present = await this.#get(object, revision.name, signal);
    const isTaken = present?.metadata.deletionTimestamp === undefined;
    if (isTaken && provenRevision(revision, present).kind === "Proven") return revision;
    const other = { ...revision, name: `${revision.name}-${randomUUID().slice(0, 8)}` };
    await this.#client.create(CONTROLLERREVISIONS, this.#bodyOf(object, other, data), { signal });
    return other;
  }

  /** Labels and annotations are for people, and for the managers of an earlier version. */
  #bodyOf(object: KubeObject, { name, revision, hash }: KeptRevision, data: RevisionContent): KubeObject {
    const { apiVersion, kind } = object;
    const { uid = "" } = object.metadata;
    return {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name,
        namespace: this.#namespaceOf(object),
        labels: { [REVISION_OF_LABEL]: uid },
        annotations: { [REVISION_ANNOTATION]: String(revision), [REVISION_HASH_ANNOTATION]: hash },
        ownerReferences: [{ apiVersion, kind, name: object.metadata.name, uid }],
      },
      revision,
      data,
    };
  }

  async #get(object: KubeObject, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(CONTROLLERREVISIONS, this.#namespaceOf(object), name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #delete(object: KubeObject, name: string, uid: string | undefined, signal: AbortSignal): Promise<void> {
    const options = { ...defined({ uid }), signal };
    try {
      await this.#client.delete(CONTROLLERREVISIONS, this.#namespaceOf(object), name, options);
    } catch (error) {
      // A conflict means that the name now belongs to an object with another UID.
      if (!isNotFound(error) && !(uid !== undefined && isConflict(error))) throw error;
    }
  }

  #of({ metadata: { uid = "" } }: KubeObject): Known {
    let known = this.#known.get(uid);
    if (known === undefined)
      this.#known.set(uid, (known = { contents: new Map(), unusable: new Map(), removed: new Set() }));
    return known;
  }

  #namespaceOf({ metadata }: KubeObject): string {
    return metadata.namespace ?? this.#systemNamespace;
  }
}

/** The content, without its ConfigMaps if they make it too large; undefined if the rest is too large as well. */
function fitting(content: RevisionContent): RevisionContent | undefined {
  if (sizeOf(content) <= MAX_BYTES) return content;
  const { configMaps: _, ...rest } = content;
  return sizeOf(rest) <= MAX_BYTES ? rest : undefined;
}

function sizeOf(content: RevisionContent): number {
  return Buffer.byteLength(JSON.stringify(content));
}

export function tooLarge({ kind, metadata }: KubeObject): Why {
  const message = shortMessage(
    `${kind} ${metadata.name} is larger than 1 MiB: no revision can hold it; remove the rollout from its policy`,
  );
  return { reason: "RevisionTooLarge", message };
}

function remember({ contents }: Known, digest: string, content: RevisionContent): void {
  contents.delete(digest);
  contents.set(digest, content);
  for (const oldest of contents.keys()) if (contents.size > CONTENTS) contents.delete(oldest);
}

/** Makes the name valid for a ControllerRevision. Some kinds allow other characters in names. */
function nameFor(name: string): string {
  const fit = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, "-")
    .slice(0, 200);
  return /^[a-z0-9]/.test(fit) ? fit : `x${fit}`;
}
