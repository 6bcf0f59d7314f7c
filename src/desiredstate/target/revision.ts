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

/** What an object was, as far as a target follows from it: enough to make the same of it once more. Holds nothing of a Secret. */
export interface RevisionContent {
  /** Without its status and what the server keeps about it. */
  object: KubeObject;
  placement?: Policy<Placement>;
  /** Those that select the object. */
  overrides: Policy<OverridePolicy>[];
  /** The ConfigMaps that go along. */
  configMaps?: KubeObject[];
  dependencyHashes?: DependencyHashes;
}

/** Something that the object needs may not be read, so that nobody can say what the pods would read. */
export function isUnreadable({ clusters }: Pick<Target, "clusters">): boolean {
  return clusters.some(({ frozenFor }) => frozenFor !== undefined);
}

/**
 * What the object is now; undefined where nothing is to be rolled out: no policy with a rollout places it, or nobody can say at present what it
 * is to be. `last`: what was rolled out last. Dependencies that may not be read count as what they were then, so that a change of the object is
 * still known for one.
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

/**
 * Equal for contents of which the same is made. What says how a change comes to the clusters (rollout, failover, priority) is no change itself, and
 * neither is what the policies are called.
 */
export function madeOfRevision({ object, placement, overrides, dependencyHashes }: RevisionContent): object {
  return {
    ...madeOf(object),
    placement: placement === undefined ? null : whatIsMade(placement.spec),
    overrides: overrides.map(({ spec }) => spec.rules),
    dependencies: dependencyHashes?.all ?? null,
  };
}

/** Whether the two revisions differ only in what policies or dependencies say, not in the object itself. */
export function isSameObject(a: RevisionContent, b: RevisionContent): boolean {
  return canonicalJson(madeOf(a.object)) === canonicalJson(madeOf(b.object));
}

/** What of the object itself decides what is made of it. */
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
 * The same moment, with the object and its policies as they were: what follows from it is what a cluster had that waits for its turn. Which object
 * it is says the object as it is now. What cluster-scoped policies gave then counts as far as those of now give it too.
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

/** The version may have been another one then, with other fields. */
function apiVersionOf({ object: { apiVersion } }: RevisionContent, now: KubeObject): string {
  return parseApiVersion(apiVersion).group === parseApiVersion(now.apiVersion).group ? apiVersion : now.apiVersion;
}

/** Objects of others are taken over only where the policy of now says so, too. */
function withPresentResolution(then: Policy<Placement>, now: Placement | undefined): Placement {
  const isTakenBack = then.spec.conflictResolution === "Adopt" && now?.spec.conflictResolution !== "Adopt";
  const spec: PlacementSpec = isTakenBack ? { ...then.spec, conflictResolution: "Abort" } : then.spec;
  return { ...then, spec };
}

/** Fields of a placement that say how, when and for how long; what is made on a cluster follows from the others. */
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

/** Who owns which field says what of a plain object a person has set; when they wrote, and with what, is no part of it. */
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
