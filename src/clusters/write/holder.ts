import {
  DEFAULT_SYSTEM_NAMESPACE,
  FIELD_MANAGER,
  JOINED_TO_LABEL,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ObjectRef,
  refOf,
} from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { hasApplied } from "../../interpreter/index.ts";
import { ownerOf, ownershipOf } from "../model/index.ts";

/** Holder of the name that a row wants to write. An object of this hub is ours. A leaving object frees the name. */
export type Holder =
  | { kind: "Ours"; uid: string }
  | { kind: "Leaving" }
  /** `why`: reason why the foreign object is never adopted. */
  | { kind: "Stranger"; uid: string; why: string | undefined };

/** Namespaces whose foreign objects are never adopted. */
const PROTECTED_NAMESPACES: ReadonlySet<string> = new Set([
  "kube-system",
  "kube-public",
  "kube-node-lease",
  DEFAULT_SYSTEM_NAMESPACE,
]);

/** Objects that a cluster creates for itself and recreates when they are deleted. */
const OF_THE_CLUSTER: readonly Partial<ObjectRef>[] = [
  { kind: "Service", namespace: "default", name: "kubernetes" },
  { kind: "Endpoints", namespace: "default", name: "kubernetes" },
  { kind: "EndpointSlice", namespace: "default", name: "kubernetes" },
  { kind: "ServiceAccount", name: "default" },
  { kind: "ConfigMap", name: "kube-root-ca.crt" },
];

/**
 * Judges the holder of a name by its metadata. An object is ours if its annotation names itself and its label names
 * this hub. Without the label, its owner annotation must name the row's owner.
 */
export function judgeHolder(
  live: KubeObject,
  { owner }: Pick<ApplyRow, "owner">,
  hubId: string,
  systemNamespace: string,
): Holder {
  const { uid = "", labels, deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined) return { kind: "Leaving" };
  const ref = refOf(live);
  const hub = labels?.[MANAGED_BY_LABEL];
  const isOfThisHub = hub === hubId || (hub === undefined && ownerOf(live)?.uid === owner.uid);
  if (isOfThisHub && ownershipOf(live, ref).isOurs) return { kind: "Ours", uid };
  return { kind: "Stranger", uid, why: whyNeverAdopted(live, ref, hubId, systemNamespace) };
}

/** Refusal to write a name that a foreign object holds; undefined when the row adopts the object. */
export function strangerRefusal(
  holder: Extract<Holder, { kind: "Stranger" }>,
  { ref, conflictResolution }: Pick<ApplyRow, "ref" | "conflictResolution">,
): { reason: "AlreadyExists" | "NotAdoptable"; message: string } | undefined {
  const mayAdopt = conflictResolution === "Adopt";
  if (holder.why !== undefined) {
    const message = `a ${ref.kind} of that name is there and is never taken over: ${holder.why}`;
    return { reason: mayAdopt ? "NotAdoptable" : "AlreadyExists", message };
  }
  if (mayAdopt) return undefined;
  const message = `a ${ref.kind} of that name is there and is not Meridian's; conflictResolution: Adopt takes it over`;
  return { reason: "AlreadyExists", message };
}

function whyNeverAdopted(
  { metadata }: KubeObject,
  ref: ObjectRef,
  hubId: string,
  systemNamespace: string,
): string | undefined {
  const { namespace = "" } = ref;
  if (PROTECTED_NAMESPACES.has(namespace) || namespace === systemNamespace)
    return `nothing in namespace ${namespace} is taken over`;
  if (OF_THE_CLUSTER.some((own) => isMeant(own, ref)) || isKubernetesOwn(metadata))
    return "the cluster makes it for itself";
  if (metadata.labels?.[JOINED_TO_LABEL] !== undefined) return "Meridian itself needs it";
  const controller = metadata.ownerReferences?.find(({ controller: controls }) => controls === true);
  if (controller !== undefined) return `${controller.kind} ${controller.name} controls it`;
  const hub = metadata.labels?.[MANAGED_BY_LABEL];
  if (hub !== undefined && hub !== hubId && hasApplied(metadata.managedFields, FIELD_MANAGER))
    return `another hub (${hub}) keeps it`;
  return undefined;
}

/** True for objects that every API server creates and restores. A change of them would change the cluster itself. */
function isKubernetesOwn({ name, labels, annotations }: KubeObject["metadata"]): boolean {
  return (
    name.startsWith("system:") ||
    name.startsWith("system-") ||
    labels?.["kubernetes.io/bootstrapping"] !== undefined ||
    annotations?.["apf.kubernetes.io/autoupdate-spec"] !== undefined
  );
}

function isMeant({ kind, namespace, name }: Partial<ObjectRef>, ref: ObjectRef): boolean {
  return kind === ref.kind && name === ref.name && (namespace === undefined || namespace === ref.namespace);
}
