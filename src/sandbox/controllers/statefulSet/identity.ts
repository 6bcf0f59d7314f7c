import { defined, type KubeObject, type OwnerReference } from "../../../apis/index.ts";
import { type LabelSelector } from "../../labelSelectors.ts";
import {
  controllerReference,
  type ControllerRevision,
  type Pod,
  podFromTemplate,
  type PodTemplate,
  templateOf,
  type Volume,
} from "../shared/index.ts";

export const REVISION_LABEL = "controller-revision-hash";

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  availableReplicas: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: readonly unknown[];
}

type Retention = "Retain" | "Delete";

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    ordinals?: { start?: number };
    volumeClaimTemplates?: readonly KubeObject[];
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: Retention; whenScaled?: Retention };
  };
  status?: StatefulSetStatus;
}

export function firstOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** The ordinal in the name of a pod; undefined if the name does not belong to the set. */
export function ordinalOf(set: StatefulSet, name: string): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const text = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

export function revisionNameOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[REVISION_LABEL];
}

/** The pod with that ordinal, from the template of a revision. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podFromTemplate(set, templateOf(revision), name);
  const claims = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
  const others = (pod.spec.volumes ?? []).filter((volume) => !claims.includes(volume.name));
  const volumes: Volume[] = claims.map((claim) => ({
    name: claim,
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": String(ordinal),
        [REVISION_LABEL]: revision.metadata.name,
      },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...defined({ subdomain: set.spec.serviceName }),
      ...(volumes.length + others.length === 0 ? {} : { volumes: [...volumes, ...others] }),
    },
  };
}

export function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

export function claimsFor(set: StatefulSet, ordinal: number): KubeObject[] {
  const { namespace } = set.metadata;
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...template.metadata,
      name: claimName(set, template.metadata.name, ordinal),
      ...defined({ namespace }),
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
    },
  }));
}

/**
 * Owners of a claim by the retention policy: the set with whenDeleted Delete, the pod with whenScaled Delete if it is
 * scaled away.
 */
export function claimOwners(set: StatefulSet, pod: Pod | undefined, isScaledAway: boolean): OwnerReference[] {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const podOwns = whenScaled === "Delete" && isScaledAway;
  const setOwns = whenDeleted === "Delete" && !podOwns;
  return [
    ...(setOwns ? [controllerReference(set)] : []),
    ...(podOwns && pod !== undefined ? [controllerReference(pod)] : []),
  ];
}
