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
import { carried, type NamespaceLabels } from "./carriedLabels.ts";
import type { MemberSession } from "../types.ts";

/**
 * Annotation of a namespace that Meridian created and may remove. Its value is the namespace's name, so that a copy of
 * the manifest under another name does not count as created by Meridian.
 */
const CREATED_ANNOTATION = `${FEDERATION_GROUP}/created-for`;

/** Value that an earlier version of Meridian wrote into the annotation. */
const BEFORE = "federated-objects";

/** Wraps the creation of a namespace, to report it. `make` resolves with false when the namespace already existed. */
export type RecordNamespace = (name: string, make: () => Promise<boolean>) => Promise<boolean>;

/**
 * Creates missing namespaces on a member, marked as ours, and removes them again. Concurrent calls for one namespace
 * share one request. Nothing is written into a namespace while it is being removed.
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
    labels: NamespaceLabels,
  ) {
    this.#session = session;
    this.#hubId = hubId;
    this.#labels = labels;
  }

  /**
   * Resolves when the namespace exists. Throws the client's errors. Also throws when the credentials reach some
   * namespaces only, since `meridian join` creates the namespaces then. `record`: only the first of several concurrent
   * callers' is used.
   */
  async ensure(name: string, signal: AbortSignal, record: RecordNamespace = (_name, make) => make()): Promise<void> {
    let making = this.#underWay.get(name);
    if (making === undefined) {
      making = record(name, () => this.#create(name, signal)).finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, making);
    }
    await making;
  }

  /** Deletes the namespace with this UID. False when the namespace has changed meanwhile. Throws the client's errors. */
  remove(namespace: NamespaceVersion, signal: AbortSignal): Promise<boolean> {
    const { name } = namespace;
    const removal = deleteNamespace(this.#session.client, namespace, signal).finally(() => this.#removals.delete(name));
    this.#removals.set(name, removal);
    return removal;
  }

  /** Resolves when no removal of the namespace is under way. */
  async removed(name: string): Promise<void> {
    const removal = this.#removals.get(name);
    if (removal !== undefined) await Promise.allSettled([removal]);
  }

  /** False when the namespace already existed. */
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

/** Namespace with the UID and resourceVersion that a deletion requires. */
export interface NamespaceVersion {
  name: string;
  uid: string;
  resourceVersion: string;
}

export function isNamespace({ apiVersion, kind }: ObjectRef): boolean {
  return kind === "Namespace" && apiVersion === "v1";
}

/** True when Meridian, of this hub or another one, created the namespace. */
export function wasCreatedByMeridian({ metadata }: KubeObject): boolean {
  const madeFor = metadata.annotations?.[CREATED_ANNOTATION];
  if (madeFor !== BEFORE) return madeFor === metadata.name;
  return metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) === true;
}

/**
 * Objects that Kubernetes creates in every namespace, and kinds whose objects only describe other objects. The group is
 * part of the key, since a custom kind may have the name of a Kubernetes kind.
 */
const OF_EVERY_NAMESPACE = new Set(["/ConfigMap/kube-root-ca.crt", "/ServiceAccount/default"]);
const DESCRIBES_OTHERS = new Set(["/Event", "events.k8s.io/Event", "/Endpoints", "discovery.k8s.io/EndpointSlice"]);

export type Emptiness =
  | { kind: "Empty" }
  /** The namespace holds an object that Meridian must not remove. */
  | { kind: "Occupied"; by: string }
  /** Some kind cannot be listed, so the namespace cannot be called empty. */
  | { kind: "Unknown"; message: string };

/**
 * Lists every namespaced kind that the member serves, all at the same time, so that the answers are of about one
 * moment. Reads the metadata of five objects per kind at most.
 */
export async function inspectNamespace(
  client: Client,
  discovery: Discovery,
  name: string,
  signal: AbortSignal,
): Promise<Emptiness> {
  // The member may serve more kinds than the cached discovery shows.
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
    // This includes Not Found: the kind's version may be gone while its objects exist in another version.
    signal.throwIfAborted();
    return { kind: "Unknown", message: `${type.plural} ${whyNot(error)}` };
  }
  const foreign = items.find((item) => !goesWithTheNamespace(type, item.metadata.name));
  return foreign === undefined ? { kind: "Empty" } : { kind: "Occupied", by: `${type.kind} ${foreign.metadata.name}` };
}

/** Short reason without the server's message, which differs each time for some errors. */
function whyNot(error: unknown): string {
  if (isForbidden(error)) return "may not be listed there";
  return isApiError(error) ? `cannot be listed there (${error.status} ${error.reason})` : "cannot be listed there";
}

function goesWithTheNamespace({ group, kind }: ResourceType, name: string): boolean {
  return DESCRIBES_OTHERS.has(kindKey({ group, kind })) || OF_EVERY_NAMESPACE.has(`${group}/${kind}/${name}`);
}

/** One version of each kind. All versions of a kind hold the same objects. */
function oncePerKind(types: readonly ResourceType[]): Iterable<ResourceType> {
  const byKind = new Map<string, ResourceType>();
  for (const type of types) {
    const key = `${type.group}/${type.plural}`;
    if (!byKind.has(key)) byKind.set(key, type);
  }
  return byKind.values();
}

/** Deletes the namespace if its UID and resourceVersion still match. Returns false when they do not. */
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
