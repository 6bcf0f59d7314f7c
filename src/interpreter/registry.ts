import { FEDERATION_GROUP, FEDERATION_VERSION, type KubeObject, PAAS_GROUP, valueAt } from "../apis/index.ts";
import { manifestBundleKind } from "./bundle/manifestBundle.ts";
import { demoApplicationKind } from "./demoapplication.ts";
import { genericHealth, hasNoStatus } from "./health/generic.ts";
import { available, health } from "./health/report.ts";
import { namespaceHealth, serviceHealth } from "./health/services.ts";
import { askedReplicas, daemonSetHealth, deploymentHealth, jobHealth, statefulSetHealth } from "./health/workloads.ts";
import { podDependencies } from "./podDependencies.ts";
import { replicaPath } from "./replicas.ts";
import type { Health, HubKind, MemberKind, ReplicaPaths, ServedKind } from "./types.ts";
import { userSetObject } from "./userFields.ts";
import { fieldsOf } from "./values.ts";

const POD_TEMPLATE = ["spec", "template"] as const;

const scalable = {
  withReplicas: (object: KubeObject, replicas: number): KubeObject => ({
    ...object,
    spec: { ...fieldsOf(object["spec"]), replicas },
  }),
  replicas: askedReplicas,
};

const HUB_KINDS: readonly HubKind[] = [demoApplicationKind, manifestBundleKind(memberKindOf)];

/** What Deployments are made of, and were before there were Deployments. */
const RUN_PODS: ReadonlySet<string> = new Set(["apps/ReplicaSet", "/ReplicationController"]);

const MEMBER_KINDS: readonly MemberKind[] = [
  memberKind("apps", "Deployment", deploymentHealth, { ...scalable, podTemplatePath: POD_TEMPLATE }),
  memberKind("apps", "StatefulSet", statefulSetHealth, { ...scalable, podTemplatePath: POD_TEMPLATE }),
  memberKind("apps", "DaemonSet", daemonSetHealth, { podTemplatePath: POD_TEMPLATE }),
  // The template of a Job cannot be changed, so nothing is written into it.
  memberKind("batch", "Job", jobHealth),
  memberKind("", "Service", serviceHealth),
  memberKind("", "Namespace", namespaceHealth),
  memberKind("", "ConfigMap", () => available),
  memberKind("", "Secret", () => available),
];

function memberKind(
  group: string,
  kind: string,
  judge: (object: KubeObject) => Health,
  more: Partial<MemberKind> = {},
): MemberKind {
  return {
    ...(RUN_PODS.has(`${group}/${kind}`) ? { ...scalable, podTemplatePath: POD_TEMPLATE } : {}),
    ...more,
    group,
    kind,
    health: (object) => (object.metadata.deletionTimestamp === undefined ? judge(object) : terminating(object, judge)),
  };
}

/** What is on its way out still runs, but nothing about it is as it should be. */
function terminating(object: KubeObject, judge: (object: KubeObject) => Health): Health {
  const { replicas } = judge(object);
  return {
    ...health("Progressing", "Terminating", "it is being deleted"),
    ...(replicas === undefined ? {} : { replicas }),
  };
}

function byName<T extends { group: string; kind: string }>(kinds: readonly T[]): Map<string, T> {
  return new Map(kinds.map((known) => [`${known.group}/${known.kind}`, known]));
}

const hubKinds = byName(HUB_KINDS);
const knownMemberKinds = byName(MEMBER_KINDS);
const propagatedKinds = new Map<string, HubKind>();
const otherMemberKinds = new Map<string, MemberKind>();

/** What Meridian knows of a hub kind that becomes other objects on the members; undefined for kinds that are propagated as they are. */
export function hubKindOf(group: string, kind: string): HubKind | undefined {
  return hubKinds.get(`${group}/${kind}`);
}

/** {@link hubKindOf}, or for any other kind the rule that propagates of an object what a person set in it. */
export function placeableKindOf(group: string, kind: string): HubKind {
  return hubKindOf(group, kind) ?? remembered(propagatedKinds, `${group}/${kind}`, () => propagatedKind(group, kind));
}

/** What Meridian knows of a member kind. For any other kind the rule that trusts only what its status says. */
export function memberKindOf(group: string, kind: string): MemberKind {
  const name = `${group}/${kind}`;
  return (
    knownMemberKinds.get(name) ??
    remembered(otherMemberKinds, name, () =>
      memberKind(group, kind, hasNoStatus(group, kind) ? () => available : genericHealth),
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
    render: (object) => [userSetObject(object)],
    replicas: (object) => member.replicas?.(object),
    dependencies: (object) =>
      podDependencies(
        valueAt(object, [...(member.podTemplatePath ?? POD_TEMPLATE), "spec"]),
        object.metadata.namespace,
      ),
    podSelector: () => undefined,
  };
}

function served(group: string, version: string, kind: string, plural: string): ServedKind {
  return Object.freeze({ group, version, kind, plural, namespaced: true });
}

/** What hub objects of other kinds need beside them on a member: {@link HubKind.dependencies} names no other kinds. */
const DEPENDENCIES = [served("", "v1", "ConfigMap", "configmaps"), served("", "v1", "Secret", "secrets")];

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

/** Whether objects of a kind that a policy selects are sent to members as they are. The one place that decides it: none is yet. */
export function isPropagated(_kind: Pick<ServedKind, "group" | "kind">): boolean {
  return false;
}

/** Whether objects of that kind can be placed at all. */
export function isPlaceable(kind: Pick<ServedKind, "group" | "kind">): boolean {
  return hubKindOf(kind.group, kind.kind) !== undefined || isPropagated(kind);
}

/** What rendered objects become on the members: written there, and watched. */
export function renderedMemberKinds(): readonly ServedKind[] {
  return RENDERED.flatMap(({ members }) => members);
}

/** The kinds that Meridian may place on members today, beside the namespaces that it makes for them: those to be watched there. */
export function memberKinds(): readonly ServedKind[] {
  return [...renderedMemberKinds(), ...DEPENDENCIES];
}
