import { defined } from "../../../apis/index.ts";
import {
  byCreation,
  compare,
  controllerReference,
  type Deployment,
  isTerminating,
  type Labels,
  type PodTemplate,
  type ReplicaSet,
  sameValue,
  templateHash,
} from "../shared/index.ts";
import { desiredReplicas, historyLimit, maxSurge, sizeOf } from "./limits.ts";

const HASH_LABEL = "pod-template-hash";
export const REVISION = "deployment.kubernetes.io/revision";
const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const OWN_ANNOTATIONS = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  "deprecated.deployment.rollback.to",
]);

const HISTORY_LENGTH = 2000;
const NAME_LENGTH = 253;

export interface Revisions {
  /** The ReplicaSet with the Deployment's template, the oldest if there are several. */
  current: ReplicaSet | undefined;
  /** All other ReplicaSets. */
  old: ReplicaSet[];
  /** The minimum revision of the current ReplicaSet. */
  next: number;
}

/** Separates the ReplicaSet of the current template from the old ones. */
export function revisionsOf({ spec }: Deployment, replicaSets: readonly ReplicaSet[]): Revisions {
  const current = replicaSets.toSorted(byCreation).find((set) => sameTemplate(set.spec.template, spec.template));
  const old = replicaSets.filter((set) => set !== current);
  return { current, old, next: Math.max(0, ...old.map(revisionOf)) + 1 };
}

export function revisionOf({ metadata }: ReplicaSet): number {
  const text = metadata.annotations?.[REVISION] ?? "0";
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/** Ignores the hash label, which only the ReplicaSet has. */
export function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return sameValue(withoutHash(a.metadata), withoutHash(b.metadata)) && sameValue(a.spec, b.spec);
}

function withoutHash(metadata: PodTemplate["metadata"] = {}) {
  const { [HASH_LABEL]: _hash, ...labels } = metadata.labels ?? {};
  // The server writes an empty creationTimestamp into some templates.
  return { ...metadata, labels, creationTimestamp: undefined };
}

/** A new ReplicaSet from the Deployment's template. */
export function newReplicaSet(deployment: Deployment, replicas: number, revision: number): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const replicaSet: ReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${metadata.name.slice(0, NAME_LENGTH - hash.length - 1)}-${hash}`,
      ...defined({ namespace: metadata.namespace }),
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...defined({ minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  return withSize(withRevision(deployment, replicaSet, revision), replicas, deployment);
}

/**
 * The ReplicaSet with the Deployment's annotations and minReadySeconds, and at least `revision`; the same object if
 * unchanged.
 */
export function withRevision(deployment: Deployment, replicaSet: ReplicaSet, revision: number): ReplicaSet {
  const before = replicaSet.metadata.annotations ?? {};
  const annotations: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!OWN_ANNOTATIONS.has(key)) annotations[key] = value;
  }
  const known = before[REVISION];
  if (revisionOf(replicaSet) < revision) {
    annotations[REVISION] = String(revision);
    if (known !== undefined) annotations[REVISION_HISTORY] = appended(before[REVISION_HISTORY], known);
  }
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (sameValue(before, annotations) && (replicaSet.spec.minReadySeconds ?? 0) === minReadySeconds) return replicaSet;
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec:
      minReadySeconds === (replicaSet.spec.minReadySeconds ?? 0)
        ? replicaSet.spec
        : { ...replicaSet.spec, minReadySeconds },
  };
}

function appended(history: string | undefined, revision: string): string {
  const revisions = history === undefined || history === "" ? [] : history.split(",");
  revisions.push(revision);
  while (revisions.length > 1 && revisions.join(",").length > HISTORY_LENGTH) revisions.shift();
  return revisions.join(",");
}

/** The ReplicaSet with that size and, in annotations, the size of the Deployment; the same object if unchanged. */
export function withSize(replicaSet: ReplicaSet, replicas: number, deployment: Deployment): ReplicaSet {
  const desired = desiredReplicas(deployment);
  const wanted: Labels = {
    [DESIRED_REPLICAS]: String(desired),
    [MAX_REPLICAS]: String(desired + maxSurge(deployment)),
  };
  const { annotations } = replicaSet.metadata;
  const isMarked = Object.entries(wanted).every(([key, value]) => annotations?.[key] === value);
  if (isMarked && sizeOf(replicaSet) === replicas) return replicaSet;
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations: { ...annotations, ...wanted } },
    spec: { ...replicaSet.spec, replicas },
  };
}

/** Empty old ReplicaSets beyond the history limit, lowest revision first. */
export function expired(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet[] {
  const limit = historyLimit(deployment);
  if (limit === undefined) return [];
  const candidates = old.filter((set) => !isTerminating(set)).toSorted(byRevision);
  return candidates.slice(0, Math.max(0, candidates.length - limit)).filter(isEmptied);
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  return compare(revisionOf(a), revisionOf(b)) || byCreation(a, b);
}

function isEmptied(replicaSet: ReplicaSet): boolean {
  const { status, metadata } = replicaSet;
  const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
  return isObserved && sizeOf(replicaSet) === 0 && (status?.replicas ?? 0) === 0;
}
