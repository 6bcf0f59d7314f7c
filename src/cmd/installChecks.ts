import { type KubeObject, sameValue } from "../apis/index.ts";
import {
  type Client,
  CLUSTERROLEBINDINGS,
  CLUSTERROLES,
  CRDS,
  isApiError,
  isNotFound,
  NAMESPACES,
  type ResourceType,
  ROLEBINDINGS,
  ROLES,
  SERVICEACCOUNTS,
} from "../runtime/index.ts";
import { find } from "./connection.ts";
import { describeRelease, releaseOf } from "./helmRelease.ts";
import { isInstalled } from "./managerAccess.ts";
import { describeError } from "./outcome.ts";

const TYPES: Record<string, ResourceType> = {
  ClusterRole: CLUSTERROLES,
  ClusterRoleBinding: CLUSTERROLEBINDINGS,
  CustomResourceDefinition: CRDS,
  Namespace: NAMESPACES,
  Role: ROLES,
  RoleBinding: ROLEBINDINGS,
  ServiceAccount: SERVICEACCOUNTS,
};
/** Exists everywhere: stands in for a namespace that is yet to be made. */
const STAND_IN = "default";

/** What the hub says to one object that is to be installed. */
export interface Checked {
  wanted: KubeObject;
  type: ResourceType;
  before: KubeObject | undefined;
  /** Write: as wanted. Keep: somebody else's, and good as it is. Refused: it cannot be. */
  verdict: { kind: "Write"; verb: Verb } | { kind: "Keep"; why: string } | { kind: "Refused"; why: string };
}

export type Verb = "created" | "configured" | "unchanged";

export function typeOf({ kind }: KubeObject): ResourceType {
  const type = TYPES[kind];
  if (type === undefined) throw new Error(`install makes no ${kind}`);
  return type;
}

/** `customresourcedefinition/NAME`, with the namespace where there is one. */
export function label({ kind, metadata }: KubeObject): string {
  const where = metadata.namespace === undefined ? "" : ` in namespace ${metadata.namespace}`;
  return `${kind.toLowerCase()}/${metadata.name}${where}`;
}

/** Asks the hub about every object without changing anything. Rejects only when it cannot be asked. */
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
    const verdict = standing(wanted, before) ?? (await dryRun({ client, wanted, before, missing, signal }));
    checked.push({ wanted, type, before, verdict });
  }
  return checked;
}

/** What can be said without asking: who has an object of that name already. */
export function standing(wanted: KubeObject, before: KubeObject | undefined): Checked["verdict"] | undefined {
  if (before === undefined) return undefined;
  if (before.metadata.deletionTimestamp !== undefined)
    return { kind: "Refused", why: "it is being deleted; try again when it is gone" };
  if (wanted.kind === "Namespace") return { kind: "Keep", why: "unchanged" };
  const release = releaseOf(before);
  if (release !== undefined) return { kind: "Keep", why: `left to ${describeRelease(release)}` };
  // A CRD of that name can only be Meridian's, whoever brought it.
  if (isInstalled(before) || wanted.kind === "CustomResourceDefinition") return undefined;
  return { kind: "Refused", why: "there is one that is not Meridian's; remove or rename it" };
}

interface DryRun {
  client: Client;
  wanted: KubeObject;
  before: KubeObject | undefined;
  /** Namespaces that are yet to be made. */
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
    // The rights that a binding gives were looked at with its role, which is there by the time the binding is written.
    const awaitsRole = wanted.kind.endsWith("Binding") && isNotFound(error) && /role/.test(error.details?.kind ?? "");
    return awaitsRole ? { kind: "Write", verb: "created" } : { kind: "Refused", why: describeError(error) };
  }
}

/** What a write did or would do; bookkeeping of the server aside. */
export function verbOf(before: KubeObject | undefined, after: KubeObject): Verb {
  if (before === undefined) return "created";
  return sameValue(substance(before), substance(after)) ? "unchanged" : "configured";
}

function substance({ metadata, status: _, ...rest }: KubeObject): object {
  const { labels = {}, annotations = {} } = metadata;
  return { ...rest, labels, annotations };
}
