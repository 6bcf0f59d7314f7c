/** The parts of Kubernetes' object model that every module shares. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  subresource?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: FieldsV1;
}

/** A set of owned fields as `metadata.managedFields` holds it: `f:name`, `k:{...}`, `v:value`, `i:index` and `.`. */
export interface FieldsV1 {
  [path: string]: FieldsV1;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object of any kind; the fields beside the metadata depend on the kind. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Names one object of one cluster. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** A reference that also says which life of the object is meant. */
export interface OwnerRef extends ObjectRef {
  uid: string;
}

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

/** The group of an apiVersion; empty for the core group. */
function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** Splits `apps/v1` and `v1` into group and version; the core group is the empty string. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** One string for one kind, whatever version it is read in: `group/Kind`. */
export function kindKey({ group, kind }: { group: string; kind: string }): string {
  return `${group}/${kind}`;
}

/** As {@link kindKey}, of an object or a reference. */
export function kindKeyOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

export function refOf(object: KubeObject): ObjectRef {
  const { namespace, name } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
  };
}

/**
 * One string for one object of one cluster, whatever version it is read in: `group/Kind/namespace/name`, with an empty
 * namespace for cluster-scoped objects. Used as key of maps and workqueues.
 */
export function refKey(ref: ObjectRef): string {
  return `${kindKeyOf(ref)}/${ref.namespace ?? ""}/${ref.name}`;
}

/**
 * The generation of an object. Of kinds whose generations the server does not count it is the first: `kubectl wait` takes a condition that
 * speaks of an earlier generation than that of the binding it stands in for out of date.
 */
export function generationOf({ generation = 1 }: Pick<ObjectMeta, "generation">): number {
  return generation;
}
