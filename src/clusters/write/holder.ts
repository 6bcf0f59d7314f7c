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

/** Who holds the name that a row asks for. */
export type Holder =
  /** Written by this hub: its fields are ours to take. */
  | { kind: "Ours"; uid: string }
  /** On its way out, whosever it is: afterwards the name is free. */
  | { kind: "Leaving" }
  | { kind: "Stranger"; uid: string; adoptable: true }
  /** One that is never taken over, and why. */
  | { kind: "Stranger"; uid: string; adoptable: false; why: string };

/** Of a stranger that is in such a namespace nothing good comes to whoever takes it over. */
const PROTECTED_NAMESPACES: ReadonlySet<string> = new Set([
  "kube-system",
  "kube-public",
  "kube-node-lease",
  DEFAULT_SYSTEM_NAMESPACE,
]);

/** Objects that a cluster makes for itself, and makes again. */
const OF_THE_CLUSTER: readonly Partial<ObjectRef>[] = [
  { kind: "Service", namespace: "default", name: "kubernetes" },
  { kind: "Endpoints", namespace: "default", name: "kubernetes" },
  { kind: "EndpointSlice", namespace: "default", name: "kubernetes" },
  { kind: "ServiceAccount", name: "default" },
  { kind: "ConfigMap", name: "kube-root-ca.crt" },
];

/**
 * Judges who holds a name, by the metadata of what is there. Ours is what names itself and this hub; where somebody took the label off, what
 * names itself and this very life of the hub object.
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
  const why = whyNeverAdopted(live, ref, hubId, systemNamespace);
  return why === undefined
    ? { kind: "Stranger", uid, adoptable: true }
    : { kind: "Stranger", uid, adoptable: false, why };
}

/** Why a name that an object holds which Meridian did not make is not written; undefined where the row takes the object over. */
export function strangerRefusal(
  holder: Extract<Holder, { kind: "Stranger" }>,
  { ref, conflictResolution }: Pick<ApplyRow, "ref" | "conflictResolution">,
): { reason: "AlreadyExists" | "NotAdoptable"; message: string } | undefined {
  const mayAdopt = conflictResolution === "Adopt";
  if (!holder.adoptable) {
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

/** What every API server makes, and makes so again: to change it is to change what the cluster is. */
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
