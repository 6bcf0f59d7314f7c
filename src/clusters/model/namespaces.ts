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

/** Annotation of a namespace that Meridian created. Its value is the namespace's name, so that a copy does not count. */
const CREATED_ANNOTATION = `${FEDERATION_GROUP}/created-for`;

/** Value in earlier versions. */
const BEFORE = "federated-objects";

/** Wraps the creation of a namespace, to report it. `make` resolves with false when the namespace already existed. */
export type RecordNamespace = (name: string, make: () => Promise<boolean>) => Promise<boolean>;

/** Creates missing namespaces on a member, and removes them again. Meanwhile nothing is written into them. */
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
   * Resolves when the namespace exists. Concurrent callers share one request and the first `record`. Throws the
   * client's errors, and if `meridian join` makes the namespaces of this account.
   */
  async ensure(name: string, signal: AbortSignal, record: RecordNamespace = (_name, make) => make()): Promise<void> {
    let making = this.#underWay.get(name);
    if (making === undefined) {
      making = record(name, () => this.#create(name, signal)).finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, making);
    }
    await making;
  }

  /** Deletes this version of the namespace. False when it has changed meanwhile. Throws the client's errors. */
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
    if (namespaces !== undefined)
      throw new ApiError(403, "Forbidden", `namespace ${name} is gone: \`${renewCommand(cluster)}\` makes it again`);
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

/** Version that a deletion requires. */
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

/** Objects in every namespace, and kinds that only describe others. With their group, since a custom kind may share a name. */
const OF_EVERY_NAMESPACE = new Set(["/ConfigMap/kube-root-ca.crt", "/ServiceAccount/default"]);
const DESCRIBES_OTHERS = new Set(["/Event", "events.k8s.io/Event", "/Endpoints", "discovery.k8s.io/EndpointSlice"]);

export type Emptiness =
  | { kind: "Empty" }
  /** The namespace holds an object that Meridian must not remove. */
  | { kind: "Occupied"; by: string }
  /** Some kind cannot be listed, so the namespace cannot be called empty. */
  | { kind: "Unknown"; message: string };

/** Lists the metadata of five objects of every namespaced kind, all at the same time. */
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
  // All versions of a kind hold the same objects.
  const versions = [...Map.groupBy(types, ({ group, plural }) => `${group}/${plural}`).values()];
  const kinds = versions.flatMap((ofKind) => ofKind.slice(0, 1));
  const found = await Promise.all(kinds.map((type) => inspectKind(client, type, name, signal)));
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

/** False when UID or resourceVersion do not match. */
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
