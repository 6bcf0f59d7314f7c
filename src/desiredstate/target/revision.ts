import {
  canonicalJson,
  defined,
  type KubeObject,
  type ManagedFieldsEntry,
  type OverridePolicy,
  parseApiVersion,
  type Placement,
  type PlacementSpec,
  policyKey,
  refKey,
  refOf,
} from "../../apis/index.ts";
import { isRendered, placeableKindOf, staysOnHub, userSetObject } from "../../interpreter/index.ts";
import type { DependencyHashes, Target } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";

type Policy<T extends { metadata: unknown }> = Omit<T, "metadata" | "status"> & {
  metadata: { name: string; namespace?: string };
};

/** An object with its policies, complete enough to compute the same target again. Contains no data of Secrets. */
export interface RevisionContent {
  /** Without status and server-managed metadata. */
  object: KubeObject;
  placement?: Policy<Placement>;
  overrides: Policy<OverridePolicy>[];
  configMaps?: KubeObject[];
  dependencyHashes?: DependencyHashes;
}

/** True if Meridian may not read a dependency, so that the content that pods would read is unknown. */
export function isUnreadable({ clusters }: Pick<Target, "clusters">): boolean {
  return clusters.some(({ frozenFor }) => frozenFor !== undefined);
}

/**
 * The current revision of the object. Undefined if nothing is to be rolled out: the object is not scheduled, its policy
 * is suspended, or the desired state is unknown. `last`: the revision rolled out last. Unreadable dependencies count as
 * they were in `last`, so that a change of the object is still seen.
 */
export function revisionOf(
  snapshot: Snapshot,
  target: Target,
  placement: Placement | undefined,
  last?: RevisionContent,
): RevisionContent | undefined {
  if (target.scheduled.status !== "True" || target.suspended) return undefined;
  const asBefore = isUnreadable(target) ? last : undefined;
  if (isUnreadable(target) && asBefore === undefined) return undefined;
  const selecting = new Set(
    [
      ...target.overrides,
      ...(target.idleOverrides ?? []).map(({ policy }) => policy),
      ...(target.dependencyOverrides ?? []).map(({ policy }) => policy),
    ].map((policy) => policyKey(policy)),
  );
  const overrides = snapshot.overrides.filter((policy) => selecting.has(policyKey(policy)));
  const configMaps = asBefore === undefined ? configMapsOf(snapshot, target) : (asBefore.configMaps ?? []);
  const hashes = asBefore === undefined ? target.dependencyHashes : asBefore.dependencyHashes;
  return {
    object: kept(snapshot.object),
    ...(placement === undefined ? {} : { placement: policyContent(placement) }),
    overrides: overrides.map((policy) => policyContent(policy)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    ...(configMaps.length === 0 ? {} : { configMaps }),
    ...defined({ dependencyHashes: hashes }),
  };
}

/** Revisions are equal if they make the same member objects. Policy names and how a change spreads do not count. */
export function madeOfRevision({ object, placement, overrides, dependencyHashes }: RevisionContent): object {
  return {
    ...madeOf(object),
    placement: placement === undefined ? null : whatIsMade(placement.spec),
    overrides: overrides.map(({ spec }) => spec.rules),
    dependencies: dependencyHashes?.all ?? null,
  };
}

/** True if the revisions differ at most in their policies or dependencies. */
export function isSameObject(a: RevisionContent, b: RevisionContent): boolean {
  return canonicalJson(madeOf(a.object)) === canonicalJson(madeOf(b.object));
}

function madeOf(object: KubeObject): object {
  const kind = placeableKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  const rendered = isRendered(object);
  return {
    content: rendered ? object["spec"] : kind.render(object),
    labels: usersOf(object.metadata.labels),
    ...(rendered ? { annotations: usersOf(object.metadata.annotations) } : {}),
  };
}

/**
 * The present snapshot, with the object and policies of the revision. Its target is what a cluster has that waits for
 * its turn. The identity (name, namespace, UID) comes from the present object. Permissions of the recorded
 * cluster-scoped policies count only if the current ones give them too.
 */
export function snapshotOfRevision(content: RevisionContent, snapshot: Snapshot): Snapshot {
  const { choice, needs: _, dependencies, object: now, ...rest } = snapshot;
  const { configMaps = [], dependencyHashes, overrides } = content;
  const { name, namespace, uid, resourceVersion, generation } = now.metadata;
  const { namespace: __, ...then } = content.object.metadata;
  const metadata = {
    ...then,
    name,
    ...defined({ namespace, uid, resourceVersion, generation }),
  };
  const placement = content.placement && withPresentResolution(content.placement, choice?.placement);
  const present = new Map(dependencies);
  for (const configMap of configMaps) present.set(refKey(refOf(configMap)), configMap);
  return {
    ...rest,
    object: { ...content.object, apiVersion: apiVersionOf(content, now), kind: now.kind, metadata },
    placements: placement === undefined ? [] : [placement],
    choice: { placement, passedOver: [] },
    overrides: overrides as OverridePolicy[],
    presentOverrides: snapshot.overrides.filter(({ metadata: { namespace: of } }) => of === undefined),
    dependencies: present,
    ...defined({ recordedHashes: dependencyHashes }),
  };
}

/** The recorded apiVersion may have other fields than the present one, so it is kept within the same group. */
function apiVersionOf({ object: { apiVersion } }: RevisionContent, now: KubeObject): string {
  return parseApiVersion(apiVersion).group === parseApiVersion(now.apiVersion).group ? apiVersion : now.apiVersion;
}

/** `Adopt` holds only if the current policy says `Adopt` too. */
function withPresentResolution(then: Policy<Placement>, now: Placement | undefined): Placement {
  const isTakenBack = then.spec.conflictResolution === "Adopt" && now?.spec.conflictResolution !== "Adopt";
  const spec: PlacementSpec = isTakenBack ? { ...then.spec, conflictResolution: "Abort" } : then.spec;
  return { ...then, spec };
}

/** Fields of a placement that determine the objects on a cluster, without those that say how, when and for how long. */
function whatIsMade(spec: PlacementSpec): Partial<PlacementSpec> {
  const {
    resourceSelectors: _resourceSelectors,
    priority: _priority,
    rollout: _rollout,
    failover: _failover,
    disruptionBudget: _disruptionBudget,
    suspend: _suspend,
    health: _health,
    aggregateStatus: _aggregateStatus,
    ...made
  } = spec;
  return made;
}

/** Plain objects keep `managedFields`, which show what a person set, without times and entries of the status. */
function kept({ status: _, metadata, ...content }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, managedFields } = metadata;
  const own = usersOf(annotations);
  const users = managedFields?.filter(({ subresource }) => subresource !== "status");
  return {
    ...content,
    metadata: {
      name,
      ...defined({ namespace, labels }),
      ...(Object.keys(own).length === 0 ? {} : { annotations: own }),
      ...(users === undefined || isRendered(content)
        ? {}
        : { managedFields: users.map(({ time: __, ...entry }): ManagedFieldsEntry => entry) }),
    },
  };
}

function usersOf(entries: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(entries ?? {}).filter(([key]) => !staysOnHub(key)));
}

function policyContent<T extends Placement | OverridePolicy>(policy: T): Policy<T> {
  const { apiVersion, kind, metadata, spec } = policy;
  const { name, namespace } = metadata;
  return { apiVersion, kind, metadata: { name, ...defined({ namespace }) }, spec } as Policy<T>;
}

function nameOf({ kind, metadata }: { kind: string; metadata: { name: string; namespace?: string } }): string {
  return policyKey({ kind, ...metadata });
}

function configMapsOf({ dependencies }: Snapshot, target: Target): KubeObject[] {
  const sent = new Set(target.clusters.flatMap(({ objects }) => objects.map(({ ref }) => `${ref.kind}/${ref.name}`)));
  return [...dependencies.values()]
    .filter(({ kind, metadata }) => kind === "ConfigMap" && sent.has(`${kind}/${metadata.name}`))
    .map((found) => userSetObject(found))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
