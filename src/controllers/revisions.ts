import {
  hashOf,
  type KubeObject,
  REVISION_ANNOTATION,
  REVISION_HASH_ANNOTATION,
  REVISION_OF_LABEL,
  REVISION_SUCCEEDED_ANNOTATION,
  shortMessage,
} from "../apis/index.ts";
import type { RevisionContent, Why } from "../desiredstate/index.ts";
import { type Client, CONTROLLERREVISIONS, isAlreadyExists, isNotFound } from "../runtime/index.ts";

/** One revision of a hub object, without what it holds. */
export interface Revision {
  name: string;
  number: number;
  /** Equal for contents of which the same is made. */
  hash: string;
  /** RFC 3339 time at which it was last rolled out to the end; undefined where it never was, or not since that is recorded. */
  succeededAt?: string;
}

/** No revision is kept of an object that is larger, with what goes along with it. */
const MAX_BYTES = 1024 * 1024;
/** Contents that are kept in memory for each object: what is rolled out, and what a rollback returns to. */
const CONTENTS = 2;

interface Known {
  revisions: Revision[];
  contents: Map<number, RevisionContent>;
}

export type Kept = { kind: "Kept"; revision: Revision } | { kind: "Refused"; why: Why };

/**
 * The revisions of hub objects, as ControllerRevisions beside the objects; of a cluster-scoped object, in Meridian's own namespace. The hub is asked once
 * for each object that is rolled out in stages, and not at all for the others. This manager alone writes them, so that what was read once stays
 * true for its term.
 */
export class Revisions {
  readonly #client: Client;
  readonly #systemNamespace: string;
  readonly #known = new Map<string, Known>();

  constructor({ client, systemNamespace }: { client: Client; systemNamespace: string }) {
    this.#client = client;
    this.#systemNamespace = systemNamespace;
  }

  /** Sorted by number. Rejects with what the client rejects with. */
  async of(object: KubeObject, signal: AbortSignal): Promise<readonly Revision[]> {
    return (await this.#of(object, signal)).revisions;
  }

  /** Makes certain that there is a revision with that content. The same content once more is the same revision. */
  async keep(object: KubeObject, content: RevisionContent, hash: string, signal: AbortSignal): Promise<Kept> {
    const known = await this.#of(object, signal);
    const present = known.revisions.find((revision) => revision.hash === hash);
    if (present !== undefined) return { kind: "Kept", revision: present };
    const data = fitting(content);
    if (data === undefined) return { kind: "Refused", why: tooLarge(object) };
    const number = (known.revisions.at(-1)?.number ?? 0) + 1;
    const { apiVersion, kind } = object;
    const { name, uid = "" } = object.metadata;
    // The revisions of an earlier object of that name may still be there, until the hub's garbage collector has seen that it is gone.
    const revision: Revision = { name: `${nameFor(name)}-${hashOf([uid, hash])}`, number, hash };
    const body: KubeObject = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: revision.name,
        namespace: this.#namespaceOf(object),
        labels: { [REVISION_OF_LABEL]: uid },
        annotations: { [REVISION_ANNOTATION]: String(number), [REVISION_HASH_ANNOTATION]: hash },
        ownerReferences: [{ apiVersion, kind, name, uid }],
      },
      revision: number,
      data,
    };
    try {
      await this.#client.create(CONTROLLERREVISIONS, body, { signal });
    } catch (error) {
      // Made by a write whose answer was lost: what is there is read anew.
      this.forget(uid);
      if (!isAlreadyExists(error)) throw error;
      const found = (await this.#of(object, signal)).revisions.find((one) => one.hash === hash);
      if (found !== undefined) return { kind: "Kept", revision: found };
      throw error;
    }
    known.revisions.push(revision);
    remember(known, number, data);
    return { kind: "Kept", revision };
  }

  /** What the revision holds; undefined where somebody removed it. */
  async content(object: KubeObject, number: number, signal: AbortSignal): Promise<RevisionContent | undefined> {
    const known = await this.#of(object, signal);
    const present = known.contents.get(number);
    if (present !== undefined) return present;
    const revision = known.revisions.find((one) => one.number === number);
    if (revision === undefined) return undefined;
    try {
      const found = await this.#client.get(CONTROLLERREVISIONS, this.#namespaceOf(object), revision.name, { signal });
      const content = found["data"] as RevisionContent;
      remember(known, number, content);
      return content;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      known.revisions = known.revisions.filter((one) => one !== revision);
      return undefined;
    }
  }

  /** Records when the revision was last rolled out to the end: one write for each rollout, so that a person can go back to what was good. */
  async succeeded(object: KubeObject, number: number, at: string, signal: AbortSignal): Promise<void> {
    const known = await this.#of(object, signal);
    const revision = known.revisions.find((one) => one.number === number);
    if (revision === undefined || revision.succeededAt === at) return;
    const patch = { metadata: { annotations: { [REVISION_SUCCEEDED_ANNOTATION]: at } } };
    const [type, namespace] = [CONTROLLERREVISIONS, this.#namespaceOf(object)];
    try {
      await this.#client.patch(type, namespace, revision.name, "application/merge-patch+json", patch, { signal });
      revision.succeededAt = at;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      known.revisions = known.revisions.filter((one) => one !== revision);
    }
  }

  /** Removes the oldest ones beyond the limit; those in use stay. */
  async prune(object: KubeObject, limit: number, inUse: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    const known = await this.#of(object, signal);
    const old = known.revisions.filter(({ number }) => !inUse.has(number));
    for (const revision of old.slice(0, Math.max(0, old.length - limit))) {
      try {
        await this.#client.delete(CONTROLLERREVISIONS, this.#namespaceOf(object), revision.name, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      known.revisions = known.revisions.filter((one) => one !== revision);
      known.contents.delete(revision.number);
    }
  }

  /** What is known of the revisions of that object is read anew when it is asked for. */
  forget(uid: string): void {
    this.#known.delete(uid);
  }

  async #of(object: KubeObject, signal: AbortSignal): Promise<Known> {
    const { uid = "" } = object.metadata;
    let known = this.#known.get(uid);
    if (known !== undefined) return known;
    const list = await this.#client.list(CONTROLLERREVISIONS, {
      namespace: this.#namespaceOf(object),
      labelSelector: `${REVISION_OF_LABEL}=${uid}`,
      metadataOnly: true,
      signal,
    });
    const revisions = list.items.flatMap(({ metadata }): Revision[] => {
      const number = Number(metadata.annotations?.[REVISION_ANNOTATION]);
      const hash = metadata.annotations?.[REVISION_HASH_ANNOTATION];
      if (hash === undefined || !Number.isSafeInteger(number)) return [];
      const succeededAt = metadata.annotations?.[REVISION_SUCCEEDED_ANNOTATION];
      return [{ name: metadata.name, number, hash, ...(succeededAt === undefined ? {} : { succeededAt }) }];
    });
    known = { revisions: revisions.toSorted((a, b) => a.number - b.number), contents: new Map() };
    this.#known.set(uid, known);
    return known;
  }

  #namespaceOf({ metadata }: KubeObject): string {
    return metadata.namespace ?? this.#systemNamespace;
  }
}

/** The content as it fits into an object; the ConfigMaps are left out where they are too much. Undefined: it does not fit. */
function fitting(content: RevisionContent): RevisionContent | undefined {
  if (sizeOf(content) <= MAX_BYTES) return content;
  const { configMaps: _, ...rest } = content;
  return sizeOf(rest) <= MAX_BYTES ? rest : undefined;
}

function sizeOf(content: RevisionContent): number {
  return Buffer.byteLength(JSON.stringify(content));
}

function tooLarge({ kind, metadata }: KubeObject): Why {
  const message = shortMessage(
    `${kind} ${metadata.name} is larger than 1 MiB: no revision can hold it; remove the rollout from its policy`,
  );
  return { reason: "RevisionTooLarge", message };
}

function remember({ contents }: Known, number: number, content: RevisionContent): void {
  contents.delete(number);
  contents.set(number, content);
  for (const oldest of contents.keys()) if (contents.size > CONTENTS) contents.delete(oldest);
}

/** Fit for the name of an object; names of some kinds are not. */
function nameFor(name: string): string {
  const fit = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, "-")
    .slice(0, 200);
  return /^[a-z0-9]/.test(fit) ? fit : `x${fit}`;
}
