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
import { standingFields, unwrittenFields, userSetObject, whyOwnersUnknown } from "../fields/index.ts";
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

/** What is on its way out still runs, but nothing about it is as it should be. */
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

/** What Meridian knows of a hub kind that becomes other objects on the members; undefined for kinds that are propagated as they are. */
export function hubKindOf(group: string, kind: string): HubKind | undefined {
  return hubKinds.get(kindKey({ group, kind }));
}

/** Whether Meridian makes other objects of it for the members. Objects of any other kind are sent as they are. */
export function isRendered({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): boolean {
  return hubKinds.has(kindKeyOf({ apiVersion, kind }));
}

/** {@link hubKindOf}, or for any other kind the rule that propagates of an object what a person set in it. */
export function placeableKindOf(group: string, kind: string): HubKind {
  return (
    hubKindOf(group, kind) ?? remembered(propagatedKinds, kindKey({ group, kind }), () => propagatedKind(group, kind))
  );
}

/** What Meridian knows of a member kind. For any other kind the rule that trusts only what its status says. */
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
 * Where objects of a kind that are sent as they are keep their replicas, where the interpreter does not know that itself: as their policy
 * declares it, else as the scale subresource of their CRD says.
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

/** Rules are asked for with every event, and a cluster has few kinds. */
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
    standing: standingFields,
    refusal,
    replicas: (object) => member.replicas?.(object),
    dependencies: propagatedDependencies,
    podSelector: () => undefined,
  };
}

/** Why nothing can be made of an object that is sent as it is. */
function refusal(object: KubeObject): ReturnType<NonNullable<HubKind["refusal"]>> {
  if (isMeridiansKind(object)) return { reason: "StaysOnHub", message: "Meridian's own kinds stay on the hub" };
  const why = whyOwnersUnknown(object);
  if (why === undefined) return undefined;
  return { reason: "FieldOwnersUnknown", message: `${why}, so nobody knows what to send of the object` };
}

function served(group: string, version: string, kind: string, plural: string): ServedKind {
  return Object.freeze({ group, version, kind, plural, namespaced: true });
}

/** What goes along with hub objects: {@link HubKind.dependencies} and the declarations of policies name no other kinds. */
const DEPENDENCIES: Readonly<Record<DependencyKind, ServedKind>> = {
  ConfigMap: served("", "v1", "ConfigMap", "configmaps"),
  PersistentVolumeClaim: served("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  Secret: served("", "v1", "Secret", "secrets"),
  ServiceAccount: served("", "v1", "ServiceAccount", "serviceaccounts"),
};

export const DEPENDENCY_KINDS: readonly ServedKind[] = Object.values(DEPENDENCIES);

/** The kind of a dependency; undefined for kinds that never go along. */
export function dependencyKindOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): ServedKind | undefined {
  if (apiVersion !== "v1" || !Object.hasOwn(DEPENDENCIES, kind)) return undefined;
  return DEPENDENCIES[kind as DependencyKind];
}

/** The same, of a kind that is watched on members only when something there needs one. */
export function occasionalKindOf(ref: Pick<ObjectRef, "apiVersion" | "kind">): ServedKind | undefined {
  const kind = dependencyKindOf(ref);
  return kind === DEPENDENCIES.ConfigMap || kind === DEPENDENCIES.Secret ? undefined : kind;
}

/** The hub kinds that become other objects, in the version that they are read in, and what they become. */
const RENDERED: readonly { hub: ServedKind; members: readonly ServedKind[]; optional?: true }[] = [
  {
    hub: served(PAAS_GROUP, "v1", "DemoApplication", "demoapplications"),
    members: [served("apps", "v1", "Deployment", "deployments"), served("", "v1", "Service", "services")],
  },
  // Of any kinds: those that are watched on a member follow from what is asked for there.
  {
    hub: served(FEDERATION_GROUP, FEDERATION_VERSION, "ManifestBundle", "manifestbundles"),
    members: [],
    optional: true,
  },
];

/** The hub kinds that become other objects on the members. */
export function renderedHubKinds(): readonly ServedKind[] {
  return RENDERED.map(({ hub }) => hub);
}

/** Those of {@link renderedHubKinds} without which Meridian is of no use on a hub; the others may come with the next upgrade. */
export function requiredHubKinds(): readonly ServedKind[] {
  return RENDERED.filter(({ optional }) => optional !== true).map(({ hub }) => hub);
}

/** Whether objects of a kind that a policy selects are sent to members as they are: of every kind without a rule and a reason against it. */
export function isPropagated(kind: Pick<ServedKind, "group" | "kind">): boolean {
  return hubKindOf(kind.group, kind.kind) === undefined && whyNeverPlaced(kind) === undefined;
}

/** What rendered objects become on the members: written there, and watched. */
export function renderedMemberKinds(): readonly ServedKind[] {
  return RENDERED.flatMap(({ members }) => members);
}

/**
 * The kinds that Meridian places on members whatever runs there, beside the namespaces that it makes for them: those to be watched there. The
 * other kinds of dependencies come with the first object that needs one ({@link occasionalKindOf}).
 */
export function memberKinds(): readonly ServedKind[] {
  return [...renderedMemberKinds(), DEPENDENCIES.ConfigMap, DEPENDENCIES.Secret];
}
