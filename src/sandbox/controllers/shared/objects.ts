import type { LabelSelector, SelectorExpression } from "../../labelSelectors.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../apis/index.ts";
import type { ResourceName } from "../../types.ts";

/** The fields of the built-in kinds that the controllers use. The API server guarantees the shapes. */

export type Labels = Readonly<Record<string, string>>;

export interface PodTemplate {
  metadata?: Partial<ObjectMeta>;
  spec: PodSpec;
}

export type ResourceList = Readonly<Record<string, string | number>>;

export interface Container {
  name: string;
  image: string;
  restartPolicy?: string;
  resources?: { requests?: ResourceList; limits?: ResourceList };
  ports?: readonly { hostPort?: number; protocol?: string; containerPort: number }[];
  env?: readonly {
    name: string;
    valueFrom?: { configMapKeyRef?: KeyReference; secretKeyRef?: KeyReference; fieldRef?: { fieldPath: string } };
  }[];
  envFrom?: readonly { configMapRef?: KeyReference; secretRef?: KeyReference }[];
  readinessProbe?: { initialDelaySeconds?: number };
}

export interface KeyReference {
  name?: string;
  key?: string;
  optional?: boolean;
}

export interface Volume {
  name: string;
  configMap?: KeyReference & { items?: readonly { key: string }[] };
  secret?: { secretName?: string; optional?: boolean; items?: readonly { key: string }[] };
  persistentVolumeClaim?: { claimName: string };
  projected?: { sources?: readonly { configMap?: KeyReference; secret?: KeyReference }[] };
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

export interface NodeSelectorTerm {
  matchExpressions?: readonly SelectorExpression[];
  matchFields?: readonly SelectorExpression[];
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: readonly NodeSelectorTerm[] };
    [other: string]: unknown;
  };
  [other: string]: unknown;
}

export interface PodSpec {
  nodeName?: string;
  hostname?: string;
  subdomain?: string;
  hostNetwork?: boolean;
  restartPolicy?: string;
  schedulerName?: string;
  containers: readonly Container[];
  initContainers?: readonly Container[];
  volumes?: readonly Volume[];
  nodeSelector?: Labels;
  affinity?: Affinity;
  tolerations?: readonly Toleration[];
  overhead?: ResourceList;
  [field: string]: unknown;
}

export interface PodCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null;
  lastProbeTime?: string | null;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: {
    exitCode: number;
    reason: string;
    startedAt: string;
    finishedAt: string;
    containerID: string;
  };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
}

export interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: readonly PodCondition[];
  containerStatuses?: readonly ContainerStatus[];
  initContainerStatuses?: readonly ContainerStatus[];
  startTime?: string;
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

/** A condition of a workload; only Deployments have `lastUpdateTime`. */
export interface WorkloadCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
  lastUpdateTime?: string;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: readonly WorkloadCondition[];
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate };
  status?: ReplicaSetStatus;
}

export type IntOrPercent = number | string;

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  collisionCount?: number;
  conditions?: readonly WorkloadCondition[];
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
}

/** Names of the resources that the controllers use. */
export const PODS = { group: "", plural: "pods" } as const;
export const NODES = { group: "", plural: "nodes" } as const;
export const NAMESPACES = { group: "", plural: "namespaces" } as const;
export const SERVICES = { group: "", plural: "services" } as const;
export const CONFIG_MAPS = { group: "", plural: "configmaps" } as const;
export const SECRETS = { group: "", plural: "secrets" } as const;
export const SERVICE_ACCOUNTS = { group: "", plural: "serviceaccounts" } as const;
export const CLAIMS = { group: "", plural: "persistentvolumeclaims" } as const;
export const VOLUMES = { group: "", plural: "persistentvolumes" } as const;
export const QUOTAS = { group: "", plural: "resourcequotas" } as const;
export const EVENTS = { group: "", plural: "events" } as const;
export const DEPLOYMENTS = { group: "apps", plural: "deployments" } as const;
export const REPLICA_SETS = { group: "apps", plural: "replicasets" } as const;
export const STATEFUL_SETS = { group: "apps", plural: "statefulsets" } as const;
export const DAEMON_SETS = { group: "apps", plural: "daemonsets" } as const;
export const CONTROLLER_REVISIONS = { group: "apps", plural: "controllerrevisions" } as const;
export const JOBS = { group: "batch", plural: "jobs" } as const;
export const DISRUPTION_BUDGETS = { group: "policy", plural: "poddisruptionbudgets" } as const;

/** A resource as text: `deployments.apps`, `pods`. */
export function resourceId({ group, plural }: ResourceName): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** The owner that controls an object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === uidOf(owner);
}

/** The owner reference to the controller `owner` for its dependents. */
export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The object's UID. Throws for an object that was never stored. */
export function uidOf({ metadata, kind }: KubeObject): string {
  if (metadata.uid === undefined) throw new Error(`${kind} ${metadata.name} comes from no API server: it has no uid`);
  return metadata.uid;
}

/**
 * Metadata without a name, which the server generates. Only a create request may lack the name, so the type does not
 * allow it.
 */
export function generatedName(metadata: Omit<ObjectMeta, "name"> & { generateName: string }): ObjectMeta {
  return metadata as ObjectMeta;
}

export function byCreation(a: KubeObject, b: KubeObject): number {
  return compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") || byName(a, b);
}

export function byName(a: KubeObject, b: KubeObject): number {
  return compare(a.metadata.name, b.metadata.name);
}

export function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
