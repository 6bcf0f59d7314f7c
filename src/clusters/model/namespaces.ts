import {
  FEDERATION_GROUP,
  FIELD_MANAGER,
  kindKey,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ObjectRef,
  renewCommand,
} from "../../apis/index.ts";
import {
  ApiError,
  type Client,
  type Discovery,
  isAlreadyExists,
  isApiError,
  isConflict,
  isForbidden,
  isNotFound,
  NAMESPACES,
  type ResourceType,
} from "../../runtime/index.ts";
import { carried, NamespaceLabels } from "./carriedLabels.ts";
import type { MemberSession } from "../types.ts";

/**
 * On a namespace that Meridian made, and so may remove again: the namespace's own name, so that a copy of it under another name is nobody's
 * but who made that.
 */
const CREATED_ANNOTATION = `${FEDERATION_GROUP}/created-for`;

/** What an earlier version wrote there. */
const BEFORE = "federated-objects";

/** Is around the making of a namespace, to say that it is made. `make` resolves with false where it was there. */
export type TellOfNamespace = (name: string, make: () => Promise<boolean>) => Promise<boolean>;

/**
 * Creates the namespaces that a member lacks, marked as ours, and removes them again. Concurrent wishes for one namespace are one
 * request, and nothing is written into a namespace while it is being removed.
 */
export class MemberNamespaces {
  readonly #session: Pick<MemberSession, "cluster" | "client" | "namespaces">;
  readonly #hubId: string;
  readonly #labels: NamespaceLabels;
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #removals = new Map<string, Promise<boolean>>();

  constructor(
    session: Pick<MemberSession, "cluster" | "client" | "namespaces">,
    hubId: string,
    labels = new NamespaceLabels(),
  ) {
    this.#session = session;
    this.#hubId = hubId;
    this.#labels = labels;
  }

  /**
   * Resolves when the namespace exists. Throws what the client throws, and where the credentials reach some namespaces only: there join makes
   * the namespaces. `telling`: by whoever wishes for it first.
   */
  async ensure(name: string, signal: AbortSignal, telling: TellOfNamespace = (_name, make) => make()): Promise<void> {
    let making = this.#underWay.get(name);
    if (making === undefined) {
      making = telling(name, () => this.#create(name, signal)).finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, making);
    }
    await making;
  }

  /** Deletes that life of the namespace. False when the namespace has changed meanwhile. Throws what the client throws. */
  remove(namespace: NamespaceVersion, signal: AbortSignal): Promise<boolean> {
    const { name } = namespace;
    const removal = deleteNamespace(this.#session.client, namespace, signal).finally(() => this.#removals.delete(name));
    this.#removals.set(name, removal);
    return removal;
  }

  /** Resolves when no removal of that namespace is under way (any more). */
  async removed(name: string): Promise<void> {
    const removal = this.#removals.get(name);
    if (removal !== undefined) await Promise.allSettled([removal]);
  }

  /** False when the namespace was there. */
  async #create(name: string, signal: AbortSignal): Promise<boolean> {
    const { cluster, client, namespaces } = this.#session;
    if (namespaces !== undefined) throw notMadeHere(cluster, name);
    const { labels, annotations } = carried(this.#labels.of(name));
    const namespace: KubeObject = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name,
        labels: { ...labels, [MANAGED_BY_LABEL]: this.#hubId },
        annotations: { ...annotations, [CREATED_ANNOTATION]: name },
      },
    };
    try {
      await client.create(NAMESPACES, namespace, { signal });
      return true;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return false;
    }
  }
}

function notMadeHere(cluster: string, name: string): ApiError {
  return new ApiError(403, "Forbidden", `namespace ${name} is gone: \`${renewCommand(cluster)}\` makes it again`);
}

/** One version of one life of a namespace. */
export interface NamespaceVersion {
  name: string;
  uid: string;
  resourceVersion: string;
}

export function isNamespace({ apiVersion, kind }: ObjectRef): boolean {
  return kind === "Namespace" && apiVersion === "v1";
}

/** True when Meridian of some hub created that namespace. */
export function wasCreatedByMeridian({ metadata }: KubeObject): boolean {
  const madeFor = metadata.annotations?.[CREATED_ANNOTATION];
  if (madeFor !== BEFORE) return madeFor === metadata.name;
  return metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) === true;
}

/**
 * Objects that every namespace holds by itself, and kinds whose objects go with those that they describe. The group counts: a custom kind may
 * have the name of a kind of Kubernetes.
 */
const OF_EVERY_NAMESPACE = new Set(["/ConfigMap/kube-root-ca.crt", "/ServiceAccount/default"]);
const DESCRIBES_OTHERS = new Set(["/Event", "events.k8s.io/Event", "/Endpoints", "discovery.k8s.io/EndpointSlice"]);

export type Emptiness =
  | { kind: "Empty" }
  /** Something that is not ours to remove. */
  | { kind: "Occupied"; by: string }
  /** A kind that Meridian may not list: then nobody can say that the namespace is empty. */
  | { kind: "Unknown"; message: string };

/**
 * Lists every kind of object that the member serves, all at once, so that the answer is of one moment. Reads metadata of a few objects at
 * most from each.
 */
export async function inspectNamespace(
  client: Client,
  discovery: Discovery,
  name: string,
  signal: AbortSignal,
): Promise<Emptiness> {
  // What was served a while ago is not all that may be in there now.
  discovery.invalidate();
  const unavailable = await discovery.unavailable();
  if (unavailable.size > 0) return { kind: "Unknown", message: `${[...unavailable].join(", ")} cannot be asked now` };
  const types = (await discovery.list()).filter((type) => type.namespaced && (type.verbs ?? []).includes("list"));
  const found = await Promise.all([...oncePerKind(types)].map((type) => inspectKind(client, type, name, signal)));
  return (
    found.find(({ kind }) => kind === "Occupied") ?? found.find(({ kind }) => kind === "Unknown") ?? { kind: "Empty" }
  );
}

async function inspectKind(client: Client, type: ResourceType, name: string, signal: AbortSignal): Promise<Emptiness> {
  let items: KubeObject[];
  try {
    ({ items } = await client.list(type, { namespace: name, metadataOnly: true, limit: 5, signal }));
  } catch (error) {
    // Not found either: a version that was taken out of service says nothing of the objects, which are there in another version.
    signal.throwIfAborted();
    return { kind: "Unknown", message: `${type.plural} ${whyNot(error)}` };
  }
  const foreign = items.find((item) => !goesWithTheNamespace(type, item.metadata.name));
  return foreign === undefined ? { kind: "Empty" } : { kind: "Occupied", by: `${type.kind} ${foreign.metadata.name}` };
}

/** Without the server's own words, which differ each time for some errors. */
function whyNot(error: unknown): string {
  if (isForbidden(error)) return "may not be listed there";
  return isApiError(error) ? `cannot be listed there (${error.status} ${error.reason})` : "cannot be listed there";
}

function goesWithTheNamespace({ group, kind }: ResourceType, name: string): boolean {
  return DESCRIBES_OTHERS.has(kindKey({ group, kind })) || OF_EVERY_NAMESPACE.has(`${group}/${kind}/${name}`);
}

/** The versions of a group hold the same objects: one of them is enough. */
function oncePerKind(types: readonly ResourceType[]): Iterable<ResourceType> {
  const byKind = new Map<string, ResourceType>();
  for (const type of types) {
    const key = `${type.group}/${type.plural}`;
    if (!byKind.has(key)) byKind.set(key, type);
  }
  return byKind.values();
}

/** Deletes the namespace unless it has become another one since. Returns false when it changed under our eyes. */
async function deleteNamespace(client: Client, { name, ...version }: NamespaceVersion, signal: AbortSignal) {
  try {
    await client.delete(NAMESPACES, undefined, name, { ...version, signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isConflict(error)) return false;
    throw error;
  }
}
