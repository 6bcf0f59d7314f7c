import {
  defined,
  type DependencyKind,
  FEDERATION_GROUP,
  FEDERATION_VERSION,
  kindKey,
  kindKeyOf,
  type KubeObject,
  type ObjectRef,
  PAAS_GROUP,
} from "../../apis/index.ts";
import { manifestBundleKind } from "../bundle/index.ts";
import { demoApplicationKind } from "../application/index.ts";
import {
  askedReplicas,
  autoscalerHealth,
  available,
  claimHealth,
  cronJobHealth,
  daemonSetHealth,
  definitionHealth,
  deploymentHealth,
  disruptionBudgetHealth,
  genericHealth,
  hasNoStatus,
  health,
  ingressAddresses,
  ingressHealth,
  jobHealth,
  namespaceHealth,
  podHealth,
  replicaSetHealth,
  serviceAddresses,
  serviceHealth,
  statefulSetHealth,
  volumeHealth,
} from "../health/index.ts";
import { genericEnd, jobEnd, jobPaths, podEnd } from "../sums/index.ts";
import { isMeridiansKind } from "./hubsOwn.ts";
import { whyNeverPlaced } from "../kinds/index.ts";
import { propagatedDependencies } from "../pods/index.ts";
import { replicaPath } from "./replicas.ts";
import type { Health, HubKind, MemberKind, ReplicaPaths, ServedKind } from "../types.ts";
import { hubOwnedFields, unwrittenFields, userSetObject, whyOwnersUnknown } from "../fields/index.ts";
import { fieldsOf } from "../values.ts";

const POD_TEMPLATE = ["spec", "template"] as const;

const scalable = {
  withReplicas: (object: KubeObject, replicas: number): KubeObject => ({
    ...object,
    spec: { ...fieldsOf(object["spec"]), replicas },
  }),
  replicas: askedReplicas,
  replicaPath: ["spec", "replicas"] as const,
};

const HUB_KINDS: readonly HubKind[] = [demoApplicationKind, manifestBundleKind];

const MEMBER_KINDS: readonly MemberKind[] = [
  memberKind("apps", "Deployment", deploymentHealth, { ...scalable, podTemplatePath: POD_TEMPLATE }),
  memberKind("apps", "StatefulSet", statefulSetHealth, { ...scalable, podTemplatePath: POD_TEMPLATE }),
  memberKind("apps", "DaemonSet", daemonSetHealth, { podTemplatePath: POD_TEMPLATE }),
  memberKind("apps", "ReplicaSet", replicaSetHealth, { ...scalable, podTemplatePath: POD_TEMPLATE }),
  memberKind("", "ReplicationController", replicaSetHealth, { ...scalable, podTemplatePath: POD_TEMPLATE }),
  // The template of a Job cannot be changed, so nothing is written into it.
  memberKind("batch", "Job", jobHealth, { end: jobEnd }),
  memberKind("batch", "CronJob", cronJobHealth),
  memberKind("", "Pod", podHealth, { end: podEnd }),
  memberKind("", "Service", serviceHealth, { addresses: serviceAddresses }),
  memberKind("networking.k8s.io", "Ingress", ingressHealth, { addresses: ingressAddresses }),
  memberKind("", "PersistentVolumeClaim", claimHealth),
  memberKind("", "PersistentVolume", volumeHealth),
  memberKind("policy", "PodDisruptionBudget", disruptionBudgetHealth),
  memberKind("autoscaling", "HorizontalPodAutoscaler", autoscalerHealth),
  memberKind("apiextensions.k8s.io", "CustomResourceDefinition", definitionHealth),
  memberKind("", "Namespace", namespaceHealth),
];

function memberKind(
  group: string,
  kind: string,
  judge: (object: KubeObject) => Health,
  more: Partial<MemberKind> = {},
): MemberKind {
  return {
    ...more,
    group,
    kind,
    health(object) {
      const judged = judge(object);
      return object.metadata.deletionTimestamp === undefined ? judged : terminating(judged);
    },
  };
}

/** Health of a workload that is being deleted. Its replicas still count, since they still run. */
export function terminating({ replicas }: Health): Health {
  return {
    ...health("Progressing", "Terminating", "it is being deleted"),
    ...defined({ replicas }),
  };
}

function byName<T extends { group: string; kind: string }>(kinds: readonly T[]): Map<string, T> {
  return new Map(kinds.map((known) => [kindKey(known), known]));
}

const hubKinds = byName(HUB_KINDS);
const knownMemberKinds = byName(MEMBER_KINDS);
const propagatedKinds = new Map<string, HubKind>();
const otherMemberKinds = new Map<string, MemberKind>();

/** Undefined for kinds that are propagated unchanged. */
export function hubKindOf(group: string, kind: string): HubKind | undefined {
  return hubKinds.get(kindKey({ group, kind }));
}

/** Objects of any other kind are sent unchanged. */
export function isRendered({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): boolean {
  return hubKinds.has(kindKeyOf({ apiVersion, kind }));
}

/** {@link hubKindOf}, or for any other kind a rule that propagates the fields that a person set. */
export function placeableKindOf(group: string, kind: string): HubKind {
  return (
    hubKindOf(group, kind) ?? remembered(propagatedKinds, kindKey({ group, kind }), () => propagatedKind(group, kind))
  );
}

/** Rule of a member kind. Kinds without one get a rule that trusts only their status. */
export function memberKindOf(group: string, kind: string): MemberKind {
  const name = kindKey({ group, kind });
  return (
    knownMemberKinds.get(name) ??
    remembered(otherMemberKinds, name, () =>
      hasNoStatus(group, kind)
        ? memberKind(group, kind, () => available)
        : memberKind(group, kind, genericHealth, { isGeneric: true, end: genericEnd }),
    )
  );
}

/**
 * Replica paths of a kind of which the interpreter knows none: as the policy declares, else as the CRD's scale
 * subresource says.
 */
export function replicaPathsOf(
  { group, kind }: Pick<ServedKind, "group" | "kind">,
  declared: string | undefined,
  found: ReplicaPaths | undefined,
): ReplicaPaths | undefined {
  if (declared === undefined && found === undefined) return undefined;
  if (hubKindOf(group, kind) !== undefined || memberKindOf(group, kind).withReplicas !== undefined) return undefined;
  const spec = replicaPath(declared);
  if (spec === undefined) return found;
  if (group === "batch" && kind === "Job") return jobPaths(spec);
  return { spec, ...(found?.status === undefined ? {} : { status: found.status }) };
}

/** Rules are needed for every event, and a cluster has few kinds, so each rule is made once. */
function remembered<T>(known: Map<string, T>, name: string, make: () => T): T {
  let rule = known.get(name);
  if (rule === undefined) known.set(name, (rule = make()));
  return rule;
}

function propagatedKind(group: string, kind: string): HubKind {
  const member = memberKindOf(group, kind);
  return {
    group,
    kind,
    render: (object, replicaPath = member.replicaPath) => [userSetObject(object, replicaPath)],
    unwritten: unwrittenFields,
    hubOwned: hubOwnedFields,
    refusal,
    replicas: (object) => member.replicas?.(object),
    dependencies: propagatedDependencies,
    podSelector: () => undefined,
  };
}

/** Why an object that is sent unchanged cannot be rendered. */
function refusal(object: KubeObject): ReturnType<NonNullable<HubKind["refusal"]>> {
  if (isMeridiansKind(object)) return { reason: "StaysOnHub", message: "Meridian's own kinds stay on the hub" };
  const why = whyOwnersUnknown(object);
  if (why === undefined) return undefined;
  return { reason: "FieldOwnersUnknown", message: `${why}, so nobody knows what to send of the object` };
}

function served(group: string, version: string, kind: string, plural: string): ServedKind {
  return Object.freeze({ group, version, kind, plural, namespaced: true });
}

/** Objects and policies name no other kinds as dependencies. */
const DEPENDENCIES: Readonly<Record<DependencyKind, ServedKind>> = {
  ConfigMap: served("", "v1", "ConfigMap", "configmaps"),
  PersistentVolumeClaim: served("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  Secret: served("", "v1", "Secret", "secrets"),
  ServiceAccount: served("", "v1", "ServiceAccount", "serviceaccounts"),
};

export const DEPENDENCY_KINDS: readonly ServedKind[] = Object.values(DEPENDENCIES);

/** Undefined for kinds that are never sent as dependencies. */
export function dependencyKindOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): ServedKind | undefined {
  if (apiVersion !== "v1" || !Object.hasOwn(DEPENDENCIES, kind)) return undefined;
  return DEPENDENCIES[kind as DependencyKind];
}

/** Like {@link dependencyKindOf}, for kinds that are watched on a member only when an object there needs one. */
export function occasionalKindOf(ref: Pick<ObjectRef, "apiVersion" | "kind">): ServedKind | undefined {
  const kind = dependencyKindOf(ref);
  return kind === DEPENDENCIES.ConfigMap || kind === DEPENDENCIES.Secret ? undefined : kind;
}

/** In the version that is read, with the kinds of their rendered objects. */
const RENDERED: readonly { hub: ServedKind; members: readonly ServedKind[]; optional?: true }[] = [
  {
    hub: served(PAAS_GROUP, "v1", "DemoApplication", "demoapplications"),
    members: [served("apps", "v1", "Deployment", "deployments"), served("", "v1", "Service", "services")],
  },
  // A bundle holds any kinds. The assigned objects decide which kinds are watched on a member.
  {
    hub: served(FEDERATION_GROUP, FEDERATION_VERSION, "ManifestBundle", "manifestbundles"),
    members: [],
    optional: true,
  },
];

/** Hub kinds that are rendered to other objects. */
export function renderedHubKinds(): readonly ServedKind[] {
  return RENDERED.map(({ hub }) => hub);
}

/** The {@link renderedHubKinds} that a hub must have; the others may come with the next upgrade. */
export function requiredHubKinds(): readonly ServedKind[] {
  return RENDERED.filter(({ optional }) => optional !== true).map(({ hub }) => hub);
}

/** Objects of the kind are sent unchanged if a policy selects them. */
export function isPropagated(kind: Pick<ServedKind, "group" | "kind">): boolean {
  return hubKindOf(kind.group, kind.kind) === undefined && whyNeverPlaced(kind) === undefined;
}

/** Kinds of rendered objects, which are written and watched on members. */
export function renderedMemberKinds(): readonly ServedKind[] {
  return RENDERED.flatMap(({ members }) => members);
}

/**
 * Kinds to watch on every member; other dependencies are watched from the first object that needs one ({@link
 * occasionalKindOf}).
 */
export function memberKinds(): readonly ServedKind[] {
  return [...renderedMemberKinds(), DEPENDENCIES.ConfigMap, DEPENDENCIES.Secret];
}
