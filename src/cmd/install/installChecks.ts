import { type KubeObject, sameValue } from "../../apis/index.ts";
import {
  type Client,
  CLUSTERROLEBINDINGS,
  CLUSTERROLES,
  CRDS,
  DEPLOYMENTS,
  isApiError,
  isNotFound,
  NAMESPACES,
  NETWORKPOLICIES,
  PODDISRUPTIONBUDGETS,
  PRIORITYCLASSES,
  type ResourceType,
  ROLEBINDINGS,
  ROLES,
  SERVICEACCOUNTS,
  SERVICES,
} from "../../runtime/index.ts";
import { describeAnswer, describeRelease, find, releaseOf } from "../shared/index.ts";
import { isInstalled } from "../workload/index.ts";

const TYPES: Record<string, ResourceType> = {
  ClusterRole: CLUSTERROLES,
  ClusterRoleBinding: CLUSTERROLEBINDINGS,
  CustomResourceDefinition: CRDS,
  Deployment: DEPLOYMENTS,
  Namespace: NAMESPACES,
  NetworkPolicy: NETWORKPOLICIES,
  PodDisruptionBudget: PODDISRUPTIONBUDGETS,
  PriorityClass: PRIORITYCLASSES,
  Role: ROLES,
  RoleBinding: ROLEBINDINGS,
  Service: SERVICES,
  ServiceAccount: SERVICEACCOUNTS,
};
/** A namespace that every cluster has. In a dry run it stands in for a namespace that does not exist yet. */
const STAND_IN = "default";

/** The hub's answer about one object that is to be installed. */
export interface Checked {
  wanted: KubeObject;
  type: ResourceType;
  before: KubeObject | undefined;
  /**
   * Write: Meridian writes the object. Keep: the object belongs to somebody else and is sufficient. Refused: the object
   * cannot be written.
   */
  verdict: { kind: "Write"; verb: Verb } | { kind: "Keep"; why: string } | { kind: "Refused"; why: string };
}

export type Verb = "created" | "configured" | "unchanged";

export function typeOf({ kind }: KubeObject): ResourceType {
  const type = TYPES[kind];
  if (type === undefined) throw new Error(`install makes no ${kind}`);
  return type;
}

/** `customresourcedefinition/NAME`, with the namespace of a namespaced object. */
export function label({ kind, metadata }: KubeObject): string {
  const where = metadata.namespace === undefined ? "" : ` in namespace ${metadata.namespace}`;
  return `${kind.toLowerCase()}/${metadata.name}${where}`;
}

/** Asks the hub about every object, by dry run. Rejects only when the hub is out of reach or refuses the credentials. */
export async function checkAll(
  client: Client,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Checked[]> {
  const checked: Checked[] = [];
  const missing = new Set<string>();
  for (const wanted of objects) {
    const type = typeOf(wanted);
    const before = await find(client, type, wanted.metadata.namespace, wanted.metadata.name, signal);
    if (wanted.kind === "Namespace" && before === undefined) missing.add(wanted.metadata.name);
    const verdict = verdictWithoutAsking(wanted, before) ?? (await dryRun({ client, wanted, before, missing, signal }));
    checked.push({ wanted, type, before, verdict });
  }
  return checked;
}

/** The verdict that follows from the object on the hub; undefined when a dry run has to decide. */
export function verdictWithoutAsking(
  wanted: KubeObject,
  before: KubeObject | undefined,
): Checked["verdict"] | undefined {
  if (before === undefined) return undefined;
  if (before.metadata.deletionTimestamp !== undefined)
    return { kind: "Refused", why: "it is being deleted; try again when it is gone" };
  if (wanted.kind === "Namespace") return { kind: "Keep", why: "unchanged" };
  const release = releaseOf(before);
  if (release !== undefined) return { kind: "Keep", why: `left to ${describeRelease(release)}` };
  // A CRD with this name can only be Meridian's, whoever installed it.
  if (isInstalled(before) || wanted.kind === "CustomResourceDefinition") return undefined;
  return { kind: "Refused", why: "the hub has an object of that name that is not Meridian's; remove or rename it" };
}

interface DryRun {
  client: Client;
  wanted: KubeObject;
  before: KubeObject | undefined;
  /** Namespaces that do not exist yet. */
  missing: ReadonlySet<string>;
  signal: AbortSignal;
}

async function dryRun({ client, wanted, before, missing, signal }: DryRun): Promise<Checked["verdict"]> {
  const { namespace } = wanted.metadata;
  const isPending = namespace !== undefined && missing.has(namespace);
  const object = isPending ? { ...wanted, metadata: { ...wanted.metadata, namespace: STAND_IN } } : wanted;
  try {
    const after = await client.apply(typeOf(wanted), object, { force: true, dryRun: true, signal });
    return { kind: "Write", verb: verbOf(before, after) };
  } catch (error) {
    if (!isApiError(error) || error.status === 401) throw error;
    // The dry run of the role has checked the rights that the binding gives, and the role exists by the time the binding is written.
    const awaitsRole = wanted.kind.endsWith("Binding") && isNotFound(error) && /role/.test(error.details?.kind ?? "");
    return awaitsRole ? { kind: "Write", verb: "created" } : { kind: "Refused", why: describeAnswer(error) };
  }
}

/** The effect of a write, apart from metadata that the server sets. */
export function verbOf(before: KubeObject | undefined, after: KubeObject): Verb {
  if (before === undefined) return "created";
  return sameValue(substance(before), substance(after)) ? "unchanged" : "configured";
}

function substance({ metadata, status: _, ...rest }: KubeObject): object {
  const { labels = {}, annotations = {} } = metadata;
  return { ...rest, labels, annotations };
}
