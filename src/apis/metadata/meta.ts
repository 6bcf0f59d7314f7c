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

/** Reference to an object within one cluster. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** A reference with the object's UID, so that a recreated object of the same name is another object. */
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

/** Key of a kind, independent of the version: `group/Kind`. */
export function kindKey({ group, kind }: { group: string; kind: string }): string {
  return `${group}/${kind}`;
}

/** {@link kindKey} of an object or a reference. */
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
 * Key of an object within one cluster, independent of the version: `group/Kind/namespace/name`, with an empty namespace
 * for cluster-scoped objects. Used as key of maps and workqueues.
 */
export function refKey(ref: ObjectRef): string {
  return `${kindKeyOf(ref)}/${ref.namespace ?? ""}/${ref.name}`;
}

/**
 * Generation of an object; 1 for kinds whose generation the server does not count. A binding's generation is at least
 * 1, and `kubectl wait` ignores a condition whose observedGeneration is below the generation of the binding that holds
 * it.
 */
export function generationOf({ generation = 1 }: Pick<ObjectMeta, "generation">): number {
  return generation;
}
